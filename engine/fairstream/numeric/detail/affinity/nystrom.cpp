#include <fairstream/numeric/detail/affinity/nystrom.hpp>

#include <algorithm>
#include <numeric>
#include <utility>

#include <fairstream/numeric/detail/affinity/rbf.hpp>
#include <fairstream/numeric/detail/blocks.hpp>
#include <fairstream/numeric/detail/interruption.hpp>
#include <fairstream/numeric/detail/kernels.hpp>
#include <fairstream/numeric/detail/linear_algebra.hpp>
#include <fairstream/numeric/detail/random.hpp>

namespace fairstream {
namespace {

// Least eigenvalue that counts; smaller eigenvalues of a float32 matrix are rounding errors.
constexpr double least_eigenvalue = 1e-6;

}  // namespace

NystromAffinity::NystromAffinity(double bandwidth, std::size_t landmarks, std::uint64_t seed)
    : scale_(decay_scale(bandwidth)), most_(landmarks), seed_(seed) {}

// Draws the slots of the landmarks: those with the smallest random numbers. They change little as n grows, and not at
// all while n is constant.
std::vector<Slot> NystromAffinity::draw_landmarks(std::size_t n) const {
    Random random(seed_);
    std::vector<std::pair<std::uint64_t, Slot>> draws(n);
    for (std::size_t i = 0; i < n; ++i) draws[i] = {random.next(), static_cast<Slot>(i)};
    const std::size_t m = std::min(n, most_);
    if (m < n) std::ranges::nth_element(draws, draws.begin() + static_cast<std::ptrdiff_t>(m));
    std::vector<Slot> slots(m);
    for (std::size_t i = 0; i < m; ++i) slots[i] = draws[i].second;
    std::ranges::sort(slots);
    return slots;
}

void NystromAffinity::update(const PackedPoints& points, std::span<const Slot> changed) {
    const std::size_t n = points.size(), d = points.dimensions();
    const bool same_slots = affinities_.rows == n;
    if (!same_slots) landmarks_ = draw_landmarks(n);
    const std::size_t m = landmarks_.size();
    std::vector<float> rows(m * d);
    for (std::size_t l = 0; l < m; ++l) points.copy_row(landmarks_[l], &rows[l * d]);
    const std::vector<Slot> moved = at_.update(rows.data(), m, d);
    if (!same_slots) affinities_ = Matrix(n, m);

    const auto fill = [&](std::size_t i, std::span<const Slot> which, bool all) {
        CacheLineVector<float> row(d), affinity(at_.padded());
        points.copy_row(i, row.data());
        at_.distances(row.data(), 0, m, affinity.data());
        kernels().decays(affinity.data(), at_.padded(), scale_, affinity.data());
        if (all) std::copy_n(affinity.data(), m, affinities_.row(i));
        for (const Slot l : which) affinities_.at(i, l) = static_cast<double>(affinity[l]);
    };
    if (!same_slots || !moved.empty())
        parallel_for(std::size_t{0}, n, [&](std::size_t i) { fill(i, moved, !same_slots); });
    parallel_for(std::size_t{0}, changed.size(), [&](std::size_t i) { fill(changed[i], {}, true); });

    Matrix among(m, m);
    for (std::size_t l = 0; l < m; ++l) std::copy_n(affinities_.row(landmarks_[l]), m, among.row(l));
    const double least = least_eigenvalue * static_cast<double>(m);
    inverse_ = symmetric_function(among, [&](double value) { return value > least ? 1 / value : 0.0; });

    Matrix ones(n, 1), sums;
    std::ranges::fill(ones.values, 1.0);
    multiply(ones, sums);
    degrees_ = std::move(sums.values);
    for (double& degree : degrees_) degree = std::max(degree, 0.0);
}

// Returns W⁺ Cᵀ x, m x k.
Matrix NystromAffinity::coefficients(const Matrix& x) const {
    Matrix out;
    fairstream::multiply(inverse_, gram(affinities_, x), out);
    return out;
}

void NystromAffinity::multiply(const Matrix& x, Matrix& out) const {
    fairstream::multiply(affinities_, coefficients(x), out);
}

void NystromAffinity::multiply_rows(std::span<const Slot> which, const Matrix& x, Matrix& out) const {
    Matrix rows(which.size(), affinities_.cols);
    for (std::size_t i = 0; i < which.size(); ++i)
        std::copy_n(affinities_.row(which[i]), affinities_.cols, rows.row(i));
    fairstream::multiply(rows, coefficients(x), out);
}

void NystromAffinity::copy_row(Slot i, AffinityRow& out) const {
    const std::size_t n = affinities_.rows, m = affinities_.cols;
    std::vector<double> turned(m, 0.0);
    for (std::size_t l = 0; l < m; ++l)
        for (std::size_t j = 0; j < m; ++j) turned[j] += affinities_.at(i, l) * inverse_.at(l, j);
    out.at.resize(n);
    std::iota(out.at.begin(), out.at.end(), Slot{0});
    out.weights.resize(n);
    for (std::size_t j = 0; j < n; ++j)
        out.weights[j] = static_cast<float>(std::inner_product(turned.begin(), turned.end(), affinities_.row(j), 0.0));
}

std::optional<AffinityFactors> NystromAffinity::factors() const {
    Matrix right;
    fairstream::multiply(affinities_, inverse_, right);
    return AffinityFactors{affinities_, std::move(right)};
}

std::vector<double> NystromAffinity::diagonal() const {
    const Matrix right = factors()->right;
    std::vector<double> entries(right.rows, 0.0);
    for (std::size_t i = 0; i < right.rows; ++i)
        entries[i] = std::inner_product(right.row(i), right.row(i) + right.cols, affinities_.row(i), 0.0);
    return entries;
}

Anchors NystromAffinity::anchors(const PackedPoints&, const Matrix& t, std::span<const double> weights) const {
    Anchors anchors = points_as_anchors(at_, Matrix(at_.size(), 0));
    anchors.values = coefficients(anchored_rows(t, weights));
    return anchors;
}

}  // namespace fairstream
