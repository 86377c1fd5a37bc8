#pragma once
/// How many points each group has, and what they weigh, as targets see it.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fairstream/data/window.hpp>
#include <fairstream/fairness/tally.hpp>

namespace fairstream {

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

}  // namespace fairstream
