#pragma once
/// Number and weight of the points of each group, which decide the demands of targets.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fairstream/data/window.hpp>
#include <fairstream/fairness/tally.hpp>

namespace fairstream {

/// Points by attribute of the stream and group: `totals[a][j]`.
using GroupTotals = std::vector<std::vector<std::int64_t>>;
/// Count points by their groups: of a table, points x attributes row-major; of a tally; of the retained points.
[[nodiscard]] GroupTotals group_totals(std::span<const GroupId> table, std::span<const Attribute> attributes);
[[nodiscard]] GroupTotals group_totals(const FairnessTally& tally);
[[nodiscard]] GroupTotals group_totals(const Window& window);

/// Weights of points by attribute and group. The unit is the weight in the window of a point of weight 1 that comes
/// now, so these are numbers of points if each weighs 1.
struct GroupMasses {
    GroupMasses() = default;
    /// Takes numbers of points of weight 1. Targets cover the first `known_groups[a]` groups of attribute a; empty: all
    /// groups.
    // NOLINTBEGIN(google-explicit-constructor): numbers of points convert to weights on purpose.
    GroupMasses(std::span<const std::vector<std::int64_t>> totals, std::vector<int> known_groups = {});
    GroupMasses(const GroupTotals& totals) : GroupMasses(std::span(totals)) {}
    // NOLINTEND(google-explicit-constructor)

    [[nodiscard]] bool empty() const noexcept { return by_group.empty(); }
    /// Returns the weights of the groups of an attribute that targets cover.
    [[nodiscard]] std::span<const double> of(std::size_t attribute) const {
        const std::vector<double>& all = by_group[attribute];
        return std::span(all).first(known.empty() ? all.size() : static_cast<std::size_t>(known[attribute]));
    }

    std::vector<std::vector<double>> by_group;  ///< masses of all groups
    std::vector<int> known;                     ///< number of known groups of each attribute; empty: all
    /// Marks of the groups that counted at the last step (`FairnessTally::counted`); needed only if `rare_below` has
    /// two values.
    std::vector<std::uint8_t> counted;
};
/// Return the weights of the points of a tally, or of the retained points. `weight_unit` as `Window::weight_unit`.
[[nodiscard]] GroupMasses group_masses(const FairnessTally& tally, double weight_unit = 1);
[[nodiscard]] GroupMasses group_masses(const Window& window);
/// Converts numbers of points to weights.
[[nodiscard]] GroupMasses group_masses(const GroupTotals& totals, std::span<const Attribute> attributes);

}  // namespace fairstream
