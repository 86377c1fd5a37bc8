#include <fairstream/models/fair_spectral/detail/rounding.hpp>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include <fairstream/models/fair_spectral/detail/cut_moves.hpp>
#include <fairstream/models/safairkm/detail/targets.hpp>
#include <fairstream/models/safairkm/fair_labels.hpp>
#include <fairstream/numeric/detail/interruption.hpp>
#include <fairstream/numeric/detail/kernels.hpp>
#include <fairstream/numeric/detail/kmeans.hpp>

namespace fairstream::fair_spectral {
namespace {

// The groups of the attributes that the options balance, alone, and the demands on them numbered so.
struct Balanced {
    std::vector<GroupId> groups;  // n x attributes
    std::vector<std::size_t> counts;
    Demands demands;
};

Balanced balanced(const RoundingInput& input, std::size_t n) {
    Balanced own;
    const std::size_t stride = input.format.attributes.size();
    const safairkm::GroupTotals totals = safairkm::group_totals(input.table, input.format.attributes);
    own.demands = safairkm::demands_for(target_options(input.options), totals);
    if (own.demands.of_groups.empty()) return own;
    for (const int attribute : input.options.attribute)
        own.counts.push_back(totals[static_cast<std::size_t>(attribute)].size());
    for (std::size_t i = 0; i < n; ++i)
        for (const int attribute : input.options.attribute)
            own.groups.push_back(input.table[i * stride + static_cast<std::size_t>(attribute)]);
    for (Demand& demand : own.demands.of_groups) {
        const auto place = std::ranges::find(input.options.attribute, static_cast<int>(demand.attribute));
        demand.attribute = static_cast<std::uint32_t>(place - input.options.attribute.begin());
    }
    return own;
}

// Returns the rows as points of a window, which safairkm takes.
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

// Points up to which all starts are led to the targets; of more, fewer starts in proportion.
constexpr std::size_t points_of_all_starts = 16384;
// Part of a point's share of a cut of 1 that a move must gain where labels go on: at less, points on borders would
// change theirs with every step.
constexpr double settled = 0.3;

class Rounder {
public:
    Rounder(const RoundingInput& input, const Random& random)
        : input_(input),
          random_(random),
          k_(static_cast<std::size_t>(input.options.clusters)),
          n_(input.rows.size() / k_),
          balanced_(balanced(input, n_)),
          factors_(moves() ? input.affinity.factors() : std::nullopt),
          diagonal_(moves() ? input.affinity.diagonal() : std::vector<double>()),
          problem_{input.affinity,
                   k_,
                   balanced_.groups,
                   balanced_.counts,
                   balanced_.demands,
                   {},
                   factors_ ? &*factors_ : nullptr,
                   diagonal_} {
        if (!problem_.demands.empty())
            fair_.emplace(target_options(input.options), points_.emplace(window_of(input, n_, k_)));
        if (input.links.together.empty() && input.links.opposite.empty()) return;
        problem_.held.assign(n_, false);
        for (const auto* pairs : {&input.links.together, &input.links.opposite})
            for (const auto& [a, b] : *pairs) problem_.held[a] = problem_.held[b] = true;
    }

    [[nodiscard]] bool moves() const { return input_.options.sweeps > 0 || !balanced_.demands.empty(); }

    // Brings labels to the targets by moves of least cut, and lowers the cut.
    [[nodiscard]] Rounding improved(std::vector<ClusterId> labels, std::span<const float> centres, bool lead,
                                    double worthwhile = 0) const {
        Rounding result{.labels = {}, .centres = {centres.begin(), centres.end()}};
        CutMoves search(problem_, std::move(labels), random_);
        if (lead) search.lead();
        search.mend();
        search.descend(input_.options.sweeps, worthwhile);
        result.labels.assign(search.labels().begin(), search.labels().end());
        result.cut = search.cut();
        result.shortfall = search.shortfall();
        take_means(input_.rows.data(), n_, k_, result.labels, k_, result.centres);
        return result;
    }

    // Leads the clusters of k-means to the targets, by their cut and by prices in the embedding: the better labels.
    // `stuck` says whether the first way alone missed them.
    [[nodiscard]] Rounding led(const KMeans& found, bool& stuck) const {
        Rounding result = improved(found.labels, found.centres, true);
        stuck = result.shortfall > 0;
        if (fair_) keep_better(result, fair_->about(found.centres), found.centres);
        return result;
    }
    // Leads them there as safairkm does, which finds the way to targets that leave clusters hardly a choice.
    void lead_far(Rounding& result, std::span<const float> centres) const {
        keep_better(result, fair_->from(centres), centres);
    }

    // Gives rows without a label the nearest centre.
    void place(std::vector<ClusterId>& labels, std::span<const float> centres) const {
        std::vector<float> packed(packed_size(k_, k_));
        pack_centres(centres.data(), k_, k_, packed.data());
        for (std::size_t i = 0; i < n_; ++i)
            if (labels[i] == no_cluster) kernels().assign(&input_.rows[i * k_], 1, k_, packed.data(), k_, &labels[i]);
        for (const auto& [a, b] : input_.links.together) labels[b] = labels[a];
    }

    [[nodiscard]] std::size_t rows() const { return n_; }
    [[nodiscard]] std::size_t clusters() const { return k_; }

private:
    void keep_better(Rounding& result, std::vector<ClusterId> labels, std::span<const float> centres) const {
        for (const auto& [a, b] : input_.links.together) labels[b] = labels[a];
        Rounding other = improved(std::move(labels), centres, false);
        if (other.beats(result)) result = std::move(other);
    }

    const RoundingInput& input_;
    const Random random_;  // what moves draw from
    std::size_t k_, n_;
    Balanced balanced_;
    std::optional<AffinityFactors> factors_;
    std::vector<double> diagonal_;
    CutProblem problem_;
    std::optional<Window> points_;
    std::optional<safairkm::FairLabels> fair_;  // where there are demands
};

Rounding of_kmeans(KMeans found) {
    return {.labels = std::move(found.labels), .centres = std::move(found.centres), .cost = found.cost};
}

}  // namespace

bool Rounding::beats(const Rounding& other, double by) const {
    if (shortfall != other.shortfall) return shortfall < other.shortfall;
    return cut >= 0 ? cut < other.cut * (1 - by) : cost < other.cost * (1 - by);
}

Rounding round_anew(const RoundingInput& input, int start_count, Random& random) {
    const Rounder rounder(input, random);
    const std::size_t n = rounder.rows(), k = rounder.clusters();
    if (!rounder.moves()) return of_kmeans(kmeans(input.rows.data(), n, k, k, start_count, random));
    // Starts are tasks with generators of their own. What is the best of k-means need not be that of the cut: all are
    // led, or of very many points the best ones.
    struct Start {
        KMeans found;
        Rounding led;
        bool stuck = false;
    };
    std::vector<Start> starts(static_cast<std::size_t>(start_count));
    const std::uint64_t seed = random.next();
    parallel_for(std::size_t{0}, starts.size(), [&](std::size_t s) {
        Random own(seed, s);
        starts[s].found = kmeans(input.rows.data(), n, k, k, 1, own);
    });
    std::ranges::stable_sort(starts, {}, [](const Start& start) { return start.found.cost; });
    starts.resize(std::clamp<std::size_t>(starts.size() * points_of_all_starts / n, 1, starts.size()));
    parallel_for(std::size_t{0}, starts.size(),
                 [&](std::size_t s) { starts[s].led = rounder.led(starts[s].found, starts[s].stuck); });
    Start& best = *std::ranges::min_element(starts, [](const Start& a, const Start& b) { return a.led.beats(b.led); });
    if (2 * std::ranges::count(starts, true, &Start::stuck) > std::ssize(starts))
        rounder.lead_far(best.led, best.found.centres);
    return std::move(best.led);
}

Rounding round_on(const RoundingInput& input, std::vector<ClusterId> labels, std::span<const float> centres,
                  Random& random) {
    const Rounder rounder(input, random);
    const std::size_t n = rounder.rows(), k = rounder.clusters();
    std::vector<float> means(centres.begin(), centres.end());
    take_means(input.rows.data(), n, k, labels, k, means);
    if (!rounder.moves()) return of_kmeans(lloyd(input.rows.data(), n, k, k, std::move(means)));
    rounder.place(labels, means);
    Rounding result = rounder.improved(std::move(labels), means, false, settled / static_cast<double>(n));
    if (result.shortfall == 0) return result;
    Rounding other = rounder.improved(result.labels, result.centres, true);
    return other.beats(result) ? other : result;
}

}  // namespace fairstream::fair_spectral
