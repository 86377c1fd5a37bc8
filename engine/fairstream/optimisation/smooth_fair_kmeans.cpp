#include <fairstream/optimisation/smooth_fair_kmeans.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include <fairstream/base/option_fields.hpp>
#include <fairstream/numeric/detail/arrays.hpp>

// Notation: s_pl share of point p in cluster l, c_l centres, m_lj soft counts, r = m_lj / m_lj', tau temperature.

namespace fairstream {
namespace {

// Smaller soft counts are treated as 0, because the quotients of the gradient would exceed the range of a double.
constexpr double least_count = 1e-150;

template <class T> void require(bool holds, const char* name, T value, const char* rule) {
    if (!holds)
        throw InvalidInput(Reason::bad_option, std::string(name) + " = " + number_text(value) + ": must be " + rule);
}

void check(const SmoothFairKmeans::Options& options) {
    require(options.dimensions >= 1, "dimensions", options.dimensions, "at least 1");
    require(options.clusters >= 1 && options.clusters <= 32767, "clusters", options.clusters, "1 to 32767");
    require(options.groups >= 2 && options.groups <= 65535, "groups", options.groups, "2 to 65535");
    require(options.temperature > 0 && std::isfinite(options.temperature), "temperature", options.temperature,
            "above 0 and finite");
    require(options.batch >= 1 && options.batch <= 1'000'000'000, "batch", options.batch, "1 to 1e9");
}

void check_points(const SmoothFairKmeans::Options& options, ConstRows rows, std::span<const GroupId> groups) {
    const std::size_t n = groups.size(), d = static_cast<std::size_t>(options.dimensions);
    if (n == 0 || n > std::numeric_limits<std::uint32_t>::max() || rows.size() != n * d)
        throw InvalidInput(Reason::wrong_shape, std::to_string(rows.size()) + " features and " + std::to_string(n) +
                                                    " groups: must be n x " + std::to_string(d) +
                                                    " and n, 1 <= n < 2^32");
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (!(std::abs(rows[i]) <= feature_limit))
            throw InvalidInput(Reason::bad_feature, "feature " + std::to_string(i % d) + " of row " +
                                                        std::to_string(i / d) + " is " + number_text(rows[i]) +
                                                        ": must be finite and at most 1e15");
    std::vector<bool> present(static_cast<std::size_t>(options.groups));
    for (std::size_t p = 0; p < n; ++p) {
        if (groups[p] >= present.size())
            throw InvalidInput(Reason::unknown_group, "row " + std::to_string(p) + " has group " +
                                                          std::to_string(groups[p]) + ": must be below " +
                                                          std::to_string(options.groups));
        present[groups[p]] = true;
    }
    const auto absent = std::ranges::find(present, false);
    if (absent != present.end())
        throw InvalidInput(Reason::bad_option, "groups = " + std::to_string(options.groups) + ", but group " +
                                                   std::to_string(absent - present.begin()) +
                                                   " has no point: every balance would be 0");
}

void check_length(std::size_t length, const char* of, std::size_t needed) {
    if (length != needed)
        throw InvalidInput(Reason::wrong_shape,
                           std::to_string(length) + " " + of + ": must be " + std::to_string(needed));
}

// Returns r; infinite or 0 if the soft counts have no quotient.
double ratio(double count, double other) {
    if (other >= least_count) return count / other;
    return count >= least_count ? std::numeric_limits<double>::infinity() : 0;
}

}  // namespace

SmoothFairKmeans::SmoothFairKmeans(const Options& options, ConstRows rows, std::span<const GroupId> groups)
    : d_(static_cast<std::size_t>(options.dimensions)),
      k_(static_cast<std::size_t>(options.clusters)),
      group_count_(static_cast<std::size_t>(options.groups)),
      n_(groups.size()),
      temperature_(options.temperature),
      logit_scale_(std::sqrt(static_cast<double>(groups.size()))),
      batch_(options.batch),
      rows_(rows),
      groups_(groups) {
    check(options);
    check_points(options, rows, groups);
    shares_.resize(k_), squared_.resize(k_);
    counts_.resize(k_ * group_count_), slopes_.resize(k_ * group_count_);
}

std::vector<double> SmoothFairKmeans::start(std::span<const ClusterId> labels, double confidence) const {
    require(confidence > 0 && confidence < 1, "confidence", confidence, "above 0 and below 1");
    check_length(labels.size(), "labels", n_);
    std::vector<double> x(size()), weights(k_);
    const double rest = (1 - confidence) / static_cast<double>(k_);
    for (std::size_t p = 0; p < n_; ++p) {
        if (labels[p] < 0 || static_cast<std::size_t>(labels[p]) >= k_)
            throw InvalidInput(Reason::wrong_shape, "label " + std::to_string(labels[p]) + " of row " +
                                                        std::to_string(p) + ": must be 0 to " + std::to_string(k_ - 1));
        const auto own = static_cast<std::size_t>(labels[p]);
        x[logits(p) + own] = std::log((confidence + rest) / rest) / logit_scale_;
        for (std::size_t l = 0; l < k_; ++l) {
            const double share = rest + (l == own ? confidence : 0);
            weights[l] += share;
            for (std::size_t i = 0; i < d_; ++i) x[l * d_ + i] += share * static_cast<double>(row(p)[i]);
        }
    }
    for (std::size_t l = 0; l < k_; ++l)
        for (std::size_t i = 0; i < d_; ++i) x[l * d_ + i] /= weights[l];
    return x;
}

void SmoothFairKmeans::round(std::span<const double> x, std::span<ClusterId> labels) const {
    check_length(x.size(), "variables", size());
    check_length(labels.size(), "labels", n_);
    for (std::size_t p = 0; p < n_; ++p) {
        const auto u = x.subspan(logits(p), k_);
        labels[p] = static_cast<ClusterId>(std::ranges::max_element(u) - u.begin());
    }
}

// s_p = softmax(sqrt(n) u_p).
void SmoothFairKmeans::shares(std::span<const double> x, std::size_t p, double* s) const {
    const auto u = array(x.subspan(logits(p), k_));
    auto share = array(std::span(s, k_));
    xt::noalias(share) = xt::exp(logit_scale_ * (u - xt::amax(u)()));
    share /= xt::sum(share)();
}

void SmoothFairKmeans::distances(std::span<const double> x, std::size_t p, double* squared) const {
    for (std::size_t l = 0; l < k_; ++l) {
        squared[l] = 0;
        for (std::size_t i = 0; i < d_; ++i) {
            const double gap = static_cast<double>(row(p)[i]) - x[l * d_ + i];
            squared[l] += gap * gap;
        }
    }
}

double SmoothFairKmeans::cost(std::span<const double> x) {
    check_length(x.size(), "variables", size());
    double sum = 0;
    for (std::size_t p = 0; p < n_; ++p) {
        shares(x, p, shares_.data());
        distances(x, p, squared_.data());
        for (std::size_t l = 0; l < k_; ++l) sum += shares_[l] * squared_[l];
    }
    return sum / static_cast<double>(n_);
}

// Adds `weight` times the gradient of sum_l s_pl |x_p - c_l|^2. By a logit it is s_pl (|x_p - c_l|^2 - this sum).
void SmoothFairKmeans::add_cost_gradient(std::span<const double> x, std::size_t p, double weight,
                                         std::span<double> gradient) {
    shares(x, p, shares_.data());
    distances(x, p, squared_.data());
    double mean = 0;
    for (std::size_t l = 0; l < k_; ++l) mean += shares_[l] * squared_[l];
    for (std::size_t l = 0; l < k_; ++l) {
        gradient[logits(p) + l] += weight * logit_scale_ * shares_[l] * (squared_[l] - mean);
        for (std::size_t i = 0; i < d_; ++i)
            gradient[l * d_ + i] += weight * 2 * shares_[l] * (x[l * d_ + i] - static_cast<double>(row(p)[i]));
    }
}

void SmoothFairKmeans::cost_gradient(std::span<const double> x, std::span<double> gradient) {
    check_length(x.size(), "variables", size());
    check_length(gradient.size(), "entries of a gradient", size());
    std::ranges::fill(gradient, 0);
    for (std::size_t p = 0; p < n_; ++p) add_cost_gradient(x, p, 1 / static_cast<double>(n_), gradient);
}

void SmoothFairKmeans::sampled_cost_gradient(std::span<const double> x, Draws& draws, std::span<double> gradient) {
    check_length(x.size(), "variables", size());
    check_length(gradient.size(), "entries of a gradient", size());
    std::ranges::fill(gradient, 0);
    for (int i = 0; i < batch_; ++i)
        add_cost_gradient(x, draws.below(static_cast<std::uint32_t>(n_)), 1 / static_cast<double>(batch_), gradient);
}

// Visits every ratio m_lj / m_lj' of `counts_`, with the indices of both.
template <class Visit> void SmoothFairKmeans::for_each_ratio(Visit&& visit) const {
    for (std::size_t first = 0; first < counts_.size(); first += group_count_)
        for (std::size_t j = first; j < first + group_count_; ++j)
            for (std::size_t other = first; other < first + group_count_; ++other)
                if (j != other) visit(ratio(counts_[j], counts_[other]), j, other);
}

// Computes the soft counts. Leaves the shares in `out`, n x k, if it has room for them.
void SmoothFairKmeans::count(std::span<const double> x, std::span<double> out) {
    std::ranges::fill(counts_, 0);
    for (std::size_t p = 0; p < n_; ++p) {
        double* s = out.empty() ? shares_.data() : out.data() + p * k_;
        shares(x, p, s);
        for (std::size_t l = 0; l < k_; ++l) counts_[l * group_count_ + groups_[p]] += s[l];
    }
}

SmoothFairKmeans::SoftMinimum SmoothFairKmeans::soft_minimum() const {
    SoftMinimum minimum{std::numeric_limits<double>::infinity(), 0};
    for_each_ratio([&](double r, auto, auto) { minimum.least = std::min(minimum.least, r); });
    for_each_ratio([&](double r, auto, auto) { minimum.sum += std::exp((minimum.least - r) / temperature_); });
    return minimum;
}

double SmoothFairKmeans::imbalance(std::span<const double> x) {
    check_length(x.size(), "variables", size());
    count(x, {});
    const SoftMinimum minimum = soft_minimum();
    return temperature_ * std::log(minimum.sum) - minimum.least;
}

// Computes the derivatives of f^b by the soft counts. The derivative by r is -w, with w the weight of r in the soft
// minimum; r has the derivatives 1 / m_lj' by m_lj and -r / m_lj' by m_lj'.
void SmoothFairKmeans::slope_of_imbalance() {
    std::ranges::fill(slopes_, 0);
    const SoftMinimum minimum = soft_minimum();
    for_each_ratio([&](double r, std::size_t j, std::size_t other) {
        const double w = std::exp((minimum.least - r) / temperature_) / minimum.sum;
        if (counts_[other] < least_count) return;
        slopes_[j] -= w / counts_[other];
        slopes_[other] += w * r / counts_[other];
    });
}

void SmoothFairKmeans::imbalance_gradient(std::span<const double> x, std::span<double> gradient) {
    check_length(x.size(), "variables", size());
    check_length(gradient.size(), "entries of a gradient", size());
    std::ranges::fill(gradient.first(k_ * d_), 0);
    count(x, gradient.subspan(k_ * d_));
    slope_of_imbalance();
    for (std::size_t p = 0; p < n_; ++p) {
        double* s = gradient.data() + logits(p);
        const auto slope = [&](std::size_t l) { return slopes_[l * group_count_ + groups_[p]]; };
        double mean = 0;
        for (std::size_t l = 0; l < k_; ++l) mean += s[l] * slope(l);
        for (std::size_t l = 0; l < k_; ++l) s[l] *= logit_scale_ * (slope(l) - mean);
    }
}

}  // namespace fairstream
