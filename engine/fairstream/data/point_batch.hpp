#pragma once
/// The format of a stream's points, and a borrowed view of points that arrive together.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fairstream/base/types.hpp>
#include <fairstream/data/texts.hpp>

namespace fairstream {

/// A protected attribute, such as sex, and its groups. `GroupId` g stands for `groups[g]`.
struct Attribute {
    std::string name;
    std::vector<std::string> groups;
    /// Whether the last group holds the points of unknown group. These points are clustered and scored like all others,
    /// but no target or fairness figure of this attribute includes them.
    bool has_unknown = false;

    /// Returns the number of groups that targets and figures include; these groups come first.
    [[nodiscard]] std::size_t known_groups() const noexcept { return groups.size() - (has_unknown ? 1 : 0); }
    bool operator==(const Attribute&) const = default;
};

/// The unit of a column of dates, sent as the time since 1970-01-01 00:00 UTC. A year has 365.2425 days.
enum class DateUnit : std::uint8_t { none, seconds, hours, days, years };
/// Returns the name of a unit, e.g. "days".
[[nodiscard]] std::string_view to_string(DateUnit unit) noexcept;
/// Returns the unit of this name, except none; nothing for other texts.
[[nodiscard]] std::optional<DateUnit> find_date_unit(std::string_view name) noexcept;

/// Range of `FeatureColumn::buckets` of a hashed column.
inline constexpr std::uint32_t least_buckets = 2, most_buckets = 65535;

/// A column of a stream's features before preparation: numbers, unless `levels`, `buckets` or `dates` says otherwise.
struct FeatureColumn {
    std::string name;
    /// The levels of a column of categories: value i stands for `levels[i]`, and any larger whole number for a level
    /// that is not listed. Empty: no levels are listed.
    std::vector<std::string> levels = {};
    bool may_be_missing = false;  ///< whether NaN is allowed, for a missing value
    /// Number of buckets of a hashed column of text. A value below this number is the bucket of a text: its XXH64 with
    /// seed 0, modulo the number of buckets. 0: not hashed.
    std::uint32_t buckets = 0;
    DateUnit dates = DateUnit::none;  ///< unit of a column of dates, which the engine treats as numbers

    /// Returns whether the values are the numbers of levels or of buckets.
    [[nodiscard]] bool is_category() const noexcept { return !levels.empty() || buckets > 0; }
    bool operator==(const FeatureColumn&) const = default;
};

/// A prepared column of numbers that is equal to the column as sent.
struct ColumnAsSent {
    std::string name;         ///< name of the column as sent; its index if columns have no names
    std::uint32_t index = 0;  ///< index among the prepared columns
    bool operator==(const ColumnAsSent&) const = default;
};

/// The shape of every point of a stream, fixed for the life of an engine.
struct StreamFormat {
    std::uint32_t dimensions = 0;             ///< d, in [1, 65536]
    std::vector<Attribute> attributes = {};   ///< a of them, each with 1 to 65535 groups
    bool has_targets = false;                 ///< whether each point carries one target value
    bool has_weights = false;                 ///< whether points may carry weights; 1 each if a batch has none
    std::vector<FeatureColumn> columns = {};  ///< d; empty: numbers without names, none missing
    /// Whether ids stand for texts, such as UUIDs, which come with the points. The engine numbers texts 1, 2, 3, ... as
    /// they first appear. A text that comes again after its point left gets a new number.
    bool has_text_ids = false;
    /// Whether the ids of texts are hashes computed by producers. A point is then refused while another text with the
    /// same hash is retained. For streams from before the engine numbered texts.
    bool ids_are_hashes = false;
    /// In the format of prepared points, which has no `columns`: the columns that preparation did not change. Empty in
    /// other formats.
    std::optional<std::vector<ColumnAsSent>> as_sent = std::nullopt;
    /// Whether a target may be unknown at first (NaN) and come later by its point's id (`Outcomes`). Needs targets.
    bool targets_come_later = false;

    /// Returns whether the engine numbers the texts that points are known by.
    [[nodiscard]] bool numbers_texts() const noexcept { return has_text_ids && !ids_are_hashes; }
    bool operator==(const StreamFormat&) const = default;
};

/// Throws `InvalidInput` if a value above is out of range, or if two attributes, two groups of one attribute, two
/// columns, or two levels of one column share a name. Also if an attribute has only the unknown group, or a column has
/// two kinds.
void check(const StreamFormat& format);

/// Returns whether the values of a column as sent are numbers, neither categories nor dates, and none is missing.
[[nodiscard]] bool is_of_numbers(const StreamFormat& format, std::size_t column) noexcept;
/// Returns the columns as sent for which `is_of_numbers` holds.
[[nodiscard]] std::vector<ColumnAsSent> columns_as_sent(const StreamFormat& format);

/// Range of the weight of a point, so that sums of many weights are finite and no single weight vanishes in them.
inline constexpr double least_weight = 1e-15, largest_weight = 1e15;

/// Largest length of a text id, in bytes; the least is 1.
inline constexpr std::size_t longest_id_text = 1024;

/// Points that arrived together. Borrowed: valid only for the call that receives it.
struct PointBatch {
    /// n, no two equal; not read, and may be empty, on streams whose texts the engine numbers
    std::span<const PointId> ids = {};
    ConstRows features = {};               ///< n x d, row-major, finite; NaN where a column may be missing
    std::span<const GroupId> groups = {};  ///< n x a, row-major, one column per protected attribute
    std::span<const float> targets = {};   ///< n for streams with targets, otherwise empty; NaN if still unknown
    /// Microseconds since the Unix epoch, as the producer sets it. Used by windows whose points leave by age.
    std::int64_t event_time = 0;
    std::span<const double> weights = {};  ///< n, in [least_weight, largest_weight]; empty: 1 each
    TextSpan id_texts = {};                ///< n, no two equal, for streams with text ids; otherwise empty

    [[nodiscard]] std::size_t size() const noexcept { return ids.empty() ? id_texts.size() : ids.size(); }
    /// Returns points [first, first + count), all columns.
    [[nodiscard]] PointBatch slice(std::size_t first, std::size_t count) const;
};

/// Points that arrived together, in owned columns; readers and tests fill it.
struct PointColumns {
    std::vector<PointId> ids;
    std::vector<float> features;
    std::vector<GroupId> groups;
    std::vector<float> targets;
    std::int64_t event_time = 0;
    std::vector<double> weights = {};
    TextColumn id_texts = {};

    [[nodiscard]] PointBatch view() const noexcept {
        return {ids, features, groups, targets, event_time, weights, id_texts.view()};
    }
    void clear() noexcept;
    /// Appends points of the same format; they must have weights if the present points have weights.
    void append(const PointBatch& points);
    bool operator==(const PointColumns&) const = default;
};

}  // namespace fairstream
