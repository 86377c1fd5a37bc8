#pragma once
/// A stream of well separated clusters.

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "support/model_bench.hpp"

namespace fairstream::test {

/// Distant blobs of equal size; the groups of every attribute have the same distribution in each. `blob(id)` is the
/// blob of a point.
struct SeparatedStream {
    StreamFormat format;
    std::uint32_t blobs = 4;
    [[nodiscard]] std::uint32_t blob(PointId id) const { return static_cast<std::uint32_t>(id % blobs); }
    [[nodiscard]] PointColumns points(PointId first, std::size_t n) const {
        PointColumns columns;
        for (PointId id = first; id < first + n; ++id) {
            Random random(id, 11);
            columns.ids.push_back(id);
            const auto turn = blob(id) / format.dimensions;
            const float place = 20 * static_cast<float>(1 + turn);
            for (std::uint32_t j = 0; j < format.dimensions; ++j)
                columns.features.push_back((blob(id) % format.dimensions == j ? place : 0.0F) + normal(random));
            for (const Attribute& attribute : format.attributes)
                columns.groups.push_back(
                    static_cast<GroupId>(random.below(static_cast<std::uint32_t>(attribute.groups.size()))));
        }
        return columns;
    }
    /// Returns points with equal numbers of each group in each blob, so that clustering by blobs is fair. `first` and n
    /// are multiples of the number of blobs.
    [[nodiscard]] PointColumns fair_points(PointId first, std::size_t n) const {
        PointColumns columns = points(first, n);
        const std::size_t attributes = format.attributes.size();
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t a = 0; a < attributes; ++a)
                columns.groups[i * attributes + a] =
                    static_cast<GroupId>(columns.ids[i] / blobs % format.attributes[a].groups.size());
        return columns;
    }
};

/// Returns the label of each blob. Expects a single label in each blob, and different labels in different blobs.
template <class Model>
std::map<std::uint32_t, ClusterId> labels_of_blobs(const ModelBench<Model>& bench, const SeparatedStream& stream) {
    std::map<std::uint32_t, ClusterId> labels;
    std::set<ClusterId> all;
    for (Slot slot = 0; slot < bench.window.size(); ++slot) {
        const auto [at, _] = labels.emplace(stream.blob(bench.window.id(slot)), bench.state.labels[slot]);
        EXPECT_EQ(at->second, bench.state.labels[slot]) << "blob " << at->first;
        all.insert(bench.state.labels[slot]);
    }
    EXPECT_EQ(all.size(), labels.size());
    return labels;
}

}  // namespace fairstream::test
