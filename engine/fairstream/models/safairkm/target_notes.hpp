#pragma once
/// Notes for people on the targets of safairkm: which no clustering of some points can meet, which were missed, and
/// which groups were left out of them.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fairstream/data/window.hpp>
#include <fairstream/fairness/tally.hpp>
#include <fairstream/models/safairkm/safairkm.hpp>

namespace fairstream::safairkm {

/// Points by attribute of the stream and group: `totals[a][j]`.
using GroupTotals = std::vector<std::vector<std::int64_t>>;
/// Count points by their groups, points x attributes row-major, those in a tally, or those retained.
[[nodiscard]] GroupTotals group_totals(std::span<const GroupId> table, std::span<const Attribute> attributes);
[[nodiscard]] GroupTotals group_totals(const FairnessTally& tally);
[[nodiscard]] GroupTotals group_totals(const Window& window);

/// What points weigh by attribute and group, as targets see it: numbers of points where each weighs 1.
struct GroupMasses {
    GroupMasses() = default;
    /// Takes numbers of points of weight 1. `known_groups[a]`: how many groups of attribute a targets are about, the
    /// first ones; empty: all.
    // NOLINTBEGIN(google-explicit-constructor): numbers of points are meant to be weights.
    GroupMasses(std::span<const std::vector<std::int64_t>> totals, std::vector<int> known_groups = {});
    GroupMasses(const GroupTotals& totals) : GroupMasses(std::span(totals)) {}
    // NOLINTEND(google-explicit-constructor)

    [[nodiscard]] bool empty() const noexcept { return by_group.empty(); }
    /// The groups of an attribute that targets are about.
    [[nodiscard]] std::span<const double> of(std::size_t attribute) const {
        const std::vector<double>& all = by_group[attribute];
        return std::span(all).first(known.empty() ? all.size() : static_cast<std::size_t>(known[attribute]));
    }

    std::vector<std::vector<double>> by_group;  ///< of all groups, in points of weight 1 that come now
    std::vector<int> known;                     ///< of each attribute; empty: all
    /// `FairnessTally::counted`, which two numbers of `rare_below` need.
    std::vector<std::uint8_t> counted;
};
/// Weigh the points in a tally, or those retained. `weight_unit` as `Window::weight_unit`.
[[nodiscard]] GroupMasses group_masses(const FairnessTally& tally, double weight_unit = 1);
[[nodiscard]] GroupMasses group_masses(const Window& window);
/// Puts numbers of points in the form of their weights.
[[nodiscard]] GroupMasses group_masses(const GroupTotals& totals, std::span<const Attribute> attributes);

/// A note on one target.
struct TargetNote {
    std::string_view option;  ///< that asks for it; lives as long as the program
    int attribute = -1;       ///< index in the stream's format; -1: the target is of sizes
    std::string text;         ///< one line that names the value asked for, and why or by what it is missed
};

/// Lists the targets that no clustering of these points meets, by their counts alone: with up to 512 points in the
/// smallest group a balance beyond what whole points allow is among them. None listed does not mean that all can be
/// met.
[[nodiscard]] std::vector<TargetNote> unattainable_targets(const Options& options, const StreamFormat& format,
                                                           const GroupTotals& totals, std::int64_t points);

/// Does so for the retained points with their weights. Those are taken to be divisible, so that fewer is proved of
/// them.
[[nodiscard]] std::vector<TargetNote> unattainable_targets(const Options& options, const Window& window);

/// Lists the targets that the clusters of `tally` miss. Its weights are in `weight_unit`, as `Window::weight_unit`.
[[nodiscard]] std::vector<TargetNote> missed_targets(const Options& options, const StreamFormat& format,
                                                     const FairnessTally& tally, double weight_unit = 1);

/// Returns how a solve ended whose labels are in `tally`: as the search for them did, `solved`, where they meet all
/// targets, `unattainable` where the counts of the points prove that one that is missed cannot be met, and `stalled`
/// otherwise.
[[nodiscard]] Outcome outcome_of_labels(Outcome solved, const Options& options, const Window& window,
                                        const FairnessTally& tally);
[[nodiscard]] Outcome outcome_of_labels(Outcome solved, const Options& options, const StreamFormat& format,
                                        const GroupTotals& totals, std::int64_t points, const FairnessTally& tally);

/// Says whether the options ask for a target of a stream with so many attributes; it then replaces the number of swaps.
[[nodiscard]] bool has_target(const Options& options, std::size_t attributes);

/// Returns the parity that is asked for by default, when nothing else is; empty: the options say what they ask for, or
/// the stream has no protected attribute.
[[nodiscard]] std::optional<double> default_parity(const Options& options, const StreamFormat& format);

/// Returns the first option that asks for something of groups, such as "balance_at_least"; empty: none does.
[[nodiscard]] std::string_view option_on_groups(const Options& options);

/// A group of a balanced attribute that is too rare to count for its target.
struct LeftOutGroup {
    int attribute = 0;  ///< index in the stream's format
    GroupId group = 0;
    std::int64_t points = 0;  ///< of weight 1 that would weigh as much, rounded
};
/// Lists those of known groups.
[[nodiscard]] std::vector<LeftOutGroup> left_out_groups(const Options& options, const GroupMasses& masses);

}  // namespace fairstream::safairkm
