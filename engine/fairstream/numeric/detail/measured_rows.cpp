#include <fairstream/numeric/detail/measured_rows.hpp>

#include <algorithm>
#include <limits>
#include <numeric>

#include <fairstream/numeric/detail/kernels.hpp>

namespace fairstream {
namespace {

// For a row without entries, distances over entries take as long as this many whole columns.
constexpr double columns_per_row = 16;
// Rows of a block. Its columns are adjacent and stay in the cache while distances to all centres are computed.
constexpr std::size_t rows_of_block = 128;
// Rows whose distances over entries are computed before they are added; distances to one centre are adjacent.
constexpr std::size_t together = 16;

}  // namespace

void MeasuredRows::copy(const float* rows, std::size_t d, std::span<const std::uint32_t> order) {
    n_ = order.size();
    d_ = d;
    choose_columns(rows);
    columns_.resize((n_ + rows_of_block - 1) / rows_of_block * rows_of_block * whole_.size());
    entries_.clear();
    for (std::size_t first = 0; first < n_; first += rows_of_block) {
        const std::size_t last = std::min(first + rows_of_block, n_);
        for (std::size_t j = 0; j < whole_.size(); ++j)
            for (std::size_t i = first; i < last; ++i)
                columns_[first * whole_.size() + j * rows_of_block + (i - first)] = rows[order[i] * d + whole_[j]];
        for (std::size_t i = first; i < last && !sparse_.empty(); ++i) entries_.add(rows + order[i] * d, sparse_);
    }
}

void MeasuredRows::choose_columns(const float* rows) {
    const std::vector<double> entries = entries_of_columns(rows, n_, d_);
    const auto n = static_cast<double>(n_);
    whole_.clear();
    sparse_.clear();
    double saved = 0;  // number of values whose time is saved
    for (std::uint32_t j = 0; j < d_; ++j) {
        const double fewer = n - values_per_entry * entries[j];
        (fewer > 0 ? sparse_ : whole_).push_back(j);
        saved += std::max(0.0, fewer);
    }
    if (saved > columns_per_row * n) return;
    sparse_.clear();
    whole_.resize(d_);
    std::iota(whole_.begin(), whole_.end(), 0);
}

void MeasuredRows::measure(std::span<const float> centres, std::span<float> out) {
    const std::size_t k = centres.size() / d_;
    const float* whole_centres = centres.data();
    if (!sparse_.empty()) {
        pack_centres_of_entries(centres);
        whole_centres = whole_centres_.data();
    }
    for (std::size_t first = 0; first < n_; first += rows_of_block) {
        const std::size_t last = std::min(n_, first + rows_of_block);
        for (std::size_t l = 0; l < k; ++l)
            kernels().column_distances(columns_.data() + first * whole_.size(), rows_of_block, last - first,
                                       whole_.size(), whole_centres + l * whole_.size(), &out[l * n_ + first]);
        if (!sparse_.empty()) add_distances_of_entries(first, last, k, out.data());
    }
}

void MeasuredRows::accumulate(std::size_t i, const float* row, double factor, double* sums, double& square) const {
    if (sparse_.empty()) {
        constexpr std::int32_t first_label = 0;
        kernels().accumulate(row, 1, d_, &first_label, factor, nullptr, sums, &square);
        return;
    }
    const SparseRows::Row entries = entries_[i];
    double own = entries.square;
    for (const std::uint32_t j : whole_) {
        const double x = row[j];
        sums[j] += factor * x;
        own += x * x;
    }
    for (std::size_t e = 0; e < entries.entries.size(); ++e)
        sums[sparse_[entries.columns[e]]] += factor * double{entries.entries[e]};
    square += factor * own;
}

void MeasuredRows::pack_centres_of_entries(std::span<const float> centres) {
    const std::size_t k = centres.size() / d_;
    std::vector<float> of_entries;  // k x sparse
    of_entries.reserve(k * sparse_.size());
    whole_centres_.clear();
    for (std::size_t l = 0; l < k; ++l) {
        for (const std::uint32_t j : whole_) whole_centres_.push_back(centres[l * d_ + j]);
        for (const std::uint32_t j : sparse_) of_entries.push_back(centres[l * d_ + j]);
    }
    packed_.resize(packed_size(k, sparse_.size()));
    pack_centres(of_entries.data(), k, sparse_.size(), packed_.data());
    centre_squares_.assign(packed_size(k, 1), std::numeric_limits<double>::infinity());
    for (std::size_t l = 0; l < k; ++l) centre_squares_[l] = square_of(&of_entries[l * sparse_.size()], sparse_.size());
}

void MeasuredRows::add_distances_of_entries(std::size_t first, std::size_t last, std::size_t k, float* out) {
    const std::size_t width = centre_squares_.size();
    distances_.resize(together * width);
    for (std::size_t i = first; i < last; i += together) {
        const std::size_t rows = std::min(together, last - i);
        for (std::size_t r = 0; r < rows; ++r) {
            const SparseRows::Row row = entries_[i + r];
            kernels().entry_distances(row.entries.data(), row.columns.data(), row.entries.size(), row.square,
                                      packed_.data(), sparse_.size(), centre_squares_.data(), k,
                                      &distances_[r * width]);
        }
        for (std::size_t l = 0; l < k; ++l)
            for (std::size_t r = 0; r < rows; ++r) out[l * n_ + i + r] += distances_[r * width + l];
    }
}

}  // namespace fairstream
