#include <fairstream/fair_assignment/detail/fair_assignment.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fairstream/fair_assignment/detail/cheaper_labels.hpp>
#include <fairstream/fair_assignment/detail/cheapest_counts.hpp>
#include <fairstream/fair_assignment/detail/count_problem.hpp>
#include <fairstream/fair_assignment/detail/ranked_gaps.hpp>
#include <fairstream/fair_assignment/detail/transport.hpp>
#include <fairstream/fair_assignment/detail/weighted_gaps.hpp>

namespace fairstream {
namespace {

// If more points of a cell than this are misplaced, its prices are adjusted before points are moved one by one.
constexpr std::int64_t many = 32;

// Returns a price at which `count` points join: between the gaps of the last point that joins and of the first point
// that does not join. `gaps` must not be empty and are reordered.
float price_of(std::span<float> gaps, std::size_t count) {
    const auto next = gaps.begin() + static_cast<std::ptrdiff_t>(std::min(count, gaps.size() - 1));
    std::ranges::nth_element(gaps, next);
    const float margin = 1e-6F * std::max(std::abs(*next), 1e-30F);
    if (count == 0) return -*next + margin;
    if (count >= gaps.size()) return -*next - margin;
    return -(*next + *std::max_element(gaps.begin(), next)) / 2;
}

}  // namespace

void FairAssignment::begin(const Window& window, std::size_t k, std::span<const std::uint32_t> attributes) {
    n_ = window.size();
    k_ = k;
    attributes_.assign(attributes.begin(), attributes.end());
    prices_by_demand_.clear();
    sort_into_cells(window, attributes);
    groups_.clear();
    known_.clear();
    for (const std::uint32_t attribute : attributes) {
        groups_.push_back(window.format().attributes[attribute].groups.size());
        known_.push_back(window.format().attributes[attribute].known_groups());
    }
    weights_.clear();
    unit_ = window.weight_unit();
    if (window.format().has_weights)
        for (const Slot slot : order_) weights_.push_back(window.weight(slot));
    rows_.copy(window.features(0), window.dimensions(), order_);
    for (CacheLineVector<float>* const values : {&distances_, &later_}) {
        values->clear();  // growth then copies nothing
        values->resize(k * n_);
    }
    prices_.assign(cells_.size() * k, 0);
    earlier_.resize(n_);
    band_scratch_.resize(n_ + 16);
    gaps_.resize(n_);
    labels_.resize(n_);
}

void FairAssignment::sort_into_cells(const Window& window, std::span<const std::uint32_t> attributes) {
    // Cells are numbered by their groups; the group of the last attribute varies fastest. A counting sort keeps the
    // order of slots.
    std::vector<std::size_t> sizes;
    std::size_t count = 1;
    for (const std::uint32_t attribute : attributes) {
        sizes.push_back(window.format().attributes[attribute].groups.size());
        count *= sizes.back();
    }
    const auto cell_of = [&](Slot slot) {
        std::size_t cell = 0;
        for (std::size_t a = 0; a < attributes.size(); ++a) cell = cell * sizes[a] + window.group(slot, attributes[a]);
        return cell;
    };
    cells_.clear();
    std::vector<std::size_t> next(count + 1);
    for (Slot slot = 0; slot < n_; ++slot) ++next[cell_of(slot) + 1];
    for (std::size_t cell = 0; cell < count; ++cell) {
        if (next[cell + 1] > 0) {
            std::vector<GroupId> groups(attributes.size());
            for (std::size_t a = attributes.size(), rest = cell; a-- > 0; rest /= sizes[a])
                groups[a] = static_cast<GroupId>(rest % sizes[a]);
            cells_.push_back({next[cell], next[cell + 1], std::move(groups)});
        }
        next[cell + 1] += next[cell];
    }
    order_.resize(n_);
    for (Slot slot = 0; slot < n_; ++slot) order_[next[cell_of(slot)]++] = slot;
}

void FairAssignment::measure(std::span<const float> centres) {
    rows_.measure(centres, distances_);
    scale_ = typical_distance();
}

// Returns the median distance of a sample of points to their nearest centre; a mean would follow a few distant points.
double FairAssignment::typical_distance() const {
    constexpr std::size_t enough = 256;
    std::vector<float> nearest;
    for (std::size_t i = 0; i < n_; i += std::max<std::size_t>(1, n_ / enough)) {
        float least = distances_[i];
        for (std::size_t l = 1; l < k_; ++l) least = std::min(least, distances_[l * n_ + i]);
        nearest.push_back(least);
    }
    if (nearest.empty()) return 0;
    const auto middle = nearest.begin() + static_cast<std::ptrdiff_t>(nearest.size() / 2);
    std::ranges::nth_element(nearest, middle);
    return *middle;
}

std::size_t FairAssignment::column(const Demand& demand) const {
    return static_cast<std::size_t>(std::ranges::find(attributes_, demand.attribute) - attributes_.begin());
}

// Resets prices that do not fit the demands. Resumed prices may not fit, because options change and groups become rare.
void FairAssignment::reset_unfit_prices(std::span<const Demand> demands) {
    bool fit = prices_by_demand_.size() == demands.size() + 1 && prices_by_demand_.back().size() == k_;
    for (std::size_t i = 0; fit && i < demands.size(); ++i)
        fit = prices_by_demand_[i].size() == k_ * groups_[column(demands[i])];
    if (fit) return;
    prices_by_demand_.clear();
    for (const Demand& demand : demands) prices_by_demand_.emplace_back(k_ * groups_[column(demand)]);
    prices_by_demand_.emplace_back(k_);
}

void FairAssignment::optimise_prices(std::span<const Demand> demands, const SizeDemand& sizes) {
    reset_unfit_prices(demands);
    for (std::size_t l = 0; l < k_; ++l) update_cell_prices(l, demands);
    price_later_clusters();
    std::ranges::fill(earlier_, std::numeric_limits<float>::infinity());
    for (std::size_t l = 0; l < k_; ++l) optimise_cluster_prices(l, demands, sizes);
}

void FairAssignment::price_later_clusters() {
    std::fill_n(&later_[(k_ - 1) * n_], n_, std::numeric_limits<float>::infinity());
    for (std::size_t l = k_ - 1; l > 0; --l)
        for (std::size_t c = 0; c < cells_.size(); ++c) {
            const std::size_t at = l * n_ + cells_[c].first;
            kernels_.least_priced(&distances_[at], cells_[c].size, prices_[c * k_ + l], &later_[at], &later_[at - n_]);
        }
}

void FairAssignment::update_cell_prices(std::size_t l, std::span<const Demand> demands) {
    for (std::size_t c = 0; c < cells_.size(); ++c) {
        double price = prices_by_demand_.back()[l];
        for (std::size_t i = 0; i < demands.size(); ++i) {
            const std::size_t a = column(demands[i]);
            price += prices_by_demand_[i][l * groups_[a] + cells_[c].groups[a]];
        }
        prices_[c * k_ + l] = static_cast<float>(price);
    }
}

void FairAssignment::optimise_cluster_prices(std::size_t l, std::span<const Demand> demands, const SizeDemand& sizes) {
    kernels_.gaps(&distances_[l * n_], n_, earlier_.data(), &later_[l * n_], gaps_.data());
    // Prices of one demand change the counts of the others.
    const int sweeps = demands.size() + !sizes.empty() > 1 ? 2 : 1;
    for (int sweep = 0; sweep < sweeps && k_ > 1; ++sweep) {
        for (std::size_t i = 0; i < demands.size(); ++i) {
            optimise_demand_prices(l, i, demands[i]);
            update_cell_prices(l, demands);
        }
        if (!sizes.empty()) {
            optimise_size_price(l, sizes);
            update_cell_prices(l, demands);
        }
    }
    for (std::size_t c = 0; c < cells_.size(); ++c) {
        const std::size_t first = cells_[c].first;
        kernels_.least_priced(&distances_[l * n_ + first], cells_[c].size, prices_[c * k_ + l], &earlier_[first],
                              &earlier_[first]);
    }
}

// Returns the distance from a price within which its gap is searched first; prices change little between rounds.
double FairAssignment::usual_reach(double price) const {
    return std::max(scale_ / 256, std::abs(price) / 64);
}

// Collects the gaps of each group without the prices of this demand; `own` are the present prices of this demand.
std::vector<RankedGaps> FairAssignment::ranked_gaps(std::size_t l, std::span<const double> own, const Demand& demand) {
    constexpr double wider_by = 8, any = 1e6;
    const std::size_t attribute = column(demand);
    std::vector<RankedGaps> gaps;
    for (const double price : own) {
        const double widest = demand.of_shares() ? std::max(wider_by * scale_ / 64, std::abs(price) / 2) : any * scale_;
        gaps.emplace_back(-price, usual_reach(price), widest, band_scratch_);
    }
    for (std::size_t c = 0; c < cells_.size(); ++c)
        if (const std::size_t j = cells_[c].groups[attribute]; j < own.size())
            gaps[j].add(std::span(gaps_).subspan(cells_[c].first, cells_[c].size),
                        static_cast<float>(double{prices_[c * k_ + l]} - own[j]));
    for (RankedGaps& group : gaps) group.collect();
    return gaps;
}

void FairAssignment::optimise_demand_prices(std::size_t l, std::size_t which, const Demand& demand) {
    const std::size_t a = column(demand);
    // Points of unknown group pay no price for the demand.
    const std::span<double> own = std::span(prices_by_demand_[which]).subspan(l * groups_[a], known_[a]);
    if (demand.empty()) {
        std::ranges::fill(own, 0);
        return;
    }
    if (!weights_.empty()) return optimise_weighted_prices(l, own, a, demand);
    std::vector<RankedGaps> gaps = ranked_gaps(l, own, demand);
    const std::vector<std::size_t> members = cheapest_counts(demand, gaps);
    for (std::size_t j = 0; j < own.size(); ++j)
        own[j] = members[j] == gaps[j].free() ? 0 : gaps[j].price_for(members[j]);
}

// Does what `optimise_demand_prices` does if weights differ: weights replace counts.
void FairAssignment::optimise_weighted_prices(std::size_t l, std::span<double> own, std::size_t attribute,
                                              const Demand& demand) {
    std::vector<WeightedGaps> gaps(own.size());
    for (std::size_t c = 0; c < cells_.size(); ++c) {
        const std::size_t j = cells_[c].groups[attribute];
        if (j >= own.size()) continue;
        const auto others = static_cast<float>(double{prices_[c * k_ + l]} - own[j]);
        gaps[j].add(std::span(gaps_).subspan(cells_[c].first, cells_[c].size), others,
                    std::span(weights_).subspan(cells_[c].first, cells_[c].size));
    }
    for (std::size_t j = 0; j < gaps.size(); ++j) gaps[j].close(-own[j], usual_reach(own[j]));
    const std::vector<double> masses = cheapest_masses(demand, gaps);
    for (std::size_t j = 0; j < own.size(); ++j)
        own[j] = std::abs(masses[j] - gaps[j].free()) <= 1e-9 * gaps[j].total() ? 0 : gaps[j].price_for(masses[j]);
}

void FairAssignment::optimise_weighted_size_price(std::size_t l, const SizeDemand& sizes) {
    double& own = prices_by_demand_.back()[l];
    WeightedGaps gaps;
    for (std::size_t c = 0; c < cells_.size(); ++c) {
        const auto others = static_cast<float>(double{prices_[c * k_ + l]} - own);
        gaps.add(std::span(gaps_).subspan(cells_[c].first, cells_[c].size), others,
                 std::span(weights_).subspan(cells_[c].first, cells_[c].size));
    }
    gaps.close(-own, usual_reach(own));
    const double wanted = gaps.free(), least = unit_ * static_cast<double>(sizes.at_least),
                 most = unit_ * static_cast<double>(sizes.at_most);
    const double mass = std::min(std::max(std::min(wanted, most), least), gaps.total());
    own = mass == wanted ? 0 : gaps.price_for(mass);
}

void FairAssignment::optimise_size_price(std::size_t l, const SizeDemand& sizes) {
    if (!weights_.empty()) return optimise_weighted_size_price(l, sizes);
    double& own = prices_by_demand_.back()[l];
    std::size_t free = 0;
    for (std::size_t c = 0; c < cells_.size(); ++c) {
        const auto others = static_cast<float>(double{prices_[c * k_ + l]} - own);
        for (std::size_t i = cells_[c].first; i < cells_[c].first + cells_[c].size; ++i)
            free += (band_scratch_[i] = gaps_[i] + others) < 0;
    }
    const auto wanted = static_cast<std::int64_t>(free);
    const std::int64_t members =
        std::min(std::max(std::min(wanted, sizes.at_most), sizes.at_least), static_cast<std::int64_t>(n_));
    own = members == wanted ? 0 : price_of(std::span(band_scratch_).first(n_), static_cast<std::size_t>(members));
}

std::span<const ClusterId> FairAssignment::assign() {
    for (std::size_t c = 0; c < cells_.size(); ++c)
        kernels_.priced_nearest(&distances_[cells_[c].first], n_, cells_[c].size, k_, &prices_[c * k_],
                                &labels_[cells_[c].first]);
    return labels_;
}

std::vector<std::int64_t> FairAssignment::counts_of(std::span<const ClusterId> labels) const {
    std::vector<std::int64_t> counts(k_ * cells_.size());
    for (std::size_t c = 0; c < cells_.size(); ++c)
        for (std::size_t i = 0; i < cells_[c].size; ++i)
            ++counts[static_cast<std::size_t>(labels[cells_[c].first + i]) * cells_.size() + c];
    return counts;
}

// Returns the same as `price_of` without reordering the gaps; searches near a price first.
float FairAssignment::price_for_count(std::span<const float> gaps, std::size_t count, float about) {
    constexpr double wider_by = 8;
    constexpr int bands = 4;
    double reach = usual_reach(about);
    for (int band = 0; band < bands; ++band, reach *= wider_by) {
        std::size_t below = 0, free = 0;
        const std::size_t near =
            kernels_.within(gaps.data(), gaps.size(), static_cast<float>(-about - reach),
                            static_cast<float>(-about + reach), 0, band_scratch_.data(), &below, &free);
        // The band contains the gaps of the last point that joins and of the first point that does not join.
        if (below < count && count < below + near) return price_of(std::span(band_scratch_).first(near), count - below);
    }
    std::ranges::copy(gaps, band_scratch_.begin());
    return price_of(std::span(band_scratch_).first(gaps.size()), count);
}

// Adjusts the prices of one cell, one cluster at a time as in `optimise_prices`, until its counts are near `wanted`.
// Labels its points by these prices.
void FairAssignment::price_counts(std::size_t c, std::span<const std::int64_t> wanted) {
    constexpr int sweeps = 2;
    constexpr float infinite = std::numeric_limits<float>::infinity();
    const auto [first, size, groups] = cells_[c];
    const std::span<float> prices = std::span(prices_).subspan(c * k_, k_),
                           gaps = std::span(gaps_).subspan(first, size);
    for (int sweep = 0; sweep < sweeps && k_ > 1; ++sweep) {
        std::fill_n(&later_[(k_ - 1) * n_ + first], size, infinite);
        for (std::size_t l = k_ - 1; l > 0; --l)
            kernels_.least_priced(&distances_[l * n_ + first], size, prices[l], &later_[l * n_ + first],
                                  &later_[(l - 1) * n_ + first]);
        std::fill_n(&earlier_[first], size, infinite);
        for (std::size_t l = 0; l < k_; ++l) {
            kernels_.gaps(&distances_[l * n_ + first], size, &earlier_[first], &later_[l * n_ + first], gaps.data());
            const auto count =
                static_cast<std::size_t>(std::clamp<std::int64_t>(wanted[l], 0, static_cast<std::int64_t>(size)));
            prices[l] = price_for_count(gaps, count, prices[l]);
            kernels_.least_priced(&distances_[l * n_ + first], size, prices[l], &earlier_[first], &earlier_[first]);
        }
    }
    kernels_.priced_nearest(&distances_[first], n_, size, k_, prices.data(), &labels_[first]);
}

std::span<const ClusterId> FairAssignment::assign_counts(std::span<const std::int64_t> counts) {
    std::vector<std::int64_t> wanted(k_);
    for (std::size_t c = 0; c < cells_.size(); ++c) {
        const Cell& cell = cells_[c];
        std::vector<std::int64_t> surplus(k_);
        for (const ClusterId label : std::span(labels_).subspan(cell.first, cell.size))
            ++surplus[static_cast<std::size_t>(label)];
        std::int64_t out_of_place = 0;
        for (std::size_t l = 0; l < k_; ++l) {
            wanted[l] = counts[l * cells_.size() + c];
            out_of_place += std::max<std::int64_t>(0, surplus[l] - wanted[l]);
        }
        // `transport` finds a path for each misplaced point, which is slow for many.
        if (out_of_place > many) price_counts(c, wanted);
        transport(std::span(distances_).subspan(cell.first), n_, std::span(prices_).subspan(c * k_, k_), wanted,
                  std::span(labels_).subspan(cell.first, cell.size));
    }
    return labels_;
}

double FairAssignment::cost_of(std::span<const ClusterId> labels) const {
    double cost = 0;
    for (std::size_t i = 0; i < n_; ++i) cost += distances_[static_cast<std::size_t>(labels[i]) * n_ + i];
    return cost;
}

CellDistances FairAssignment::distances() const {
    CellDistances points{distances_, {}};
    for (const Cell& cell : cells_) points.ends.push_back(cell.first + cell.size);
    return points;
}

CountProblem count_problem(const Demands& demands, const StreamFormat& format, const FairAssignment& assignment,
                           std::span<const float> centres) {
    const std::size_t k = assignment.clusters(), d = centres.size() / k;
    CountProblem problem{k, {}, {assignment.attributes().begin(), assignment.attributes().end()}, {}, demands};
    for (const std::uint32_t a : problem.attributes) problem.groups.push_back(format.attributes[a].known_groups());
    for (std::size_t cell = 0; cell < assignment.cells(); ++cell) {
        const std::span<const GroupId> groups = assignment.groups_of(cell);
        problem.cells.emplace_back(groups.begin(), groups.end());
    }
    for (std::size_t l = 0; l < k; ++l)
        for (std::size_t h = 0; h < k; ++h)
            problem.apart.push_back(kernels().distance(&centres[l * d], &centres[h * d], d));
    // Centres may coincide.
    const double far = std::ranges::max(problem.apart);
    for (double& apart : problem.apart) apart = far > 0 ? std::max(apart, 1e-6 * far) : 1;
    return problem;
}

}  // namespace fairstream
