#pragma once
/// The points of a file, one by one and in batches.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <fairstream/data/point_batch.hpp>
#include <fairstream/files/cells/text_hash.hpp>
#include <fairstream/files/columns/classes.hpp>
#include <fairstream/files/columns/columns.hpp>
#include <fairstream/files/columns/feature_remarks.hpp>
#include <fairstream/files/columns/groups.hpp>
#include <fairstream/files/columns/remarks.hpp>
#include <fairstream/files/points/span_of_time.hpp>
#include <fairstream/files/rows/bad_rows.hpp>
#include <fairstream/files/rows/reader.hpp>

namespace fairstream::files {

/// Largest magnitude of a value in a file. As float32 it is `feature_limit`, slightly less.
inline constexpr double largest_value = 1e15;

/// One row, in the precision of the file.
struct PointRow {
    PointId id = 0;                ///< number of the row if ids are texts, or have no column
    std::uint64_t number = 0;      ///< index of the row in the file, from 0; rows left out count, too
    std::string id_text = {};      ///< id as text; empty if ids are integers
    std::vector<double> features;  ///< d; NaN: missing
    std::vector<GroupId> groups;   ///< a
    double target = 0;             ///< 0 without a target column
    double weight = 1;             ///< 1 without a weight column
    std::int64_t time = 0;         ///< microseconds since the Unix epoch; 0 without a time column
    std::uint8_t part = 0;         ///< 0 without a part column
    ClassId true_class = 0;        ///< 0 without a column of classes
    std::string kept = {};         ///< cells of `Roles::kept`, as part of a CSV line
};

/// Returns the bucket that a text, without blanks around it, is hashed into.
[[nodiscard]] std::uint32_t bucket_of(std::string_view text, std::uint32_t buckets);

/// Return the id in a column of the current row: an integer, or a text. Throw `InvalidInput` for other cells.
[[nodiscard]] PointId read_id(const Reader& reader, std::size_t column);
[[nodiscard]] std::string_view read_id_text(const Reader& reader, std::size_t column);

/// Longest time that points of a pipe wait for further points.
inline constexpr std::chrono::milliseconds longest_pause{500};

/// Reads points one by one; holds at most one row in memory.
class PointReader {
public:
    /// Throws `InvalidInput` for columns that are unknown or named twice in one role, for a lack of feature columns,
    /// and for malformed content. "-" is standard input. A pipe is copied to a temporary file if groups must be found
    /// (`InputFile`).
    PointReader(const std::filesystem::path& path, const Roles& roles, const Formats& formats = {},
                const BadRowPolicy& bad_rows = {});
    PointReader(const InputFile& file, const Roles& roles, const Formats& formats = {},
                const BadRowPolicy& bad_rows = {});

    [[nodiscard]] const StreamFormat& format() const noexcept { return format_; }
    [[nodiscard]] const std::vector<std::string>& features() const noexcept { return features_; }  ///< d names

    /// Reads the next point; returns false at the end. Throws `InvalidInput`, naming file, line and column, for an
    /// unusable row that may not be left out (`BadRow`).
    [[nodiscard]] bool next(PointRow& row);
    /// Puts up to `count` points into `out` and returns their number. The batch ends early at the end of the file, at
    /// the end of an event, and before an id that it already has. Features and targets must not exceed `feature_limit`
    /// in magnitude. The event's time is the latest time of its points.
    [[nodiscard]] std::size_t read(std::size_t count, PointColumns& out);
    /// Makes `read` of a pipe return early. It returns the points read so far when no further one comes for
    /// `longest_pause`, unless a column of events defines the events. It also returns when `stops` becomes true during
    /// a wait; if the file defines events, the incomplete event is then dropped.
    void set_stop(std::function<bool()> stops) { stops_ = std::move(stops); }
    /// Reads on to the end of the file, also after an error, and counts its rows; nothing if it cannot be read on.
    /// Neither `next` nor `read` may be called afterwards.
    [[nodiscard]] std::optional<RowCounts> count_rows();

    [[nodiscard]] const Reader& reader() const noexcept { return reader_; }
    /// Returns `PointRow::kept` for the points of the last `read`, if it returned any; empty if no columns are kept.
    [[nodiscard]] const std::vector<std::string>& kept() const noexcept { return kept_; }
    [[nodiscard]] double progress() const noexcept { return reader_.progress(); }
    [[nodiscard]] bool has_times() const noexcept;
    /// Returns the remarks so far.
    [[nodiscard]] Remarks remarks() const;
    [[nodiscard]] bool has_classes() const noexcept { return classes_.has_value(); }

private:
    void note_other_columns(const Roles& roles);
    void keep_cells(std::string& kept) const;
    bool read_row(PointRow& row);
    bool wait_for_row(PointColumns& out) const;
    void add(PointColumns& out);
    [[nodiscard]] bool repeats_id_of_batch() const;
    [[nodiscard]] bool has_needed_cells();
    [[nodiscard]] double feature(std::size_t i);
    [[nodiscard]] double date(std::size_t column, DateUnit unit, DateOrder order) const;
    [[nodiscard]] double target() const;
    [[nodiscard]] std::int64_t time();
    void require_no_later(std::int64_t time);
    [[nodiscard]] double weight() const;
    void require_bounded(double value, std::size_t column) const;
    [[nodiscard]] std::uint8_t part() const;

    Reader reader_;
    std::function<bool()> stops_;  // empty: `read` waits without limit
    BadRows bad_rows_;
    std::vector<std::string> features_;
    std::vector<std::size_t> feature_columns_;                                                          // d
    std::size_t target_column_, id_column_, weight_column_, time_column_, part_column_, event_column_;  // or `none`
    std::vector<std::size_t> kept_columns_;
    std::optional<ClassReader> classes_;
    GroupReader groups_;
    Formats formats_;
    StreamFormat format_;
    std::vector<std::unordered_map<std::string, std::uint32_t, TextHash, std::equal_to<>>> levels_;  // d, or empty
    FeatureRemarks feature_remarks_;
    std::int64_t latest_time_ = std::numeric_limits<std::int64_t>::min();  // limit for times, by the last look at a
                                                                           // clock
    UnlistedCells negative_;  // texts of targets other than the positive one
    std::vector<std::size_t> needed_;
    std::vector<RowsWithout> left_out_;         // by needed column
    std::vector<std::string> ignored_columns_;  // ignored columns of the file
    SpanOfTime span_;
    std::uint64_t rows_ = 0;                 // rows so far, including malformed ones and those left out
    bool bounds_features_;                   // whether features must be in bounds: a table may be scaled first
    std::unordered_set<PointId> batch_ids_;  // ids in the next result of `read`
    // Text ids in the next result of `read`.
    std::unordered_set<std::string, TextHash, std::equal_to<>> batch_id_texts_;
    std::vector<std::string> kept_;  // for the points in the next result of `read`
    PointRow row_;
    bool has_pending_row_ = false;  // `row_` is read but in no batch: it starts an event or repeats an id
    std::string event_;             // text of the event of `row_`
};

}  // namespace fairstream::files
