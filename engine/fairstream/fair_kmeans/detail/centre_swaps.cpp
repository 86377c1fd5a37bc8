#include <fairstream/fair_kmeans/detail/centre_swaps.hpp>

#include <algorithm>
#include <limits>

#include <fairstream/fair_assignment/detail/cheaper_labels.hpp>
#include <fairstream/numeric/detail/interruption.hpp>

namespace fairstream::safairkm {
namespace {

// A swap that lowers the cost by a smaller share is not kept, since rounding could repeat it for ever.
constexpr double least_gain_of_swap = 1e-4;
// Largest number of rounds in a trial of a swap or of other centres. A round that gains less than this share of the
// cost ends the trial.
constexpr int rounds_of_trial = 50;
constexpr double end_of_trial = 1e-5;
// Largest number of swaps that are tried of those proposed together. A swap that first raises the cost by a larger
// share is not tried.
constexpr std::size_t tried_together = 3;
constexpr double most_raised = 0.1;

}  // namespace

CentreSwaps::CentreSwaps(const Window& points, std::span<const float> centres,
                         std::span<const std::uint32_t> attributes, const Demands& demands, FairAssignment& memory,
                         const WorkHandle& work)
    : points_(points),
      demands_(demands),
      work_(work),
      n_(points.size()),
      d_(points.dimensions()),
      k_(centres.size() / d_),
      assignment_(memory),
      lloyd_(points, centres, attributes, memory),
      centres_(centres.begin(), centres.end()),
      first_(n_),
      second_(n_),
      nearest_(n_),
      reached_(n_),
      there_(n_) {
    lloyd_.work = work;
}

double CentreSwaps::weight(std::size_t i) const {
    return points_.format().has_weights ? points_.weight(assignment_.order()[i]) : 1;
}

void CentreSwaps::follow(int rounds, Budget& budget) {
    for (int i = 0; i < rounds; ++i) {
        lloyd_.round(demands_);
        budget.spend(static_cast<double>(n_ * k_));
    }
    cost_ = lloyd_.cost(demands_);
    centres_.assign(lloyd_.centres().begin(), lloyd_.centres().end());
    prices_ = lloyd_.prices();
    rank_centres();
}

// Finds the two best centres of each point at the prices of the last round. Distances are those from which its
// assignment was made.
void CentreSwaps::rank_centres() {
    const CellDistances all = assignment_.distances();
    const std::span<const float> prices = assignment_.cell_prices();
    cell_prices_.assign(prices.begin(), prices.end());
    double sum = 0;
    for (std::size_t cell = 0, i = 0; cell < all.ends.size(); ++cell)
        for (; i < all.ends[cell]; ++i) {
            float first = std::numeric_limits<float>::infinity(), second = first;
            std::size_t nearest = 0;
            for (std::size_t l = 0; l < k_; ++l) {
                const float price = all.distances[l * n_ + i] + cell_prices_[cell * k_ + l];
                second = std::min(second, std::max(first, price));
                if (price < first) first = price, nearest = l;
            }
            first_[i] = first;
            second_[i] = second;
            nearest_[i] = static_cast<ClusterId>(nearest);
            reached_[i] = sum += weight(i) * double{all.distances[nearest * n_ + i]};
        }
}

// Draws a point with a chance proportional to its weight and squared distance.
std::size_t CentreSwaps::draw_candidate(Random& random) const {
    const auto at = std::ranges::upper_bound(reached_, random.unit() * reached_.back()) - reached_.begin();
    return std::min(static_cast<std::size_t>(at), n_ - 1);
}

// Returns the best swap that opens a cluster at this point, with the prices of the cluster that the point is in.
CentreSwaps::Swap CentreSwaps::best_swap(std::size_t at) {
    assignment_.measure_row({points_.features(assignment_.order()[at]), d_}, there_);
    const auto from = static_cast<std::size_t>(nearest_[at]);
    const std::vector<std::size_t> ends = assignment_.distances().ends;
    double opening = 0;               // change if no cluster closes
    std::vector<double> closing(k_);  // further change if this cluster closes
    for (std::size_t cell = 0, i = 0; cell < ends.size(); ++cell) {
        const float price = cell_prices_[cell * k_ + from];
        for (; i < ends[cell]; ++i) {
            const float there = there_[i] + price, gain = std::min(0.0F, there - first_[i]);
            opening += weight(i) * double{gain};
            closing[static_cast<std::size_t>(nearest_[i])] +=
                weight(i) * double{std::min(second_[i], there) - first_[i] - gain};
        }
    }
    const auto least = std::ranges::min_element(closing);
    return {static_cast<std::size_t>(least - closing.begin()), at, opening + *least};
}

// Returns the best swap of each of k candidates, the best first; n evaluations each.
std::vector<CentreSwaps::Swap> CentreSwaps::propose(Random& random) {
    std::vector<Swap> swaps;
    for (std::size_t i = 0; i < k_; ++i) swaps.push_back(best_swap(draw_candidate(random)));
    std::ranges::stable_sort(swaps, {}, &Swap::change);
    return swaps;
}

bool CentreSwaps::try_swap(const Swap& swap, Budget& budget) {
    std::vector<float> centres = centres_;
    std::copy_n(points_.features(assignment_.order()[swap.at]), d_, &centres[swap.closed * d_]);
    Prices prices = prices_;
    const auto from = static_cast<std::size_t>(nearest_[swap.at]);
    for (std::vector<double>& of_demand : prices) {
        const std::size_t groups = of_demand.size() / k_;
        std::copy_n(&of_demand[from * groups], groups, &of_demand[swap.closed * groups]);
    }
    lloyd_.continue_from(centres, prices);
    return becomes_cheaper(budget);
}

// Runs rounds from the centres and prices of `lloyd_` while they may still become cheaper than the present centres.
// Keeps them if they become cheaper, and returns whether they do.
bool CentreSwaps::becomes_cheaper(Budget& budget) {
    double cost = std::numeric_limits<double>::infinity(), last_fall = cost;
    for (int round = 0; round < rounds_of_trial && !work_.stopped(); ++round) {
        lloyd_.round(demands_);
        budget.spend(static_cast<double>(n_ * k_));
        const double before = cost;
        cost = lloyd_.cost(demands_);
        const double fall = std::max(0.0, before - cost);
        // If each fall is r times the previous fall, a fall f leaves f r / (1 - r) still to come.
        constexpr double most_lasting = 0.9;
        const double ratio = std::min(most_lasting, fall / last_fall);
        if (round > 1 && (fall < end_of_trial * cost || cost - fall * ratio / (1 - ratio) > cost_)) break;
        last_fall = fall;
    }
    if (cost > cost_ * (1 - least_gain_of_swap)) return false;
    cost_ = cost;
    centres_.assign(lloyd_.centres().begin(), lloyd_.centres().end());
    prices_ = lloyd_.prices();
    rank_centres();
    return true;
}

void CentreSwaps::search(Budget& budget, Random& random) {
    if (n_ <= k_ || k_ < 2) return;
    for (bool gains = true; gains && covers_trial(budget) && !work_.stopped();) {
        check_interrupted();
        const std::vector<Swap> swaps = propose(random);
        budget.spend(static_cast<double>(n_ * k_));
        work_.settle(work_of_pass(points_, k_, assignment_.work_of_distance()));
        gains = false;
        for (std::size_t i = 0; i < std::min(tried_together, swaps.size()) && !gains; ++i) {
            if (swaps[i].change > most_raised * cost_ * static_cast<double>(n_)) break;
            gains = try_swap(swaps[i], budget);
        }
    }
}

void CentreSwaps::try_others(std::span<const float> centres, Budget& budget) {
    if (!covers_trial(budget) || work_.stopped()) return;
    lloyd_.continue_from(centres, {});
    (void)becomes_cheaper(budget);
}

// Returns whether the evaluations of a short trial, and of the proposals before it, may be spent.
bool CentreSwaps::covers_trial(const Budget& budget) const {
    return budget.covers(4 * static_cast<double>(n_ * k_));
}

}  // namespace fairstream::safairkm
