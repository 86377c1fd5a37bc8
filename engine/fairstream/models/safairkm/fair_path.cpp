#include <fairstream/models/safairkm/fair_path.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fairstream/fairness/measures.hpp>
#include <fairstream/models/safairkm/updates.hpp>

namespace fairstream::safairkm {
namespace {

constexpr int lloyd_limit = 300;
constexpr int rounds_per_stage = 4;
// Candidates on each side of a swap: there are few swaps, so that many can be looked at.
constexpr std::size_t thorough = 2048;

}  // namespace

int FairPath::start() {
    for (std::size_t a = 0; a < clustering_.cells.attributes(); ++a)
        demands_.push_back({clustering_.cells.attribute(a), 0});
    const int rounds = lloyd_.converge(demands_, lloyd_limit);
    take();
    for (std::size_t a = 0; a < demands_.size(); ++a) {
        from_.push_back(clustering_.balance(a));
        const auto attribute = static_cast<int>(clustering_.cells.attribute(a));
        best_.push_back(attribute_fairness(clustering_.state.tally, attribute).best_balance);
    }
    return rounds;
}

void FairPath::lead(const OneOrMore<double>& targets, double share) {
    for (std::size_t a = 0; a < demands_.size(); ++a) {
        // Beyond the best balance prices rise without end, and clusters empty one after another.
        const double target = std::min(targets.of(a), best_[a]);
        // The last stage is the target itself, not what rounding makes of it.
        demands_[a].balance = target <= from_[a] || share == 1 ? target : std::lerp(from_[a], target, share);
    }
    for (int round = 0; round < rounds_per_stage; ++round) lloyd_.round(demands_);
}

std::int64_t FairPath::mend() {
    std::vector<double> enough;
    for (const Demand& demand : demands_) enough.push_back(demand.balance);
    clustering_.look_at(thorough);
    return swap_until(clustering_, enough, std::numeric_limits<std::int64_t>::max());
}

}  // namespace fairstream::safairkm
