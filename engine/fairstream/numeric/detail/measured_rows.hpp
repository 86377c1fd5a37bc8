#pragma once
/// Rows whose squared distances to centres are computed again and again. Columns that are mostly 0 are stored as lists
/// of their entries (`SparseRows`), and all other columns in full.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fairstream/numeric/detail/sparse_rows.hpp>

namespace fairstream {

class MeasuredRows {
public:
    /// Copies the rows in this order, which lists each row once; reuses memory. `rows` is n x d. O(n d).
    void copy(const float* rows, std::size_t d, std::span<const std::uint32_t> order);
    /// Computes the squared distance of row i to centre l as out[l * n + i]. It depends only on that row and centre.
    /// `centres` is k x d, and `out` k x n.
    void measure(std::span<const float> centres, std::span<float> out);
    /// Adds `factor` times row i to `sums`, d values, and `factor` times its squared length to `square`. `row` is what
    /// was copied as row i.
    void accumulate(std::size_t i, const float* row, double factor, double* sums, double& square) const;
    /// Returns the mean multiply-adds of the distance of a row to a centre: d if no column is mostly 0.
    [[nodiscard]] double work_of_distance() const noexcept {
        return static_cast<double>(whole_.size()) + entries_.work_of_distance();
    }

private:
    void choose_columns(const float* rows);
    void pack_centres_of_entries(std::span<const float> centres);
    void add_distances_of_entries(std::size_t first, std::size_t last, std::size_t k, float* out);

    std::size_t n_ = 0, d_ = 0;
    std::vector<std::uint32_t> whole_, sparse_;  // columns, ascending
    std::vector<float> columns_;                 // blocks of rows, each whole x rows of a block
    SparseRows entries_;                         // n x sparse; empty without sparse columns
    // Parts of the centres that are measured, if there are sparse columns:
    std::vector<float> whole_centres_;    // k x whole
    std::vector<float> packed_;           // k x sparse, as the kernels read it
    std::vector<double> centre_squares_;  // k and padding: sums of squares over sparse columns
    std::vector<float> distances_;        // some rows x k and padding
};

}  // namespace fairstream
