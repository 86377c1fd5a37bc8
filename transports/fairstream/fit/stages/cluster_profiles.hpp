#pragma once
/// Profiles of the clusters of a fit in its report, in a table for people, and as CSV: how many points each cluster
/// has, how groups share it, and what sets it apart (`FeatureProfiles`).

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <fairstream/base/types.hpp>
#include <fairstream/data/point_batch.hpp>
#include <fairstream/fairness/tally.hpp>
#include <fairstream/fit/stages/feature_profiles.hpp>

namespace fairstream::fit {

/// The clustering, and the features, that profiles are made of; borrows its members.
struct Profiled {
    const FairnessTally& tally;
    std::span<const Attribute> attributes;           ///< a
    const std::optional<FeatureProfiles>& features;  ///< empty: the points have none, as nodes
};

/// Adds `profiles` and `profile_of_all`.
void add_profiles(const Profiled& profiled, nlohmann::ordered_json& json);
/// Returns `profiles` as CSV, a line for each cluster. A key within an object is named by both, with a point between,
/// as pandas' `json_normalize` names it; what sets a cluster apart is one cell of text.
[[nodiscard]] std::string profiles_csv(const Profiled& profiled);

/// Returns the clusters that tables show, rising: all of them, or of many the largest.
[[nodiscard]] std::vector<ClusterId> shown_clusters(const FairnessTally& tally);
/// Returns a line on the clusters that tables do not show; empty where they show all.
[[nodiscard]] std::string more_clusters_line(const FairnessTally& tally);
/// Returns what sets the shown clusters apart, a line for each, with an empty line before; empty without features, and
/// for a single cluster, which is all points.
[[nodiscard]] std::string distinctions_table(const Profiled& profiled);

}  // namespace fairstream::fit
