#include <fairstream/generate/synthetic.hpp>

#include <algorithm>
#include <string>

#include <fairstream/generate/detail/integer_draws.hpp>

namespace fairstream::generate {
namespace {

constexpr std::int64_t grid_unit = 1 << 16;  // stands for 1 in features
constexpr std::uint64_t sum_of_shares = 8;   // sum of a set's shares
constexpr std::size_t plane_dimensions = SyntheticPoints::feature_names.size();
constexpr std::size_t most_clusters = SyntheticPoints::most_clusters;

constexpr std::int64_t hundredths(std::int64_t value) {
    return (value * grid_unit + 50) / 100;
}

constexpr std::array<std::int64_t, plane_dimensions> centre_at(std::int64_t x, std::int64_t y) {
    return {hundredths(x), hundredths(y)};
}

enum Group : GroupId { black, purple };

struct Cluster {
    std::uint64_t share = 0;  // part of `sum_of_shares`; 0: no such cluster
    Group group = black;
    std::array<std::int64_t, plane_dimensions> centre{};
};
struct Shape {
    std::int64_t spread;
    std::array<Cluster, most_clusters> clusters;  // clusters of one group are neighbours
};

constexpr std::array<Shape, 4> shapes = {{
    // equal_ds1
    {hundredths(30), {{{4, black, centre_at(100, 100)}, {4, purple, centre_at(210, 350)}}}},
    // unequal_ds1
    {hundredths(30), {{{6, black, centre_at(100, 100)}, {2, purple, centre_at(210, 350)}}}},
    // equal_ds2
    {hundredths(10),
     {{{2, black, centre_at(100, 100)},
       {2, black, centre_at(210, 100)},
       {2, purple, centre_at(100, 500)},
       {2, purple, centre_at(210, 500)}}}},
    // unequal_ds2
    {hundredths(13),
     {{{3, black, centre_at(100, 100)},
       {3, black, centre_at(210, 100)},
       {1, purple, centre_at(100, 350)},
       {1, purple, centre_at(210, 350)}}}},
}};

constexpr bool are_shapes_valid() {
    for (const Shape& shape : shapes) {
        std::uint64_t sum = 0;
        for (const Cluster& cluster : shape.clusters) {
            sum += cluster.share;
            for (const std::int64_t coordinate : cluster.centre) {
                if (coordinate + normal_reach * shape.spread >= std::int64_t{1} << 24) return false;  // inexact float32
            }
        }
        if (sum != sum_of_shares) return false;
    }
    return true;
}
static_assert(are_shapes_valid());

const Shape& shape_of(Synthetic set) {
    return shapes.at(static_cast<std::size_t>(set));
}

/// Returns the points of each cluster. Rounding the cumulative shares, not the shares, makes the counts add up, also by
/// group.
std::array<std::uint64_t, most_clusters> cluster_counts(Synthetic set, std::uint64_t count) {
    std::array<std::uint64_t, most_clusters> counts{};
    std::uint64_t shares = 0, before = 0;
    for (std::size_t i = 0; i < most_clusters; ++i) {
        shares += shape_of(set).clusters[i].share;
        const std::uint64_t up_to_here = (count * shares + sum_of_shares / 2) / sum_of_shares;
        counts[i] = up_to_here - before;
        before = up_to_here;
    }
    return counts;
}

}  // namespace

SyntheticPoints::SyntheticPoints(Synthetic set, std::uint64_t seed, std::uint64_t count)
    : random_(seed), set_(set), count_(count), clusters_(cluster_counts(set, count)) {
    if (count < 1 || count > most_points)
        throw InvalidInput(Reason::bad_option, "points = " + std::to_string(count) + " must be 1 to 2^40");
}

StreamFormat SyntheticPoints::format() {
    return {plane_dimensions, {{"group", {"black", "purple"}}}, false};
}

void SyntheticPoints::next(std::size_t count, PointColumns& out) {
    out.clear();
    const std::uint64_t taken = std::min<std::uint64_t>(count, clusters_.left());
    for (std::uint64_t i = 0; i < taken; ++i) append_point(out);
}

void SyntheticPoints::append_point(PointColumns& out) {
    out.ids.push_back(count_ - clusters_.left());
    const Shape& shape = shape_of(set_);
    const Cluster& cluster = shape.clusters[clusters_.draw(random_)];
    for (const std::int64_t centre : cluster.centre)
        out.features.push_back(static_cast<float>(centre + normal(random_, shape.spread)) /
                               static_cast<float>(grid_unit));
    out.groups.push_back(cluster.group);
}

}  // namespace fairstream::generate
