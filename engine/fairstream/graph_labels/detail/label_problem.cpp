#include <fairstream/graph_labels/detail/label_problem.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fairstream/fairness/attainable.hpp>
#include <fairstream/targets/demands.hpp>

namespace fairstream {
namespace {

Window window_of(const RoundingInput& input, std::size_t n, std::size_t k) {
    PointColumns points;
    points.ids.resize(n);
    std::iota(points.ids.begin(), points.ids.end(), PointId{0});
    for (const float x : input.rows) points.features.push_back(std::clamp(x, -feature_limit, feature_limit));
    points.groups.assign(input.table.begin(), input.table.end());
    for (const double weight : input.weights)
        points.weights.push_back(std::clamp(weight, least_weight, largest_weight));
    Window window({static_cast<std::uint32_t>(k), input.format.attributes, false, !input.weights.empty()},
                  {static_cast<Slot>(n), WindowPolicy::sliding, 1});
    window.apply(points.view());
    return window;
}

double least_over_most(std::span<const std::int64_t> counts) {
    const auto [least, most] = std::ranges::minmax(counts);
    return most > 0 ? static_cast<double>(least) / static_cast<double>(most) : 0;
}

// Lowers bounds on shares that the groups' shares among all points prove unattainable. The new bounds are met, with one
// point to spare, if points are dealt to k clusters one by one, group after group: each cluster then has as many points
// of a group as any other, or one more.
void make_shares_attainable(Demand& demand, std::span<const std::int64_t> counts, bool weighted, std::int64_t k) {
    const auto all = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
    const auto most = [&](std::int64_t n) { return (n + k - 1) / k; };
    const auto least = [&](std::int64_t n) { return n / k; };
    const auto ratio = [](std::int64_t a, std::int64_t b) { return static_cast<double>(a) / static_cast<double>(b); };
    for (std::size_t j = 0; j < counts.size(); ++j) {
        const double share = ratio(counts[j], std::max(all, std::int64_t{1}));
        const bool whole = !weighted && all >= k;
        if (demand.lower[j] > share)
            demand.lower[j] = whole ? ratio(std::max(std::int64_t{0}, least(counts[j]) - 1), most(all)) : share;
        if (demand.upper[j] < share) demand.upper[j] = whole ? ratio(most(counts[j]) + 1, least(all)) : share;
    }
}

// Lowers unattainable demands on k clusters to attainable ones, so that labels come as near to the demands as they can.
void make_attainable(Demands& demands, std::span<const std::vector<std::int64_t>> totals, double mass, bool weighted,
                     std::size_t k) {
    const auto clusters = static_cast<std::int64_t>(k);
    for (Demand& demand : demands.of_groups) {
        if (demand.of_shares())
            make_shares_attainable(demand, std::span(totals[demand.attribute]).first(demand.lower.size()), weighted,
                                   clusters);
        if (demand.ratio == 0) continue;
        std::vector<std::int64_t> counts;
        bool parity = false;
        const std::vector<std::int64_t>& all = totals[demand.attribute];
        const std::size_t known = demand.weights.empty() ? all.size() : demand.weights.size();
        for (std::size_t j = 0; j < known; ++j) {
            if (demand.weight(j) > 0) counts.push_back(all[j]);
            parity = parity || (demand.weight(j) > 0 && demand.weight(j) != 1);
        }
        const double best = weighted ? (parity ? 1 : least_over_most(counts))
                            : parity ? attainable_parity(counts, clusters)
                                     : attainable_balance(counts, clusters);
        demand.ratio = std::min(demand.ratio, best);
    }
    // Weights have no bound of 2^62, but no demand on sizes exceeds it.
    const double each = std::min(mass / static_cast<double>(k), 0x1p62);
    demands.of_sizes.at_least = std::min(demands.of_sizes.at_least, static_cast<std::int64_t>(std::floor(each)));
    demands.of_sizes.at_most = std::max(demands.of_sizes.at_most, static_cast<std::int64_t>(std::ceil(each)));
}

}  // namespace

LabelProblem::LabelProblem(const RoundingInput& input)
    : input_(input),
      k_(static_cast<std::size_t>(input.options.targets.clusters)),
      n_(input.rows.size() / k_),
      totals_(group_totals(input.table, input.format.attributes)) {
    weigh_totals();
    const Demands demands = demands_for(input.options.targets);
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
    for (const int attribute : input.options.targets.attribute) {
        const Attribute& own = input.format.attributes[static_cast<std::size_t>(attribute)];
        group_counts_.push_back(own.groups.size());
        known_counts_.push_back(own.known_groups());
    }
    for (std::size_t i = 0; i < n_; ++i)
        for (const int attribute : input.options.targets.attribute)
            groups_.push_back(input.table[i * stride + static_cast<std::size_t>(attribute)]);
}

// Sums weights in a unit in which the total is some 2^50, so that whole numbers resolve them well enough.
void LabelProblem::weigh_totals() {
    constexpr double together = 0x1p50;
    mass_ = static_cast<double>(n_);
    const std::span<const Attribute> attributes = input_.format.attributes;
    if (!input_.weights.empty()) {
        mass_ = std::accumulate(input_.weights.begin(), input_.weights.end(), 0.0);
        scale_ = std::exp2(std::floor(std::log2(together / mass_)));
        for (std::size_t a = 0; a < attributes.size(); ++a) {
            std::vector<double> sums(totals_[a].size(), 0.0);
            for (std::size_t i = 0; i < n_; ++i) sums[input_.table[i * attributes.size() + a]] += input_.weights[i];
            for (std::size_t j = 0; j < sums.size(); ++j)
                totals_[a][j] = static_cast<std::int64_t>(std::ceil(sums[j] * scale_));
        }
    }
    for (std::size_t a = 0; a < attributes.size(); ++a)
        if (attributes[a].has_unknown) totals_[a].back() = 0;
}

// Returns demands on the known groups, in the unit of the weights.
Demands LabelProblem::demands_for(const ClusterTargets& targets) const {
    ClusterTargets scaled = targets;
    scaled.rare_below = targets.rare_below.of(1) * scale_;
    Demands demands = fairstream::demands_for(scaled, totals_);
    for (Demand& demand : demands.of_groups) {
        const Attribute& attribute = input_.format.attributes[demand.attribute];
        // Rates are 1 / n_j; a group counts as at least one point.
        const bool of_rates = std::ranges::any_of(demand.weights, [](double w) { return w > 0 && w != 1; });
        for (double& weight : demand.weights)
            if (of_rates) weight = std::min(1.0, weight * scale_);
        if (!attribute.has_unknown) continue;
        const std::size_t known = attribute.known_groups();
        if (!demand.weights.empty() || !demand.of_shares()) demand.weights.resize(known, 1.0);
        if (demand.of_shares()) demand.lower.resize(known), demand.upper.resize(known);
    }
    return demands;
}

CutProblem LabelProblem::under(const ClusterTargets& targets) const {
    CutProblem problem{input_.affinity, k_, {}, {}, demands_for(targets), held_, factors_ ? &*factors_ : nullptr,
                       diagonal_};
    problem.weights = input_.weights;
    problem.done = input_.done;
    make_attainable(problem.demands, totals_, mass_, !input_.weights.empty(), k_);
    if (problem.demands.of_groups.empty()) return problem;
    problem.groups = groups_;
    problem.group_counts = group_counts_;
    problem.known_counts = known_counts_;
    // Demands number only the balanced attributes.
    for (Demand& demand : problem.demands.of_groups) {
        const auto place = std::ranges::find(targets.attribute, static_cast<int>(demand.attribute));
        demand.attribute = static_cast<std::uint32_t>(place - targets.attribute.begin());
    }
    return problem;
}

}  // namespace fairstream
