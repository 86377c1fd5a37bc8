#pragma once
/// A whole file of points in memory, and the usual preprocessing: scaling and selection of rows.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <fairstream/data/point_batch.hpp>
#include <fairstream/files/points/points.hpp>

namespace fairstream::files {

/// The part of a split that a row belongs to.
enum class Part : std::uint8_t { training, validation, test };

/// n points with the precision of the file. Scaling is done in double, one column or row at a time in a fixed order.
struct Table {
    StreamFormat format;
    std::vector<std::string> feature_names;   ///< d
    std::vector<PointId> ids;                 ///< n; where they are texts, the number of the row that has it first
    std::vector<std::uint64_t> numbers = {};  ///< n: of the rows in the file, rising; empty: of no file
    std::vector<double> features;             ///< n x d, row-major
    std::vector<GroupId> groups;              ///< n x a, row-major
    std::vector<double> targets;              ///< n, or empty
    std::vector<double> weights = {};         ///< n, or empty: all weigh 1
    std::vector<std::int64_t> times = {};     ///< n, or empty: of the events, microseconds since the Unix epoch
    std::vector<Part> parts;                  ///< n, or empty: all rows are for training
    std::vector<ClassId> classes = {};        ///< n, or empty
    std::vector<std::string> id_texts = {};   ///< n, or empty: ids are integers
    std::vector<std::string> kept = {};       ///< n, or empty: `PointRow::kept`
    Remarks remarks = {};                     ///< of the file

    [[nodiscard]] std::size_t size() const noexcept { return ids.size(); }
};

/// Reads a file. `progress`, when given, is called now and then with the share of the file read. In a part column, 1 is
/// the test part unless there is a 2: then 1 is validation, and 2 the test part. Throws `InvalidInput` as `PointReader`
/// does, for a file without rows, and (malformed) for a part column without training rows or any others, or with 0 and
/// 2 alone.
[[nodiscard]] Table read_table(const InputFile& file, const Roles& roles, const Formats& formats = {},
                               const BadRowPolicy& bad_rows = {}, const std::function<void(double)>& progress = {});
[[nodiscard]] Table read_table(const std::filesystem::path& path, const Roles& roles, const Formats& formats = {},
                               const BadRowPolicy& bad_rows = {}, const std::function<void(double)>& progress = {});

/// Throws `InvalidInput` (bad_feature) for targets that float32 could not tell apart, which predictions follow.
void require_target_resolution(const Table& table);
/// Throws `InvalidInput` (bad_feature) when float32, the type of a point's features, is too coarse for a column: when
/// rounding moves a value by more than a hundredth of the column's standard deviation. Large numbers that differ
/// little, such as times in seconds, need `standardise`.
void require_resolution(const Table& table);
/// Mean and deviation of a column.
struct Scaling {
    double mean = 0;
    double deviation = 1;      ///< 1 where all values are equal, which scaling then makes 0
    bool is_constant = false;  ///< whether all values are equal
};
/// Returns the mean and the population standard deviation of a feature, by the weights of the points and without
/// missing values, over the training rows. Throws `InvalidInput` (bad_feature) where squares of the values overflow.
[[nodiscard]] Scaling scaling_of(const Table& table, std::size_t column);
/// Returns how many rows from `first` on, at most `count`, have ids that differ.
[[nodiscard]] std::size_t different_ids(const Table& table, std::size_t first, std::size_t count);
/// Leaves out rows whose id a later row has. Throws `InvalidInput` as `select_rows` does.
void keep_last_of_ids(Table& table);
/// Returns the value of a feature that has most of the weight, without missing values, over the training rows; of equal
/// ones the least. 0 where all are missing.
[[nodiscard]] double most_frequent(const Table& table, std::size_t column);
/// Scales every feature of numbers, by the weights of the points and without missing values, to mean 0 and population
/// standard deviation 1 (NumPy's default) over the training rows; sets one that is constant there to 0. Throws
/// `InvalidInput` (bad_feature), as `unit_rows` does, where squares of the values overflow.
void standardise(Table& table);
/// Scales every point to Euclidean length 1; the zero point stays. Throws for missing values and categories.
void unit_rows(Table& table);
/// Keeps the rows with these 0-based numbers, in this order. Throws `InvalidInput` (malformed) for a number that does
/// not exist or is repeated.
void select_rows(Table& table, const std::vector<std::uint64_t>& rows);
/// Keeps the rows of a file that have these numbers there, in this order, but for those that were left out when it was
/// read. Throws `InvalidInput` (malformed) for a number that no row has or that is repeated, and where no row is left.
void select_rows_of_file(Table& table, const std::vector<std::uint64_t>& numbers);
/// Reads one number from each line that is not blank; throws `InvalidInput` (malformed) with file and line.
[[nodiscard]] std::vector<std::uint64_t> read_row_numbers(const std::filesystem::path& path);

/// Copies the points [first, first + count) to the columns that an engine takes. Throws `InvalidInput` (bad_feature)
/// naming id and column of a value above `feature_limit`. The event's time is the latest of the points'.
void copy_points(const Table& table, std::size_t first, std::size_t count, PointColumns& out);

}  // namespace fairstream::files
