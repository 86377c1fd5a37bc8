#pragma once
/// The columns of a file: their roles, and how their cells are written.

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

/// The roles of a file's columns. Columns that are not named are ignored.
struct Roles {
    std::vector<std::string> features = {};  ///< in this order; empty: all without another role, in the file's order
    std::vector<GroupColumn> groups = {};
    std::string target = {};                  ///< empty: none
    std::string id = {};                      ///< integers, or texts; empty: the 0-based number of the row
    std::string weight = {};                  ///< empty: all points weigh 1
    std::string time = {};                    ///< of the events; empty: none
    std::string event = {};                   ///< rows with the same text, one after another, are an event; empty: none
    std::string part = {};                    ///< 0, 1 or 2: which part of a split the row is in; empty: none
    std::string classes = {};                 ///< what the points are known to be; empty: none
    std::vector<std::string> left_out = {};   ///< columns that are no features, where `features` names none
    std::vector<std::string> set_aside = {};  ///< likewise, where the file has them
    std::vector<std::string> kept = {};       ///< columns whose cells are kept as they are, whatever else they are
    std::vector<std::string> needed = {};     ///< columns without whose cells, should one be missing, a row is left out
    bool needs_all = false;                   ///< whether all of features, groups, target and weight are needed
    /// Columns that JSON lines need not have, as all their cells may be missing; one feature at least they do need.
    std::vector<std::string> optional = {};
};

/// How cells are written, and what they become.
struct Formats {
    /// Kinds of the features, in their order, and which may be missing. A cell that is no level, blanks around it not
    /// counted, has the number after the last; the text of a hashed column the number of its bucket; a date the time
    /// since 1970 in its unit; a missing value is NaN. The names are not looked at. Empty: numbers, none missing.
    std::vector<FeatureColumn> described = {};
    ReaderSettings cells = {};                            ///< its `date_orders` are of the features
    DecimalMark usual_decimal_mark = DecimalMark::found;  ///< of delimited text, where that of `cells` is `found`
    DateOrder time_order = DateOrder::year_first;         ///< of times that are dates
    std::optional<TimeUnit> time_unit = {};               ///< of times that are numbers; empty: as `read_time` has it
    /// How far the time of an event may be ahead of this machine's clock; nothing: as far as it is.
    std::optional<std::chrono::microseconds> time_ahead = {};
    /// The target's cells that mean 1, all others meaning 0; nothing: the target is a number.
    std::optional<std::string> positive = {};
    bool targets_come_later = false;  ///< whether a target may be missing, which is NaN
    bool has_text_ids = false;        ///< whether ids stand for texts, of which there is a column
    bool scales_features = false;     ///< whether features are scaled before they are points, whose are bounded
};

/// Returns the names of the feature columns of a file. Throws `InvalidInput` where there is none, for columns of the
/// same name, and for a column left out that does not exist.
[[nodiscard]] std::vector<std::string> feature_names(const Reader& reader, const Roles& roles);

/// Opens a file that has these columns, or may have them later; without named features with all that it has.
/// `progress`, when given, is called now and then with the share of the file read ahead. Throws `InvalidInput`
/// (malformed) for a feature that is named twice or has another meaning, too.
[[nodiscard]] Reader open_reader(const InputFile& file, const Roles& roles,
                                 const std::function<void(double)>& progress = {});

/// Returns the columns that a point is made of, with these features.
[[nodiscard]] std::vector<std::string> names_of_all(const std::vector<std::string>& features, const Roles& roles);
/// Returns the columns that have a meaning other than a feature's, or none by wish. Borrows the names.
[[nodiscard]] std::unordered_set<std::string_view> no_features(const Roles& roles);

}  // namespace fairstream::files
