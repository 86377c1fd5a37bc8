#pragma once
/// Affinities of points for tests, and the clouds of points they are made from.

#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <fairstream/numeric/detail/affinity/neighbour_graph.hpp>
#include <fairstream/numeric/detail/affinity/nystrom.hpp>
#include <fairstream/numeric/detail/affinity/rbf.hpp>

#include "support/matrices.hpp"

namespace fairstream::test {

/// Points, n x d. Unless stated otherwise, all coordinates are sixteenths below 64 in magnitude. Squared distances in
/// up to four dimensions are then exact in float32, so that an oracle in double sees the same neighbours.
struct Cloud {
    std::size_t d = 0;
    std::vector<float> rows;
    [[nodiscard]] std::size_t size() const { return rows.size() / d; }
};

enum class CloudKind { clusters, far_clusters, few_places, one_place, line, huge };
inline constexpr CloudKind cloud_kinds[] = {CloudKind::clusters,  CloudKind::far_clusters, CloudKind::few_places,
                                            CloudKind::one_place, CloudKind::line,         CloudKind::huge};

/// Appends a point. `huge` coordinates are no sixteenths, and reach the limit of features.
inline void add_point(Cloud& cloud, CloudKind kind, Random& random) {
    const auto sixteenths = [](float x) { return std::round(16 * x) / 16; };
    const std::uint32_t blob = random.below(3);
    for (std::size_t j = 0; j < cloud.d; ++j) {
        const float here = blob == j ? 1 : 0;
        switch (kind) {
            case CloudKind::clusters:
                cloud.rows.push_back(sixteenths(4.0F * here + std::clamp(normal(random), -4.0F, 4.0F)));
                break;
            case CloudKind::far_clusters:
                cloud.rows.push_back(sixteenths(50.0F * here + 0.3F * std::clamp(normal(random), -4.0F, 4.0F)));
                break;
            case CloudKind::few_places:
                cloud.rows.push_back(static_cast<float>(random.below(3)));
                break;
            case CloudKind::one_place:
                cloud.rows.push_back(-1.5F);
                break;
            case CloudKind::line:
                cloud.rows.push_back(j == 0 ? static_cast<float>(random.below(600)) / 16 : 0);
                break;
            case CloudKind::huge:
                cloud.rows.push_back(feature_limit * static_cast<float>(2 * random.unit() - 1));
                break;
        }
    }
}

inline Cloud cloud_of(CloudKind kind, std::size_t n, std::uint64_t seed, std::size_t d = 3) {
    Cloud cloud{d, {}};
    Random random(seed, static_cast<std::uint64_t>(kind));
    for (std::size_t i = 0; i < n; ++i) add_point(cloud, kind, random);
    return cloud;
}

struct PointAffinityKind {
    std::string name;
    bool sparse = false;  ///< products in double; else sums in float
    std::unique_ptr<PointAffinity> (*make)() = nullptr;
};

inline constexpr double test_bandwidth = 1.5;
inline constexpr std::size_t test_landmarks = 20;

/// Every kind of affinity of points.
inline const std::vector<PointAffinityKind>& point_affinities() {
    using AffinityPointer = std::unique_ptr<PointAffinity>;
    static const std::vector<PointAffinityKind> all{
        {"dense", false, []() -> AffinityPointer { return std::make_unique<DenseAffinity>(test_bandwidth); }},
        {"tiled", false, []() -> AffinityPointer { return std::make_unique<TiledAffinity>(test_bandwidth); }},
        {"nystrom", true,
         []() -> AffinityPointer { return std::make_unique<NystromAffinity>(test_bandwidth, test_landmarks, 7); }},
        {"knn", true, []() -> AffinityPointer { return std::make_unique<NeighbourGraph>(0, EdgeWeights{}); }},
        {"knn_rbf", true,
         []() -> AffinityPointer { return std::make_unique<NeighbourGraph>(0, EdgeWeights{test_bandwidth}); }},
        {"knn_3", true, []() -> AffinityPointer { return std::make_unique<NeighbourGraph>(3, EdgeWeights{}); }},
        {"knn_30", true, []() -> AffinityPointer { return std::make_unique<NeighbourGraph>(30, EdgeWeights{}); }}};
    return all;
}

/// Returns a new affinity of these points.
inline std::unique_ptr<PointAffinity> new_point_affinity(const PointAffinityKind& kind, const Cloud& cloud) {
    PackedPoints points;
    const std::vector<Slot> all = points.update(cloud.rows.data(), cloud.size(), cloud.d);
    auto affinity = kind.make();
    affinity->update(points, all);
    return affinity;
}

inline Matrix times(const Affinity& affinity, const Matrix& x) {
    Matrix out;
    affinity.multiply(x, out);
    return out;
}

/// Returns the entries of an affinity, exactly: each is a sum of one term.
inline Matrix entries_of(const Affinity& affinity) {
    return times(affinity, identity(affinity.rows()));
}

inline double squared_distance(const Cloud& cloud, std::size_t i, std::size_t j) {
    double sum = 0;
    for (std::size_t c = 0; c < cloud.d; ++c)
        sum += std::pow(double{cloud.rows[i * cloud.d + c]} - double{cloud.rows[j * cloud.d + c]}, 2);
    return sum;
}

}  // namespace fairstream::test
