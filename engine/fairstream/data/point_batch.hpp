#pragma once
/// The format of a stream's points, and a borrowed view of points that arrive together.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fairstream/base/types.hpp>

namespace fairstream {

/// A protected attribute, such as sex, with the names of its groups. `GroupId` g is `groups[g]`.
struct Attribute {
    std::string name;
    std::vector<std::string> groups;
    /// Whether the last group is that of the points whose group is not known. They are clustered and scored as all
    /// others, and counted apart: no target and no fairness figure of this attribute is about them.
    bool has_unknown = false;

    /// Number of groups that targets and figures are about: the first ones.
    [[nodiscard]] std::size_t known_groups() const noexcept { return groups.size() - (has_unknown ? 1 : 0); }
    bool operator==(const Attribute&) const = default;
};

/// A column of a stream's features, as it is sent.
struct FeatureColumn {
    std::string name;
    /// The levels of a column of categories: value i stands for `levels[i]`, and any other whole number from 0 for a
    /// level that is not listed. Empty: a column of numbers.
    std::vector<std::string> levels = {};
    bool may_be_missing = false;  ///< whether NaN is allowed, for a value that is not there
    bool operator==(const FeatureColumn&) const = default;
};

/// A column of numbers that models see as it is sent, in the format of prepared points.
struct ColumnAsSent {
    std::string name;         ///< or, where columns have no names, the index that it is sent at
    std::uint32_t index = 0;  ///< among the prepared columns
    bool operator==(const ColumnAsSent&) const = default;
};

/// The shape of every point of a stream, fixed for the life of an engine.
struct StreamFormat {
    std::uint32_t dimensions = 0;             ///< d, in [1, 65536]
    std::vector<Attribute> attributes = {};   ///< a of them, each with 1 to 65535 groups
    bool has_targets = false;                 ///< whether each point carries one target value
    bool has_weights = false;                 ///< whether points may carry weights, 1 each where a batch brings none
    std::vector<FeatureColumn> columns = {};  ///< d; empty: numbers without names, none of which is missing
    /// Of points that are prepared, which have no `columns`: those that stayed as they are. Empty: points as they come.
    std::optional<std::vector<ColumnAsSent>> as_sent = std::nullopt;
    /// Whether a target may be NaN, for one that is not known yet, and come later by its point's id (`Outcomes`); of a
    /// stream with targets.
    bool targets_come_later = false;
    bool operator==(const StreamFormat&) const = default;
};

/// Throws `InvalidInput` when a range above is broken, or two attributes, two groups of one, two columns, or two levels
/// of one, share a name, or an attribute has no group beside the unknown one.
void check(const StreamFormat& format);

/// Returns the columns of numbers that are as they are sent, none of whose values may be missing.
[[nodiscard]] std::vector<ColumnAsSent> columns_as_sent(const StreamFormat& format);

/// Range of the weight of a point, so that sums of many are finite and none is lost in one.
inline constexpr double least_weight = 1e-15, largest_weight = 1e15;

/// Points that arrived together. Borrowed: valid only for the call that receives it.
struct PointBatch {
    std::span<const PointId> ids = {};     ///< n, no two alike
    ConstRows features = {};               ///< n x d, row-major, finite, or NaN where a column may be missing
    std::span<const GroupId> groups = {};  ///< n x a, row-major, one column per protected attribute
    std::span<const float> targets = {};   ///< n for streams with targets, otherwise empty; NaN where they come later
    /// Microseconds since the Unix epoch, as the producer says. It decides where the window goes by age.
    std::int64_t event_time = 0;
    std::span<const double> weights = {};  ///< n, in [least_weight, largest_weight]; empty: 1 each

    [[nodiscard]] std::size_t size() const noexcept { return ids.size(); }
    /// The points [first, first + count), all columns.
    [[nodiscard]] PointBatch slice(std::size_t first, std::size_t count) const;
};

/// Points that arrived together, in columns of its own; readers and tests fill it.
struct PointColumns {
    std::vector<PointId> ids;
    std::vector<float> features;
    std::vector<GroupId> groups;
    std::vector<float> targets;
    std::int64_t event_time = 0;
    std::vector<double> weights = {};

    [[nodiscard]] PointBatch view() const noexcept { return {ids, features, groups, targets, event_time, weights}; }
    void clear() noexcept;
    /// Adds points of the same format at the end, which have weights if those before have.
    void append(const PointBatch& points);
    bool operator==(const PointColumns&) const = default;
};

}  // namespace fairstream
