#include <fairstream/fair_assignment/detail/weighted_gaps.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace fairstream {

namespace {

constexpr float endless = std::numeric_limits<float>::infinity();
// A stretch of at most this many points is sorted, not divided further.
constexpr std::size_t few = 48;

}  // namespace

void WeightedGaps::close(double middle, double reach) {
    const auto low = static_cast<float>(middle - reach), high = static_cast<float>(middle + reach),
               centre = static_cast<float>(middle);
    std::size_t count = 0, near = 0, lower = 0;
    for (const Source& source : sources_) count += source.gaps.size();
    points_.resize(count);
    double before = 0, within = 0;
    for (const auto& [gaps, shift, weights] : sources_)
        for (std::size_t i = 0; i < gaps.size(); ++i) {
            const float gap = gaps[i] + shift;
            const double weight = weights[i];
            const bool is_low = gap < low, is_near = !is_low && gap <= high;
            // Always written, even if the next entry then replaces it: a branch on this would be unpredictable.
            points_[near] = {gap, weight};
            near += is_near ? 1 : 0;
            lower += is_low ? 1 : 0;
            before += is_low ? weight : 0;
            within += is_near ? weight : 0;
            free_ += gap < 0 ? weight : 0;
            mass_below_middle_ += gap < centre ? weight : 0;
            total_ += weight;
        }
    if (before + within > total_ || near == count) total_ = before + within;
    if (near == count) {
        stretches_ = {{0, 0, -endless}, {count, total_, endless}};
    } else {
        const float above = std::nextafter(high, endless);
        // Near gaps are in front until all are taken in.
        stretches_ = {{0, 0, -endless, false, false},
                      {lower, before, low},
                      {lower + near, before + within, above, false, false},
                      {count, total_, endless}};
        std::copy_backward(points_.begin(), points_.begin() + static_cast<std::ptrdiff_t>(near),
                           points_.begin() + static_cast<std::ptrdiff_t>(lower + near));
    }
    cumulative_weights_.resize(count);
}

// Takes in the gaps outside the band.
void WeightedGaps::load_outside_band() {
    if (stretches_.front().is_loaded) return;
    const float low = stretches_[1].least, above = stretches_[stretches_.size() - 2].least;
    std::size_t lower = 0, upper = stretches_[stretches_.size() - 2].first;
    for (const auto& [gaps, shift, weights] : sources_)
        for (std::size_t i = 0; i < gaps.size(); ++i) {
            const float gap = gaps[i] + shift;
            if (gap < low)
                points_[lower++] = {gap, weights[i]};
            else if (gap >= above)
                points_[upper++] = {gap, weights[i]};
        }
    stretches_.front().is_loaded = stretches_[stretches_.size() - 2].is_loaded = true;
}

// Divides a stretch into the gaps below `limit` and the others, and returns how many are below. If all or none are, the
// stretch does not change.
std::size_t WeightedGaps::divide_at(std::size_t s, float limit) {
    const std::size_t first = stretches_[s].first, count = end(s) - first;
    upper_.resize(count);
    std::size_t lower = 0, upper = 0;
    double weight = 0;
    // Both entries are written: a branch on which of them is kept would be unpredictable.
    for (std::size_t i = 0; i < count; ++i) {
        const Point point = points_[first + i];
        const bool is_lower = point.gap < limit;
        points_[first + lower] = upper_[upper] = point;
        lower += is_lower ? 1 : 0;
        upper += is_lower ? 0 : 1;
        weight += is_lower ? point.weight : 0;
    }
    std::copy_n(upper_.begin(), upper, points_.begin() + static_cast<std::ptrdiff_t>(first + lower));
    if (lower > 0 && upper > 0)
        stretches_.insert(stretches_.begin() + static_cast<std::ptrdiff_t>(s) + 1,
                          {first + lower, stretches_[s].before + weight, limit});
    return lower;
}

// Divides a stretch at the median of three of its gaps; a stretch of equal gaps becomes ordered.
void WeightedGaps::divide(std::size_t s) {
    const std::size_t first = stretches_[s].first, count = end(s) - first;
    const auto gap = [&](std::size_t i) { return points_[first + i].gap; };
    const float a = gap(0), b = gap(count / 2), c = gap(count - 1);
    const float middle = std::max(std::min(a, b), std::min(std::max(a, b), c));
    if (divide_at(s, middle) > 0) return;
    // The median is the least gap.
    (void)divide_at(s, std::nextafter(middle, endless));
    order(s);
}

// Sorts a stretch; a stretch of equal gaps, which may be long, by weight.
void WeightedGaps::order(std::size_t s) {
    const auto begin = points_.begin() + static_cast<std::ptrdiff_t>(stretches_[s].first);
    const auto last = points_.begin() + static_cast<std::ptrdiff_t>(end(s));
    std::sort(begin, last,
              [](const Point& a, const Point& b) { return a.gap < b.gap || (a.gap == b.gap && a.weight < b.weight); });
    double reached = stretches_[s].before;
    for (std::size_t i = stretches_[s].first; i < end(s); ++i) cumulative_weights_[i] = reached += points_[i].weight;
    // Sums added in another order differ by rounding.
    if (stretches_[s].first < end(s)) cumulative_weights_[end(s) - 1] = stretches_[s + 1].before;
    stretches_[s].in_order = true;
}

// Returns the last stretch that is not behind the wanted place, after dividing and sorting stretches until this one is
// in order.
template <class IsBehind> std::size_t WeightedGaps::ordered_stretch(const IsBehind& is_behind) {
    for (;;) {
        const auto behind = std::partition_point(stretches_.begin() + 1, stretches_.end() - 1,
                                                 [&](const Stretch& stretch) { return !is_behind(stretch); });
        const auto s = static_cast<std::size_t>(behind - stretches_.begin()) - 1;
        if (stretches_[s].in_order) return s;
        if (!stretches_[s].is_loaded)
            load_outside_band();
        else if (end(s) - stretches_[s].first <= few)
            order(s);
        else
            divide(s);
    }
}

std::size_t WeightedGaps::stretch_of_gap(double gap) {
    return ordered_stretch([=](const Stretch& stretch) { return gap < double{stretch.least}; });
}

std::size_t WeightedGaps::stretch_of_mass(double mass) {
    return ordered_stretch([=](const Stretch& stretch) { return mass < stretch.before; });
}

double WeightedGaps::below(double gap) {
    const std::size_t s = stretch_of_gap(gap);
    std::size_t i = stretches_[s].first;
    while (i < end(s) && double{points_[i].gap} < gap) ++i;
    return cumulative_weight_before(i, s);
}

double WeightedGaps::cumulative_weight_before(std::size_t i, std::size_t s) const {
    return i == stretches_[s].first ? stretches_[s].before : cumulative_weights_[i - 1];
}

// Returns the index of the point that joins next once points of total weight `mass` have joined.
std::size_t WeightedGaps::next_after(double mass) {
    const std::size_t s = stretch_of_mass(mass);
    const auto begin = cumulative_weights_.begin() + static_cast<std::ptrdiff_t>(stretches_[s].first);
    const auto last = cumulative_weights_.begin() + static_cast<std::ptrdiff_t>(end(s));
    return static_cast<std::size_t>(std::upper_bound(begin, last, mass) - cumulative_weights_.begin());
}

double WeightedGaps::at(double mass) {
    if (mass >= total_) return std::numeric_limits<double>::infinity();
    return points_[next_after(mass)].gap;
}

double WeightedGaps::price_for(double mass) {
    if (points_.empty()) return 0;
    const auto margin = [](double gap) { return 1e-6 * std::max(std::abs(gap), 1e-30); };
    std::size_t count = mass >= total_ ? points_.size() : next_after(mass);
    if (count < points_.size()) {
        const std::size_t s = stretch_of_mass(mass);
        const double before = cumulative_weight_before(count, s);
        if (cumulative_weights_[count] - mass < mass - before) ++count;
    }
    // The largest gap before index `count`, and the least gap from this index on; their stretches need not be ordered.
    float lower = -endless, upper = endless;
    for (std::size_t s = 0; s + 1 < stretches_.size(); ++s) {
        if (end(s) < count || stretches_[s].first > count) continue;
        if (!stretches_[s].is_loaded) load_outside_band();
        for (std::size_t i = stretches_[s].first; i < end(s); ++i)
            if (stretches_[s].in_order ? i < count : stretches_[s].first < count)
                lower = std::max(lower, points_[i].gap);
            else
                upper = std::min(upper, points_[i].gap);
    }
    if (count == 0) return -upper + margin(upper);
    if (count == points_.size()) return -lower - margin(lower);
    return -(double{lower} + double{upper}) / 2;
}

namespace {

constexpr int bisections = 40;
constexpr double gap_of_missing_point = 1e30;

// Finds the weights with all w_j M_j between ratio * t and t for one t, the scale. A group that must have more weight
// than wants to join adds the gap of its next point to the slope of the cost by t; a group that may only have less
// subtracts this gap.
std::vector<double> masses_by_ratio(const Demand& demand, std::vector<WeightedGaps>& gaps) {
    std::vector<double> masses;
    double low = 0, high = 0;
    for (std::size_t j = 0; j < gaps.size(); ++j) {
        masses.push_back(gaps[j].free());
        high = std::max(high, demand.weight(j) * masses[j]);
    }
    const double most = high;
    double usual = 0;  // scale at which the groups have their weights at the present prices
    for (std::size_t j = 0; j < gaps.size(); ++j)
        usual = std::max(usual, demand.weight(j) * gaps[j].mass_below_middle());
    const auto slope = [&](double t) {
        double sum = 0;
        for (std::size_t j = 0; j < gaps.size(); ++j) {
            const double weight = demand.weight(j);
            if (weight == 0) continue;
            if (const double least = demand.ratio * t / weight; least > masses[j])
                sum += demand.ratio / weight * std::min(gap_of_missing_point, gaps[j].at(least));
            else if (const double greatest = t / weight; greatest < masses[j])
                sum += std::min(gap_of_missing_point, gaps[j].at(greatest)) / weight;
        }
        return sum;
    };
    const auto bisect_at = [&](double t) { (slope(t) >= 0 ? high : low) = t; };
    // Prices change little between rounds, so distant gaps need not be ordered.
    constexpr double nearby = 1.0 / 64, farther = 8;
    for (double way = nearby; way < 1 && usual > 0; way *= farther) {
        const double below = usual * (1 - way), above = usual * (1 + way);
        if (below > low && below < high) bisect_at(below);
        if (above > low && above < high) bisect_at(above);
        if (low >= below && high <= above) break;
    }
    for (int i = 0; i < bisections && high - low > 1e-9 * most; ++i) bisect_at(low + (high - low) / 2);
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

// The weight of each group in a cluster of mass M: the weight of its points with gaps below a common `margin`, raised
// or lowered to the bounds of the group.
class SharedMasses {
public:
    SharedMasses(const Demand& demand, std::vector<WeightedGaps>& gaps) : demand_(demand), gaps_(gaps) {
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
    // Finds the margin, and the weights at it.
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
        for (WeightedGaps& of_group : gaps_)
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
                sum += demand_.lower[j] * (std::min(gap_of_missing_point, gaps_[j].at(least)) - margin_);
            else if (wanted > most)
                sum += demand_.upper[j] * (std::min(gap_of_missing_point, gaps_[j].at(most)) - margin_);
        }
        return sum;
    }

    const Demand& demand_;
    std::vector<WeightedGaps>& gaps_;
    double all_ = 0, margin_ = 0;
    std::vector<double> masses_;
};

}  // namespace

std::vector<double> cheapest_masses(const Demand& demand, std::vector<WeightedGaps>& gaps) {
    return demand.of_shares() ? SharedMasses(demand, gaps).solve() : masses_by_ratio(demand, gaps);
}

}  // namespace fairstream
