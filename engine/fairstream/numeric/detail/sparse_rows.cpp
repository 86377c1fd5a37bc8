#include <fairstream/numeric/detail/sparse_rows.hpp>

#include <algorithm>
#include <numeric>

namespace fairstream {
namespace {

// Adjacent values of a row that are compared with 0 at once.
constexpr std::size_t run = 16;

std::uint32_t count_entries(const float* x) {
    std::uint32_t count = 0;
    for (std::size_t j = 0; j < run; ++j) count += x[j] != 0;
    return count;
}

}  // namespace

std::vector<double> entries_of_columns(const float* rows, std::size_t n, std::size_t d) {
    constexpr std::size_t most_sampled = 256;
    const std::size_t step = n / most_sampled + 1, sampled = std::max<std::size_t>(1, (n + step - 1) / step);
    std::vector<std::uint32_t> counts(d);
    for (std::size_t i = 0; i < n; i += step)
        for (std::size_t j = 0; j < d; ++j) counts[j] += rows[i * d + j] != 0;
    std::vector<double> entries;
    for (const std::uint32_t count : counts)
        entries.push_back(static_cast<double>(count) * static_cast<double>(n) / static_cast<double>(sampled));
    return entries;
}

void SparseRows::clear() {
    begins_.assign(1, 0);
    entries_.clear();
    columns_.clear();
    squares_.clear();
}

void SparseRows::add(const float* row, std::span<const std::uint32_t> from) {
    double square = 0;
    for (std::size_t first = 0; first < from.size(); first += run) {
        const std::size_t last = std::min(first + run, from.size());
        if (from[last - 1] - from[first] == run - 1 && count_entries(row + from[first]) == 0) continue;
        for (std::size_t j = first; j < last; ++j) {
            const float x = row[from[j]];
            if (x == 0) continue;
            entries_.push_back(x);
            columns_.push_back(static_cast<std::uint32_t>(j));
            square += double{x} * double{x};
        }
    }
    begins_.push_back(entries_.size());
    squares_.push_back(square);
}

double SparseRows::distance(std::size_t i, const float* centre, double centre_square) const noexcept {
    const Row row = (*this)[i];
    double product = 0;
    for (std::size_t e = 0; e < row.entries.size(); ++e)
        product += double{row.entries[e]} * double{centre[row.columns[e]]};
    return std::max(0.0, row.square + centre_square - 2 * product);
}

double SparseRows::distance(std::size_t i, std::size_t other) const noexcept {
    const Row a = (*this)[i], b = (*this)[other];
    double product = 0;
    for (std::size_t e = 0, f = 0; e < a.entries.size() && f < b.entries.size();) {
        if (a.columns[e] == b.columns[f]) product += double{a.entries[e]} * double{b.entries[f]};
        const bool next_a = a.columns[e] <= b.columns[f], next_b = b.columns[f] <= a.columns[e];
        e += next_a;
        f += next_b;
    }
    return std::max(0.0, a.square + b.square - 2 * product);
}

double SparseRows::work_of_distance() const noexcept {
    if (empty()) return 0;
    return static_cast<double>(values_per_entry * entries_.size()) / static_cast<double>(squares_.size());
}

SparseRows entries_if_few(const float* rows, std::size_t n, std::size_t d) {
    SparseRows listed;
    const std::vector<double> entries = entries_of_columns(rows, n, d);
    const double all = std::accumulate(entries.begin(), entries.end(), 0.0);
    if (values_per_entry * all >= static_cast<double>(n) * static_cast<double>(d)) return listed;
    std::vector<std::uint32_t> columns(d);
    std::iota(columns.begin(), columns.end(), 0);
    for (std::size_t i = 0; i < n; ++i) listed.add(rows + i * d, columns);
    return listed;
}

double square_of(const float* x, std::size_t d) noexcept {
    double square = 0;
    for (std::size_t j = 0; j < d; ++j) square += double{x[j]} * double{x[j]};
    return square;
}

}  // namespace fairstream
