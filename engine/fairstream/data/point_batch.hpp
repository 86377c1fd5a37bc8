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

/// The unit of a column of dates, which are sent as the time since 1970-01-01 00:00 UTC. A year has 365.2425 days.
enum class DateUnit : std::uint8_t { none, seconds, hours, days, years };
/// Returns the name of a unit, "days".
[[nodiscard]] std::string_view to_string(DateUnit unit) noexcept;
/// Returns the unit, but for none, of this name; nothing for other text.
[[nodiscard]] std::optional<DateUnit> find_date_unit(std::string_view name) noexcept;

/// Range of `FeatureColumn::buckets` of a column that is hashed.
inline constexpr std::uint32_t least_buckets = 2, most_buckets = 65535;

/// A column of a stream's features, as it is sent: numbers unless one of `levels`, `buckets` and `dates` says
/// otherwise.
struct FeatureColumn {
    std::string name;
    /// The levels of a column of categories: value i stands for `levels[i]`, and any other whole number from 0 for a
    /// level that is not listed. Empty: none are listed.
    std::vector<std::string> levels = {};
    bool may_be_missing = false;  ///< whether NaN is allowed, for a value that is not there
    /// Number of buckets of a column of text that is hashed: value i, below it, stands for every text whose XXH64, of
    /// seed 0, leaves the remainder i. 0: not hashed.
    std::uint32_t buckets = 0;
    DateUnit dates = DateUnit::none;  ///< of a column of dates; the engine takes them as numbers

    /// Says whether its values are numbers of levels or buckets.
    [[nodiscard]] bool is_category() const noexcept { return !levels.empty() || buckets > 0; }
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
    /// Says whether ids stand for texts, such as UUIDs, which come with the points. The engine numbers texts as they
    /// first appear, 1, 2, 3, ...; one that comes again after its point left gets a new number.
    bool has_text_ids = false;
    /// Says whether the ids of texts are hashes, which producers work out: a point is then refused while another text
    /// with its hash is retained. Of streams that began before engines numbered texts.
    bool ids_are_hashes = false;
    /// Columns that preparation left as they are, of prepared points, which have no `columns`. Empty: points as they
    /// come.
    std::optional<std::vector<ColumnAsSent>> as_sent = std::nullopt;
    /// Says whether a target may be NaN, for one not known yet, and come later by its point's id (`Outcomes`); of a
    /// stream with targets.
    bool targets_come_later = false;

    /// Says whether points are known by their texts, and the engine numbers these.
    [[nodiscard]] bool numbers_texts() const noexcept { return has_text_ids && !ids_are_hashes; }
    bool operator==(const StreamFormat&) const = default;
};

/// Throws `InvalidInput` when a range above is broken, or two attributes, two groups of one, two columns, or two levels
/// of one, share a name, an attribute has no group beside the unknown one, or a column is of two kinds.
void check(const StreamFormat& format);

/// Says whether the values of a column as it is sent are numbers, neither categories nor dates, and none is missing.
[[nodiscard]] bool is_of_numbers(const StreamFormat& format, std::size_t column) noexcept;
/// Returns the columns of numbers that are as they are sent, none of whose values may be missing.
[[nodiscard]] std::vector<ColumnAsSent> columns_as_sent(const StreamFormat& format);

/// Range of the weight of a point, so that sums of many are finite and none is lost in one.
inline constexpr double least_weight = 1e-15, largest_weight = 1e15;

/// Most bytes of a text that an id stands for; at least 1.
inline constexpr std::size_t longest_id_text = 1024;

/// Points that arrived together. Borrowed: valid only for the call that receives it.
struct PointBatch {
    /// n, no two alike; of streams whose texts the engine numbers they may be left out, and are not looked at
    std::span<const PointId> ids = {};
    ConstRows features = {};               ///< n x d, row-major, finite, or NaN where a column may be missing
    std::span<const GroupId> groups = {};  ///< n x a, row-major, one column per protected attribute
    std::span<const float> targets = {};   ///< n for streams with targets, otherwise empty; NaN where they come later
    /// Microseconds since the Unix epoch, as the producer says. It decides where the window goes by age.
    std::int64_t event_time = 0;
    std::span<const double> weights = {};  ///< n, in [least_weight, largest_weight]; empty: 1 each
    TextSpan id_texts = {};                ///< n, no two alike, for streams with text ids; otherwise empty

    [[nodiscard]] std::size_t size() const noexcept { return ids.empty() ? id_texts.size() : ids.size(); }
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
    TextColumn id_texts = {};

    [[nodiscard]] PointBatch view() const noexcept {
        return {ids, features, groups, targets, event_time, weights, id_texts.view()};
    }
    void clear() noexcept;
    /// Adds points of the same format at the end, which have weights if those before have.
    void append(const PointBatch& points);
    bool operator==(const PointColumns&) const = default;
};

}  // namespace fairstream
