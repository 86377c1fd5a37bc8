#pragma once
/// Rows of which most values are 0, such as those of one-hot categories, as lists of their other values.
///
/// |x - c|^2 = |x|^2 + |c|^2 - 2 x.c, and the product is a sum over the entries of x. The sums are in double, since
/// they cancel: a distance has an error of some 1e-16 of |x|^2 + |c|^2.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fairstream {

/// Values of a row without lists that take as long as one entry of a list. So columns and rows are listed only if fewer
/// than one in this many of their values is an entry, and work counts an entry as this many values.
inline constexpr std::size_t values_per_entry = 8;

/// Returns how many of the values of each column are not 0, scaled to n rows, from an even sample of them. `rows` is n
/// x d.
[[nodiscard]] std::vector<double> entries_of_columns(const float* rows, std::size_t n, std::size_t d);

class SparseRows {
public:
    /// A row: its values other than 0, their columns, ascending, and the sum of their squares.
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

/// Returns rows of n x d as entries, or no rows if that saves no time.
[[nodiscard]] SparseRows entries_if_few(const float* rows, std::size_t n, std::size_t d);

/// Returns the sum of squares of d values.
[[nodiscard]] double square_of(const float* x, std::size_t d) noexcept;

}  // namespace fairstream
