#include <fairstream/generate/synthetic.hpp>

#include <algorithm>
#include <string>

#include <fairstream/generate/integer_draws.hpp>

namespace fairstream::generate {
namespace {

constexpr std::uint64_t most_points = std::uint64_t{1} << 40;
constexpr std::int64_t one = 1 << 16;  // 1 in features
constexpr std::uint64_t whole = 8;     // the sum of a set's shares
constexpr std::size_t dimensions = SyntheticPoints::feature_names.size();

constexpr std::int64_t hundredths(std::int64_t value) {
    return (value * one + 50) / 100;
}

constexpr std::array<std::int64_t, dimensions> at(std::int64_t x, std::int64_t y) {
    return {hundredths(x), hundredths(y)};
}

enum Group : GroupId { black, purple };

struct Cluster {
    std::uint64_t share = 0;  // of `whole`; 0: there is no such cluster
    Group group = black;
    std::array<std::int64_t, dimensions> centre{};
};
struct Shape {
    std::int64_t spread;
    std::array<Cluster, 4> clusters;  // those of a group are neighbours
};

constexpr std::array<Shape, 4> shapes = {{
    // equal_ds1
    {hundredths(30), {{{4, black, at(100, 100)}, {4, purple, at(210, 350)}}}},
    // unequal_ds1
    {hundredths(30), {{{6, black, at(100, 100)}, {2, purple, at(210, 350)}}}},
    // equal_ds2
    {hundredths(10),
     {{{2, black, at(100, 100)}, {2, black, at(210, 100)}, {2, purple, at(100, 500)}, {2, purple, at(210, 500)}}}},
    // unequal_ds2
    {hundredths(13),
     {{{3, black, at(100, 100)}, {3, black, at(210, 100)}, {1, purple, at(100, 350)}, {1, purple, at(210, 350)}}}},
}};

constexpr bool shapes_hold() {
    for (const Shape& shape : shapes) {
        std::uint64_t sum = 0;
        for (const Cluster& cluster : shape.clusters) {
            sum += cluster.share;
            for (const std::int64_t coordinate : cluster.centre) {
                if (coordinate + normal_reach * shape.spread >= std::int64_t{1} << 24) return false;  // no exact float
            }
        }
        if (sum != whole) return false;
    }
    return true;
}
static_assert(shapes_hold());

const Shape& shape_of(Synthetic set) {
    return shapes.at(static_cast<std::size_t>(set));
}

}  // namespace

SyntheticPoints::SyntheticPoints(Synthetic set, std::uint64_t seed, std::uint64_t count)
    : random_(seed), set_(set), count_(count), all_left_(count) {
    if (count < 1 || count > most_points)
        throw InvalidInput(Reason::bad_option, "points = " + std::to_string(count) + " must be 1 to 2^40");
    // Rounding the sums of shares, not the shares, makes the counts add up; a group's end is one of the sums.
    std::uint64_t shares = 0, before = 0;
    for (std::size_t i = 0; i < most_clusters; ++i) {
        shares += shape_of(set).clusters[i].share;
        const std::uint64_t up_to_here = (count * shares + whole / 2) / whole;
        left_[i] = up_to_here - before;
        before = up_to_here;
    }
}

StreamFormat SyntheticPoints::format() {
    return {dimensions, {{"group", {"black", "purple"}}}, false};
}

void SyntheticPoints::next(std::size_t count, PointColumns& out) {
    out.clear();
    const std::uint64_t taken = std::min<std::uint64_t>(count, all_left_);
    for (std::uint64_t i = 0; i < taken; ++i) append_point(out);
}

/// A cluster by how many points it still has, which makes all orders alike; the bias of the remainder is below 2^-24.
std::size_t SyntheticPoints::draw_cluster() {
    std::uint64_t position = random_() % all_left_;
    std::size_t cluster = 0;
    while (position >= left_[cluster]) position -= left_[cluster++];
    return cluster;
}

void SyntheticPoints::append_point(PointColumns& out) {
    const std::size_t index = draw_cluster();
    const Shape& shape = shape_of(set_);
    const Cluster& cluster = shape.clusters[index];
    for (const std::int64_t centre : cluster.centre)
        out.features.push_back(static_cast<float>(centre + normal(random_, shape.spread)) / static_cast<float>(one));
    out.groups.push_back(cluster.group);
    out.ids.push_back(count_ - all_left_);
    --left_[index];
    --all_left_;
}

}  // namespace fairstream::generate
