#pragma once
/// The columns of a file: their roles, and the format of their cells.

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include <fairstream/data/point_batch.hpp>
#include <fairstream/files/columns/groups.hpp>
#include <fairstream/files/rows/reader.hpp>

namespace fairstream::files {

/// The roles of a file's columns. Other columns are ignored.
struct Roles {
    std::vector<std::string> features = {};  ///< in this order; empty: all without another role, in the file's order
    std::vector<GroupColumn> groups = {};
    std::string target = {};                            ///< empty: none
    std::string id = {};                                ///< integers, or texts; empty: the 0-based number of the row
    std::string weight = {};                            ///< empty: all points weigh 1
    std::string time = {};                              ///< time column of the events; empty: none
    std::string event = {};                             ///< adjacent rows with the same text form an event; empty: none
    std::string part = {};                              ///< 0, 1 or 2: which part of a split the row is in; empty: none
    std::string classes = {};                           ///< true classes of the points; empty: none
    std::vector<std::string> left_out = {};             ///< columns that are not features, if `features` is empty
    std::vector<std::string> left_out_if_present = {};  ///< as `left_out`, but the columns need not exist
    std::vector<std::string> kept = {};    ///< columns whose cells are kept as text, besides any other role
    std::vector<std::string> needed = {};  ///< rows that lack a value in one of these are left out
    bool needs_all = false;                ///< whether features, groups, target and weight are all needed
    /// Columns that JSON lines may lack, as all their cells may be missing. At least one feature must be present.
    std::vector<std::string> optional = {};
};

/// The format of cells, and what they become.
struct Formats {
    /// Kinds of the features, in their order, and which may be missing. Names are ignored. A cell without blanks around
    /// it becomes a number: a level its index, any other text the number after the last level; a text of a hashed
    /// column its bucket; a date the time since 1970 in its unit; a missing value NaN. Empty: numbers, none missing.
    std::vector<FeatureColumn> described = {};
    ReaderSettings cells = {};                            ///< its `date_orders` are by feature
    DecimalMark usual_decimal_mark = DecimalMark::found;  ///< for delimited text, when the mark of `cells` is `found`
    DateOrder time_order = DateOrder::year_first;         ///< for times that are dates
    std::optional<TimeUnit> time_unit = {};               ///< for times that are numbers; nothing: as in `read_time`
    /// How far an event's time may be ahead of this machine's clock; nothing: no limit.
    std::optional<std::chrono::microseconds> time_ahead = {};
    /// The text of a target that means 1; all others mean 0. Nothing: the target is a number.
    std::optional<std::string> positive = {};
    bool targets_come_later = false;  ///< whether a target may be missing; it is NaN then
    bool has_text_ids = false;        ///< whether ids are texts, from a column
    bool scales_features = false;     ///< whether features are scaled before the bounds of points are checked
};

/// Returns the names of a file's feature columns. Throws `InvalidInput` when there is none, for columns of the same
/// name, and for a column to leave out that does not exist.
[[nodiscard]] std::vector<std::string> feature_names(const Reader& reader, const Roles& roles);

/// Opens a file with the columns of `roles`; without named features, with all its columns. Later JSON lines may add
/// such columns. `progress`, if given, is called now and then with the share of the file read ahead. Throws
/// `InvalidInput` (malformed), also for a feature that is named twice or has another role.
[[nodiscard]] Reader open_reader(const InputFile& file, const Roles& roles,
                                 const std::function<void(double)>& progress = {});

/// Returns the columns that make up a point with these features.
[[nodiscard]] std::vector<std::string> columns_of_point(const std::vector<std::string>& features, const Roles& roles);
/// Returns the columns that are not features, by their role or by choice. Borrows the names.
[[nodiscard]] std::unordered_set<std::string_view> non_feature_columns(const Roles& roles);

}  // namespace fairstream::files
