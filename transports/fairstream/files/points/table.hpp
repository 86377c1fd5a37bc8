#pragma once
/// A whole file of points in memory, with scaling and selection of rows.

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

/// n points in the precision of the file. Scaling is done in double, one column or row at a time, in a fixed order.
struct Table {
    StreamFormat format;
    std::vector<std::string> feature_names;   ///< d
    std::vector<PointId> ids;                 ///< n; for texts, the number of the first row with the text
    std::vector<std::uint64_t> numbers = {};  ///< n: row numbers in the file, rising; empty: not from a file
    std::vector<double> features;             ///< n x d, row-major
    std::vector<GroupId> groups;              ///< n x a, row-major
    std::vector<double> targets;              ///< n, or empty
    std::vector<double> weights = {};         ///< n, or empty: all weigh 1
    std::vector<std::int64_t> times = {};     ///< n, or empty: times of the events, microseconds since the Unix epoch
    std::vector<Part> parts;                  ///< n, or empty: all rows are for training
    std::vector<ClassId> classes = {};        ///< n, or empty
    std::vector<std::string> id_texts = {};   ///< n, or empty: ids are integers
    std::vector<std::string> kept = {};       ///< n, or empty: `PointRow::kept`
    Remarks remarks = {};                     ///< about the file

    [[nodiscard]] std::size_t size() const noexcept { return ids.size(); }
};

/// Reads a file. `progress`, if given, is called now and then with the share of the file read. In a part column, 0
/// means training. 1 means test, unless 2 occurs: then 1 means validation, and 2 means test. Throws `InvalidInput` as
/// `PointReader` and for a file without rows; (malformed) for a part column without training rows, with only training
/// rows, or with only 0 and 2.
[[nodiscard]] Table read_table(const InputFile& file, const Roles& roles, const Formats& formats = {},
                               const BadRowPolicy& bad_rows = {}, const std::function<void(double)>& progress = {});
[[nodiscard]] Table read_table(const std::filesystem::path& path, const Roles& roles, const Formats& formats = {},
                               const BadRowPolicy& bad_rows = {}, const std::function<void(double)>& progress = {});

/// Throws `InvalidInput` (bad_feature) if float32, the type of predictions' targets, is too coarse for the targets.
void require_target_resolution(const Table& table);
/// Throws `InvalidInput` (bad_feature) if float32, the type of features, is too coarse for a column: rounding moves a
/// value by more than a hundredth of the column's standard deviation. Large numbers with small differences, such as
/// times in seconds, need `standardise`.
void require_resolution(const Table& table);
/// Mean, deviation and range of a column.
struct Scaling {
    double mean = 0;
    double deviation = 1;  ///< 1 if all values are equal; scaling then makes them 0
    double least = 0;
    double greatest = 0;
    bool is_constant = false;  ///< whether all values are equal
};
/// Returns the mean, the population standard deviation and the range of a feature over the training rows, by weight and
/// without missing values. Throws `InvalidInput` (bad_feature) if squares of the values overflow.
[[nodiscard]] Scaling scaling_of(const Table& table, std::size_t column);
/// Returns the number of rows from `first` on, at most `count`, before an id repeats.
[[nodiscard]] std::size_t different_ids(const Table& table, std::size_t first, std::size_t count);
/// Leaves out rows whose id a later row has. Throws `InvalidInput` as `select_rows`.
void keep_last_of_ids(Table& table);
/// Returns the value of a feature with the largest total weight over the training rows; of equal weights, the least
/// value. Missing values are ignored; 0 if all values are missing.
[[nodiscard]] double most_frequent(const Table& table, std::size_t column);
/// Scales every feature of numbers to mean 0 and population standard deviation 1 (NumPy's default) over the training
/// rows, by weight and without missing values. A feature that is constant over these rows becomes 0. Throws
/// `InvalidInput` (bad_feature) if squares of the values overflow, as does `unit_rows`.
void standardise(Table& table);
/// Scales every feature of numbers so that its least value over the training rows becomes 0 and its greatest 1.
/// Otherwise as `standardise`.
void unit_range(Table& table);
/// Scales every point to Euclidean length 1; the zero point stays. Throws for missing values and categories.
void unit_rows(Table& table);
/// Keeps the rows with these 0-based numbers, in this order. Throws `InvalidInput` (malformed) for a number that does
/// not exist or is repeated.
void select_rows(Table& table, const std::vector<std::uint64_t>& rows);
/// Keeps the rows with these numbers in the file, in this order; numbers of rows left out while reading are ignored.
/// Throws `InvalidInput` (malformed) for a number that no row has or that is repeated, and if no row remains.
void select_rows_of_file(Table& table, const std::vector<std::uint64_t>& numbers);
/// Reads one number from each line that is not blank; throws `InvalidInput` (malformed) with file and line.
[[nodiscard]] std::vector<std::uint64_t> read_row_numbers(const std::filesystem::path& path);

/// Copies the points [first, first + count) to the columns that an engine takes. Throws `InvalidInput` (bad_feature),
/// naming id and column, for a value above `feature_limit` in magnitude. The event's time is the latest time of its
/// points.
void copy_points(const Table& table, std::size_t first, std::size_t count, PointColumns& out);

}  // namespace fairstream::files
