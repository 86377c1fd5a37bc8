#include <fairstream/graph_labels/detail/labels.hpp>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

#include <fairstream/graph_labels/detail/cut_moves.hpp>
#include <fairstream/graph_labels/detail/label_problem.hpp>
#include <fairstream/graph_labels/detail/part_search.hpp>
#include <fairstream/graph_labels/detail/target_search.hpp>
#include <fairstream/numeric/detail/interruption.hpp>
#include <fairstream/numeric/detail/kernels.hpp>
#include <fairstream/numeric/detail/kmeans.hpp>
#include <fairstream/numeric/detail/match_labels.hpp>

namespace fairstream {
namespace {

// Prices of changes at which labels are put together from parts, as multiples of a point's price. A result is kept if
// its cut exceeds the least cut found by at most the share `least_cut_slack`.
constexpr std::array<double, 3> part_prices{0.4, 0.15, 0};
constexpr double least_cut_slack = 0.05;
// Share of the price that is charged for taking over parts: a part also gains in later steps, while points on borders
// come and go.
constexpr double part_charge = 0.3;

class Rounder {
public:
    Rounder(const RoundingInput& input, const Random& random)
        : input_(input),
          random_(random),
          points_(input),
          k_(points_.clusters()),
          n_(points_.rows()),
          problem_(points_.under(input.options.targets)) {}

    [[nodiscard]] bool moves() const { return points_.moves(); }

    // Makes labels meet the targets by moves of least cut, then lowers the cut, under one price of changes after
    // another.
    [[nodiscard]] Rounding improved(std::vector<ClusterId> labels, std::span<const float> centres, bool lead_first,
                                    std::initializer_list<double> prices = {0}) const {
        return improved_labels(input_, problem_, random_, std::move(labels), centres, lead_first, prices);
    }

    void set_preferred_labels(std::span<const ClusterId> preferred_labels) {
        problem_.preferred_labels = preferred_labels;
        price_ = input_.options.change_price * cut_of_weight(points_.mass(), k_);
    }
    // Returns the cut plus the price of the changed labels, or a part of that price.
    [[nodiscard]] double charged(const Rounding& labelled, double part = 1) const {
        double changes = 0;
        for (std::size_t i = 0; i < n_; ++i)
            changes += problem_.preferred_labels[i] != no_cluster && problem_.preferred_labels[i] != labelled.labels[i]
                           ? points_.weight(i)
                           : 0;
        return labelled.cut + part * price_ * changes;
    }
    // Improves labels under the price of changes in two ways: with the full price at once, or first without a price and
    // then with a rising one, which returns points whose change the other points do not need. The full price at once
    // moves fewer points; the rising price finds more moves that lower the cut.
    [[nodiscard]] Rounding improved_under_change_price(std::vector<ClusterId> labels,
                                                       std::span<const float> centres) const {
        if (price_ == 0) return improved(std::move(labels), centres, false);
        Rounding freely = improved(labels, centres, false, {0, price_ / 3, 2 * price_ / 3, price_});
        if (input_.stopped()) return freely;
        Rounding at_once = improved(std::move(labels), centres, false, {price_});
        return prefers(at_once, freely) ? at_once : freely;
    }
    // Anneals labels under the price of changes, and returns the better labels. The full price applies, because points
    // change one by one here; only parts taken over as a whole are charged less.
    [[nodiscard]] Rounding annealed(const Rounding& on) const {
        Rounding other = annealed_labels(input_, problem_, random_, on, price_);
        return prefers(other, on) ? other : on;
    }
    [[nodiscard]] bool prefers(const Rounding& a, const Rounding& b, double part = 1) const {
        return a.shortfall != b.shortfall ? a.shortfall < b.shortfall : charged(a, part) < charged(b, part);
    }
    // Puts labels together from parts of the labels `on` and of k-means, under several prices of changes. Of the
    // results not far above the least cut, returns the one with the least sum of cut and part of the price of changes.
    [[nodiscard]] Rounding combine_parts(Rounding on, int starts, Random& random) const {
        std::vector<std::vector<ClusterId>> labellings = divisions(on.labels, starts, random);
        const PartSearch search(problem_, labellings);
        labellings.resize(static_cast<std::size_t>(starts) + 1);
        std::vector<PartSearch::Found> found(part_prices.size() * labellings.size());
        parallel_for(std::size_t{0}, found.size(), [&](std::size_t at) {
            const double price = price_ * part_prices[at / labellings.size()];
            found[at] = search.improved(labellings[at % labellings.size()], price,
                                        PartSearch::price_of_shortfall / points_.mass());
        });
        std::vector<Rounding> candidates(part_prices.size());
        parallel_for(std::size_t{0}, candidates.size(), [&](std::size_t p) {
            const auto of_price = std::span(found).subspan(p * labellings.size(), labellings.size());
            PartSearch::Found& best = *std::ranges::min_element(of_price, {}, &PartSearch::Found::sum);
            for (const auto& [a, b] : input_.links.together) best.labels[b] = best.labels[a];
            candidates[p] = improved(std::move(best.labels), on.centres, false, {price_});
        });
        candidates.push_back(std::move(on));
        const Rounding& least = *std::ranges::min_element(candidates, better_cut);
        const double shortfall = least.shortfall, limit = least.cut * (1 + least_cut_slack);
        std::erase_if(candidates, [&](const Rounding& c) { return c.shortfall > shortfall || c.cut > limit; });
        return *std::ranges::min_element(candidates,
                                         [&](const auto& a, const auto& b) { return prefers(a, b, part_charge); });
    }

    // Gives each row without a label the label of the nearest centre.
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
    [[nodiscard]] static bool better_cut(const Rounding& a, const Rounding& b) { return a.beats(b); }
    // Returns these labels, labels of fresh starts of k-means renamed to match them, and labels of k-means with more
    // clusters.
    [[nodiscard]] std::vector<std::vector<ClusterId>> divisions(const std::vector<ClusterId>& labels, int starts,
                                                                Random& random) const {
        const auto equal = static_cast<std::size_t>(starts);
        std::vector<std::vector<ClusterId>> all(1 + equal + PartSearch::finer_starts, labels);
        const std::uint64_t seed = random.next();
        parallel_for(std::size_t{1}, all.size(), [&](std::size_t s) {
            Random own(seed, s);
            const std::size_t count = s <= equal ? k_ : std::min(n_, PartSearch::finer_halves * k_ / 2);
            all[s] = kmeans(input_.rows.data(), n_, k_, count, 1, own, input_.weights).labels;
            input_.add_work(work_of_kmeans);
            if (s > equal) return;
            const std::vector<ClusterId> names = match_labels(labels, all[s], k_);
            for (ClusterId& label : all[s]) label = names[static_cast<std::size_t>(label)];
        });
        return all;
    }

    const RoundingInput& input_;
    const Random random_;  // generator of moves
    const LabelProblem points_;
    std::size_t k_, n_;
    CutProblem problem_;
    double price_ = 0;  // price of a changed label, if labels are continued
};

}  // namespace

double work_of_continued_labels(int fresh_starts) {
    // Number of labellings: with the full price at once, with a rising price, put together under each price, and
    // annealed.
    constexpr double improved = 2 + part_prices.size();
    return improved + work_of_kmeans * fresh_starts + work_of_annealing + 1;
}

Rounding rounding_of_kmeans(KMeans found) {
    return {.labels = std::move(found.labels), .centres = std::move(found.centres), .cost = found.cost};
}

bool Rounding::beats(const Rounding& other, double by) const {
    if (shortfall != other.shortfall) return shortfall < other.shortfall;
    return cut >= 0 ? cut < other.cut * (1 - by) : cost < other.cost * (1 - by);
}

Rounding continue_rounding(const RoundingInput& input, std::vector<ClusterId> labels, std::span<const float> centres,
                           int fresh_starts, Random& random) {
    Rounder rounder(input, random);
    const std::size_t n = rounder.rows(), k = rounder.clusters();
    std::vector<float> means(centres.begin(), centres.end());
    take_means(input.rows.data(), n, k, labels, k, means, input.weights);
    if (!rounder.moves()) return rounding_of_kmeans(lloyd(input.rows.data(), n, k, k, std::move(means), input.weights));
    const std::vector<ClusterId> preferred_labels = labels;
    rounder.place(labels, means);
    rounder.set_preferred_labels(preferred_labels);
    Rounding result = rounder.improved_under_change_price(std::move(labels), means);
    if (result.shortfall > 0) {
        Rounding other = rounder.improved(result.labels, result.centres, true);
        if (other.beats(result)) result = std::move(other);
    }
    input.settle();
    if (result.shortfall > 0 || k > PartSearch::most_clusters || input.stopped()) return result;
    if (fresh_starts > 0) result = rounder.combine_parts(std::move(result), fresh_starts, random);
    input.settle();
    return input.stopped() ? result : rounder.annealed(result);
}

}  // namespace fairstream
