#include <fairstream/models/safairkm/detail/weighted_gaps.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace fairstream::safairkm {

void WeightedGaps::sort() {
    std::ranges::sort(points_);
    double total = 0;
    for (const auto& [gap, weight] : points_) reached_.push_back(total += weight);
}

double WeightedGaps::below(double gap) const {
    const auto end = std::ranges::lower_bound(points_, gap, {}, [](const auto& point) { return double{point.first}; });
    return end == points_.begin() ? 0 : reached_[static_cast<std::size_t>(end - points_.begin()) - 1];
}

double WeightedGaps::at(double mass) const {
    const auto next = std::ranges::upper_bound(reached_, mass);
    if (next == reached_.end()) return std::numeric_limits<double>::infinity();
    return points_[static_cast<std::size_t>(next - reached_.begin())].first;
}

double WeightedGaps::price_for(double mass) const {
    if (points_.empty()) return 0;
    const auto margin = [](double gap) { return 1e-6 * std::max(std::abs(gap), 1e-30); };
    auto count = static_cast<std::size_t>(std::ranges::upper_bound(reached_, mass) - reached_.begin());
    if (count < reached_.size()) {
        const double before = count == 0 ? 0 : reached_[count - 1];
        if (reached_[count] - mass < mass - before) ++count;
    }
    if (count == 0) return -points_[0].first + margin(points_[0].first);
    if (count == points_.size()) return -points_.back().first - margin(points_.back().first);
    return -(double{points_[count - 1].first} + double{points_[count].first}) / 2;
}

namespace {

constexpr int bisections = 40;
constexpr double past_the_last = 1e30;  // stands for the gap of a point that is not there

// Finds the weights with all w_j M_j between ratio * t and t for one t, the scale: a group that must have more than
// wants to join adds the gap of the next to the slope of the cost by t, one that may have less takes it away.
std::vector<double> masses_by_ratio(const Demand& demand, const std::vector<WeightedGaps>& gaps) {
    std::vector<double> masses;
    double low = 0, high = 0;
    for (std::size_t j = 0; j < gaps.size(); ++j) {
        masses.push_back(gaps[j].free());
        high = std::max(high, demand.weight(j) * masses[j]);
    }
    const double most = high;
    const auto slope = [&](double t) {
        double sum = 0;
        for (std::size_t j = 0; j < gaps.size(); ++j) {
            const double weight = demand.weight(j);
            if (weight == 0) continue;
            if (const double least = demand.ratio * t / weight; least > masses[j])
                sum += demand.ratio / weight * std::min(past_the_last, gaps[j].at(least));
            else if (const double greatest = t / weight; greatest < masses[j])
                sum += std::min(past_the_last, gaps[j].at(greatest)) / weight;
        }
        return sum;
    };
    for (int i = 0; i < bisections && high - low > 1e-9 * most; ++i) {
        const double middle = low + (high - low) / 2;
        (slope(middle) >= 0 ? high : low) = middle;
    }
    double reached = 0;
    for (std::size_t j = 0; j < gaps.size(); ++j) {
        if (demand.weight(j) == 0) continue;
        masses[j] = std::min(masses[j], high / demand.weight(j));
        reached = std::max(reached, demand.weight(j) * masses[j]);
    }
    for (std::size_t j = 0; j < gaps.size(); ++j)
        if (const double weight = demand.weight(j); weight > 0)
            masses[j] = std::min(std::max(masses[j], demand.ratio * reached / weight), gaps[j].total());
    return masses;
}

// The weights of a cluster of mass M: with a gap `margin` at which all groups stop that no bound stops before.
class SharedMasses {
public:
    SharedMasses(const Demand& demand, const std::vector<WeightedGaps>& gaps) : demand_(demand), gaps_(gaps) {
        for (const WeightedGaps& of_group : gaps) all_ += of_group.total();
    }

    std::vector<double> solve() {
        double low = 0, high = all_;
        for (int i = 0; i < bisections && high - low > 1e-7 * all_; ++i) {
            const double middle = low + (high - low) / 2;
            (slope(middle) >= 0 ? high : low) = middle;
        }
        find_margin(high);
        return masses_;
    }

private:
    // Finds the margin, and the weights there.
    void find_margin(double mass) {
        const auto sum_at = [&](double margin) {
            double sum = 0;
            masses_.clear();
            for (std::size_t j = 0; j < gaps_.size(); ++j) {
                const double least = demand_.lower[j] * mass, most = demand_.upper[j] * mass;
                const double wanted = std::clamp(gaps_[j].below(margin), least, std::max(least, most));
                masses_.push_back(std::min(wanted, gaps_[j].total()));
                sum += masses_.back();
            }
            return sum;
        };
        double low = std::numeric_limits<double>::infinity(), high = -low;
        for (const WeightedGaps& of_group : gaps_)
            if (of_group.total() > 0) {
                low = std::min(low, of_group.at(0));
                high = std::max(high, of_group.at(of_group.total() * (1 - 1e-15)));
            }
        if (!(low <= high)) low = high = 0;
        high += 1e-6 * std::abs(high) + 1e-30;
        for (int i = 0; i < bisections; ++i) {
            const double middle = low + (high - low) / 2;
            (sum_at(middle) >= mass ? high : low) = middle;
        }
        margin_ = high;
        (void)sum_at(high);
    }

    // Returns the derivative of the least cost by the cluster's mass.
    double slope(double mass) {
        find_margin(mass);
        double sum = margin_;
        for (std::size_t j = 0; j < gaps_.size(); ++j) {
            const double least = demand_.lower[j] * mass, most = demand_.upper[j] * mass,
                         wanted = gaps_[j].below(margin_);
            if (wanted < least)
                sum += demand_.lower[j] * (std::min(past_the_last, gaps_[j].at(least)) - margin_);
            else if (wanted > most)
                sum += demand_.upper[j] * (std::min(past_the_last, gaps_[j].at(most)) - margin_);
        }
        return sum;
    }

    const Demand& demand_;
    const std::vector<WeightedGaps>& gaps_;
    double all_ = 0, margin_ = 0;
    std::vector<double> masses_;
};

}  // namespace

std::vector<double> cheapest_masses(const Demand& demand, const std::vector<WeightedGaps>& gaps) {
    return demand.of_shares() ? SharedMasses(demand, gaps).solve() : masses_by_ratio(demand, gaps);
}

}  // namespace fairstream::safairkm
