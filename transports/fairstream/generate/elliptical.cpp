#include <fairstream/generate/elliptical.hpp>

#include <algorithm>
#include <string>

#include <fairstream/generate/detail/integer_draws.hpp>

namespace fairstream::generate {
namespace {

constexpr std::int64_t ellipse_unit = 1 << 16;  // stands for 1 in features
constexpr std::int64_t half_length = 4 * ellipse_unit, half_width = ellipse_unit / 2, overlap = ellipse_unit;
constexpr std::int64_t axis_ratio = half_length / half_width;

std::array<std::uint64_t, 4> cell_counts(std::uint64_t count) {
    std::array<std::uint64_t, 4> counts{};
    for (std::uint64_t cell = 0; cell < 4; ++cell) counts.at(cell) = (count + 3 - cell) / 4;
    return counts;
}

/// Draws uniformly from [-reach, reach].
std::int64_t symmetric(std::mt19937_64& random, std::int64_t reach) {
    return uniform(random, 2 * reach + 1) - reach;
}

struct Offset {
    std::int64_t x, y;  // from the centre
};

/// Draws uniformly from an ellipse, by rejection from the rectangle around it.
Offset draw_offset(std::mt19937_64& random) {
    for (;;) {
        const std::int64_t x = symmetric(random, half_length), y = symmetric(random, half_width);
        if (x * x + axis_ratio * axis_ratio * y * y <= half_length * half_length) return {x, y};
    }
}

}  // namespace

EllipticalPoints::EllipticalPoints(std::uint64_t seed, std::uint64_t count)
    : random_(seed), count_(count), cells_(cell_counts(count)) {
    if (count < 1 || count > most_points)
        throw InvalidInput(Reason::bad_option, "points = " + std::to_string(count) + " must be 1 to 2^40");
}

StreamFormat EllipticalPoints::format() {
    return {feature_names.size(), {{"group", {"left", "right"}}}, false};
}

void EllipticalPoints::next(std::size_t count, PointColumns& out) {
    out.clear();
    const std::uint64_t taken = std::min<std::uint64_t>(count, cells_.left());
    for (std::uint64_t i = 0; i < taken; ++i) append_point(out);
}

void EllipticalPoints::append_point(PointColumns& out) {
    out.ids.push_back(count_ - cells_.left());
    const std::size_t cell = cells_.draw(random_);
    const std::int64_t centre = cell < 2 ? -ellipse_unit : ellipse_unit;
    const bool right = cell % 2 == 1;
    Offset offset = draw_offset(random_);
    while ((offset.x >= symmetric(random_, overlap)) != right) offset = draw_offset(random_);
    for (const std::int64_t coordinate : {offset.x, centre + offset.y})
        out.features.push_back(static_cast<float>(coordinate) / static_cast<float>(ellipse_unit));
    out.groups.push_back(right ? 1 : 0);
}

}  // namespace fairstream::generate
