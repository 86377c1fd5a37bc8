#pragma once
/// Rows of which most values are 0, such as those of one-hot categories, as lists of their entries. An entry is a value
/// that is not 0.
///
/// |x - c|^2 = |x|^2 + |c|^2 - 2 x.c, and the product is a sum over the entries of x. The sums are in double, since
/// they cancel: a distance has an error of some 1e-16 of |x|^2 + |c|^2.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fairstream {

/// An entry in a list takes as long as this many values of a row stored in full. So columns and rows are listed only if
/// fewer than one in this many of their values is an entry, and an entry counts as the work of this many values.
inline constexpr std::size_t values_per_entry = 8;

/// Returns the number of entries of each column in n rows, estimated from an even sample of the rows. `rows` is n x d.
[[nodiscard]] std::vector<double> entries_of_columns(const float* rows, std::size_t n, std::size_t d);

class SparseRows {
public:
    /// A row: its entries, their columns, ascending, and the sum of their squares.
    struct Row {
        std::span<const float> entries;
        std::span<const std::uint32_t> columns;
        double square;
    };

    void clear();
    /// Appends the row whose value in column j is row[from[j]]; `from` ascends.
    void add(const float* row, std::span<const std::uint32_t> from);

    [[nodiscard]] bool empty() const noexcept { return squares_.empty(); }
    [[nodiscard]] Row operator[](std::size_t i) const noexcept {
        const std::size_t first = begins_[i], count = begins_[i + 1] - first;
        return {{entries_.data() + first, count}, {columns_.data() + first, count}, squares_[i]};
    }
    /// Returns the squared distance of a row to a centre, whose sum of squares is `centre_square`.
    [[nodiscard]] double distance(std::size_t i, const float* centre, double centre_square) const noexcept;
    /// Returns the squared distance of two rows.
    [[nodiscard]] double distance(std::size_t i, std::size_t other) const noexcept;
    /// Returns the mean multiply-adds of the distance of a row to a centre: `values_per_entry` for each entry.
    [[nodiscard]] double work_of_distance() const noexcept;

private:
    std::vector<std::size_t> begins_{0};  // by row: its first entry; and the end of the last row
    std::vector<float> entries_;
    std::vector<std::uint32_t> columns_;
    std::vector<double> squares_;
};

/// Returns the n rows of d values as lists of entries, or no rows if lists save no time.
[[nodiscard]] SparseRows entries_if_few(const float* rows, std::size_t n, std::size_t d);

/// Returns the sum of squares of d values.
[[nodiscard]] double square_of(const float* x, std::size_t d) noexcept;

}  // namespace fairstream
