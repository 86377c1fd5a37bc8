#pragma once
/// The points of a file, one by one and in batches.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <fairstream/csv/bad_rows.hpp>
#include <fairstream/csv/classes.hpp>
#include <fairstream/csv/columns.hpp>
#include <fairstream/csv/feature_remarks.hpp>
#include <fairstream/csv/groups.hpp>
#include <fairstream/csv/reader.hpp>
#include <fairstream/csv/remarks.hpp>
#include <fairstream/csv/span_of_time.hpp>
#include <fairstream/csv/stand_ins.hpp>
#include <fairstream/csv/text_hash.hpp>
#include <fairstream/data/point_batch.hpp>

namespace fairstream::csv {

/// The largest magnitude of a value in a file: as float32 it is `feature_limit`, which is a little below.
inline constexpr double largest_value = 1e15;

/// One row, with the precision of the file.
struct PointRow {
    PointId id = 0;                ///< the number of the row where ids are texts, or there is no column of them
    std::uint64_t number = 0;      ///< of the row in the file, from 0; rows that are left out have numbers, too
    std::string id_text = {};      ///< by which the point is known; empty where ids are integers
    std::vector<double> features;  ///< d; NaN: missing
    std::vector<GroupId> groups;   ///< a
    double target = 0;             ///< 0 without a target column
    double weight = 1;             ///< 1 without a weight column
    std::int64_t time = 0;         ///< microseconds since the Unix epoch; 0 without a time column
    std::uint8_t part = 0;         ///< 0 without a part column
    ClassId of_class = 0;          ///< 0 without a column of classes
    std::string kept = {};         ///< cells of `Columns::kept`, as a line of CSV has them
};

/// Returns the bucket that a text without blanks around it is hashed into.
[[nodiscard]] std::uint32_t bucket_of(std::string_view text, std::uint32_t buckets);

/// Return the id in a column of the current row, an integer or a text. Throw `InvalidInput` where it is none.
[[nodiscard]] PointId read_id(const Reader& reader, std::size_t column);
[[nodiscard]] std::string_view read_id_text(const Reader& reader, std::size_t column);

/// How long points of a pipe wait for further ones, where others wait for them.
inline constexpr std::chrono::milliseconds longest_pause{500};

/// Reads points one after another; never more than a row in memory.
class PointReader {
public:
    /// Throws `InvalidInput` for columns that are unknown or named twice in one role, no feature column, and bad
    /// content.
    /// "-" is standard input. A pipe is copied to a temporary file where groups are to be found (`InputFile`).
    PointReader(const std::filesystem::path& path, const Columns& columns);
    PointReader(const InputFile& file, const Columns& columns);

    [[nodiscard]] const StreamFormat& format() const noexcept { return format_; }
    [[nodiscard]] const std::vector<std::string>& features() const noexcept { return features_; }  ///< d names

    /// Reads the next point; returns false when there is none. Throws `InvalidInput` naming file, line and column for a
    /// row that cannot be used and may not be left out (`Columns::bad_rows`).
    [[nodiscard]] bool next(PointRow& row);
    /// Puts the next `count` points, or all that are left, are of one event or come before an id that is among them,
    /// into `out` and returns their number. Features and targets must not be above `feature_limit`. The event's time is
    /// the latest of the points'.
    [[nodiscard]] std::size_t read(std::size_t count, PointColumns& out);
    /// Makes `read` return the points that it has where a pipe brings no further one for `longest_pause`, but for an
    /// event of the file's own, which is waited for; and where `stops` says so while it waits: then 0 for the rest of
    /// an event.
    void set_stop(std::function<bool()> stops) { stops_ = std::move(stops); }
    /// How many rows there are, and how many of them cannot be used.
    struct RowCounts {
        std::uint64_t bad = 0, all = 0;
    };
    /// Reads on to the end of the file, after an error too, and counts its rows; nothing where it cannot be read on.
    /// Neither `next` nor `read` may be called afterwards.
    [[nodiscard]] std::optional<RowCounts> count_rows();

    /// Counts them, too, and returns " (3 of 800 rows cannot be used)"; nothing where that is not known, or none is
    /// bad.
    [[nodiscard]] std::string bad_rows_text();

    /// Returns `PointRow::kept` of the points that `read` returned last, where it returned any; empty where no columns
    /// are kept.
    [[nodiscard]] const std::vector<std::string>& kept() const noexcept { return kept_; }

    [[nodiscard]] double progress() const noexcept { return reader_.progress(); }
    [[nodiscard]] bool has_times() const noexcept;
    /// Returns what was noticed so far.
    [[nodiscard]] Remarks remarks() const;
    [[nodiscard]] bool has_classes() const noexcept { return classes_.has_value(); }

private:
    void use_only_named(const Columns& columns);
    void keep_cells(std::string& kept) const;
    void note_other_columns(const Columns& columns);
    bool read_row(PointRow& row);
    void look_for_total();
    bool comes(PointColumns& out) const;
    void add(PointColumns& out);
    [[nodiscard]] bool is_among_next() const;
    [[nodiscard]] bool has_needed_cells();
    [[nodiscard]] double feature(std::size_t i);
    [[nodiscard]] double date(std::size_t column, const FeatureColumn& about);
    [[noreturn]] void refuse_order(std::size_t column, DateOrder order, const std::string& reading) const;
    [[nodiscard]] double target() const;
    [[nodiscard]] std::int64_t time();
    void require_likely_unit() const;
    void require_no_later(std::int64_t time);
    [[nodiscard]] double weight() const;
    void require_bounded(double value, std::size_t column) const;
    [[nodiscard]] std::uint8_t part() const;

    Reader reader_;
    std::function<bool()> stops_;  // empty: `read` waits for as long as it takes
    BadRows bad_rows_;
    std::vector<std::string> features_;
    std::vector<std::size_t> feature_columns_;  // d
    std::size_t target_column_;                 // `none` without one
    std::size_t id_column_;
    std::size_t weight_column_;
    std::size_t time_column_;
    std::size_t part_column_;
    std::size_t event_column_;
    std::vector<std::size_t> kept_columns_;
    std::optional<ClassReader> classes_;
    GroupReader groups_;
    Remedies remedies_, remedies_of_target_;
    StreamFormat format_;
    std::vector<std::unordered_map<std::string, std::uint32_t, TextHash, std::equal_to<>>> levels_;  // d, or empty
    std::optional<FeatureRemarks> of_features_;
    std::optional<TimeUnit> time_unit_;  // as given
    std::optional<std::chrono::microseconds> time_ahead_;
    std::int64_t latest_time_ = std::numeric_limits<std::int64_t>::min();  // that may come, when last looked at
    DateOrder date_order_;
    bool targets_come_later_;  // which are outcomes
    std::optional<std::string> positive_;
    UnlistedCells negative_;        // texts of targets that are not `positive_`
    StandIns stand_ins_of_target_;  // of targets that are numbers
    std::vector<std::size_t> needed_;
    std::vector<RowsWithout> left_out_;     // by needed column
    std::vector<std::string> passed_over_;  // columns of the file
    SpanOfTime span_;
    std::map<std::size_t, std::string> dates_ahead_;  // by column, the first one by a year of two digits
    std::uint64_t rows_ = 0;                          // so far, those that are left out and those of a wrong form too
    bool bounds_features_;                  // to those of points, while features of a table may be scaled first
    std::unordered_set<PointId> together_;  // ids of the points that `read` returns next
    std::unordered_set<std::string, TextHash, std::equal_to<>> texts_together_;  // likewise, where they are texts
    std::vector<std::size_t> wordy_;                                             // columns that may hold text
    std::optional<TotalCell> total_;  // of the last row, if it is one of totals
    std::vector<std::string> kept_;   // of the points that `read` returns next
    PointRow row_;
    bool is_ahead_ = false;  // `row_` is the first of another event or has an id again, and is in no batch yet
    std::string event_;      // of `row_`
};

}  // namespace fairstream::csv
