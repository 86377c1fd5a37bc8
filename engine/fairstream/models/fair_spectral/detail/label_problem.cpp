#include <fairstream/models/fair_spectral/detail/label_problem.hpp>

#include <algorithm>
#include <numeric>
#include <utility>

#include <fairstream/fairness/attainable.hpp>
#include <fairstream/models/safairkm/detail/targets.hpp>

namespace fairstream::fair_spectral {
namespace {

Window window_of(const RoundingInput& input, std::size_t n, std::size_t k) {
    PointColumns points;
    points.ids.resize(n);
    std::iota(points.ids.begin(), points.ids.end(), PointId{0});
    for (const float x : input.rows) points.features.push_back(std::clamp(x, -feature_limit, feature_limit));
    points.groups.assign(input.table.begin(), input.table.end());
    Window window({static_cast<std::uint32_t>(k), input.format.attributes, false},
                  {static_cast<Slot>(n), WindowPolicy::sliding, 1});
    window.apply(points.view());
    return window;
}

// Lowers demands that no k clusters can keep to what they can, so that labels come as close as they can.
void make_attainable(Demands& demands, std::span<const std::vector<std::int64_t>> totals, std::size_t n,
                     std::size_t k) {
    const auto clusters = static_cast<std::int64_t>(k), points = static_cast<std::int64_t>(n);
    for (Demand& demand : demands.of_groups) {
        if (demand.ratio == 0) continue;
        std::vector<std::int64_t> counts;
        bool parity = false;
        const std::vector<std::int64_t>& all = totals[demand.attribute];
        for (std::size_t j = 0; j < all.size(); ++j) {
            if (demand.weight(j) > 0) counts.push_back(all[j]);
            parity = parity || (demand.weight(j) > 0 && demand.weight(j) != 1);
        }
        const double best = parity ? attainable_parity(counts, clusters) : attainable_balance(counts, clusters);
        if (best > 0) demand.ratio = std::min(demand.ratio, best);
    }
    demands.of_sizes.at_least = std::min(demands.of_sizes.at_least, points / clusters);
    demands.of_sizes.at_most = std::max(demands.of_sizes.at_most, (points + clusters - 1) / clusters);
}

}  // namespace

LabelProblem::LabelProblem(const RoundingInput& input)
    : input_(input),
      k_(static_cast<std::size_t>(input.options.clusters)),
      n_(input.rows.size() / k_),
      totals_(safairkm::group_totals(input.table, input.format.attributes)) {
    const Demands demands = safairkm::demands_for(target_options(input.options), totals_);
    moves_ = input.options.sweeps > 0 || !demands.empty();
    if (!moves_) return;
    if (std::optional<AffinityFactors> factors = input.affinity.factors()) factors_.emplace(std::move(*factors));
    diagonal_ = input.affinity.diagonal();
    if (!input.links.together.empty() || !input.links.opposite.empty()) held_.assign(n_, false);
    for (const auto* pairs : {&input.links.together, &input.links.opposite})
        for (const auto& [a, b] : *pairs) held_[a] = held_[b] = true;
    if (demands.empty()) return;
    points_.emplace(window_of(input, n_, k_));
    if (demands.of_groups.empty()) return;
    const std::size_t stride = input.format.attributes.size();
    for (const int attribute : input.options.attribute)
        group_counts_.push_back(totals_[static_cast<std::size_t>(attribute)].size());
    for (std::size_t i = 0; i < n_; ++i)
        for (const int attribute : input.options.attribute)
            groups_.push_back(input.table[i * stride + static_cast<std::size_t>(attribute)]);
}

CutProblem LabelProblem::under(const safairkm::Options& targets) const {
    CutProblem problem{
        input_.affinity, k_, {}, {}, safairkm::demands_for(targets, totals_), held_, factors_ ? &*factors_ : nullptr,
        diagonal_};
    make_attainable(problem.demands, totals_, n_, k_);
    if (problem.demands.of_groups.empty()) return problem;
    problem.groups = groups_;
    problem.group_counts = group_counts_;
    // Demands are numbered by the attributes that are balanced alone.
    for (Demand& demand : problem.demands.of_groups) {
        const auto place = std::ranges::find(targets.attribute, static_cast<int>(demand.attribute));
        demand.attribute = static_cast<std::uint32_t>(place - targets.attribute.begin());
    }
    return problem;
}

}  // namespace fairstream::fair_spectral
