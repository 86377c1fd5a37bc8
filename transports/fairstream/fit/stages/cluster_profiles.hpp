#pragma once
/// Profiles of the clusters of a fit, for its report, as a table for people, and as CSV: the size of each cluster, its
/// shares of groups, and what sets it apart (`FeatureProfiles`).

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

/// The clustering and the features to profile; borrows its members.
struct Profiled {
    const FairnessTally& tally;
    std::span<const Attribute> attributes;           ///< a
    const std::optional<FeatureProfiles>& features;  ///< nothing: points without features, such as nodes
};

/// Adds `profiles` and `profile_of_all`.
void add_profiles(const Profiled& profiled, nlohmann::ordered_json& json);
/// Returns `profiles` as CSV, a line for each cluster. Keys of nested objects are joined by a point, as in pandas'
/// `json_normalize`; what sets a cluster apart is one cell of text.
[[nodiscard]] std::string profiles_csv(const Profiled& profiled);

/// Returns the clusters that tables show, rising: all, or the largest if there are many.
[[nodiscard]] std::vector<ClusterId> shown_clusters(const FairnessTally& tally);
/// Returns a line on the clusters that tables leave out; empty if they show all.
[[nodiscard]] std::string more_clusters_line(const FairnessTally& tally);
/// Returns an empty line, then for each shown cluster a line on what sets it apart. Empty without features, and for a
/// single cluster, which holds all points.
[[nodiscard]] std::string distinctions_table(const Profiled& profiled);

}  // namespace fairstream::fit
