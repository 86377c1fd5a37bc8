#include <fairstream/graph_labels/detail/part_search.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include <fairstream/numeric/detail/affinity/places.hpp>
#include <fairstream/numeric/detail/affinity/sparse_matrix.hpp>
#include <fairstream/numeric/detail/blocks.hpp>
#include <fairstream/numeric/detail/interruption.hpp>

namespace fairstream {
namespace {

// Parts per cluster, not counting the parts that take in the smallest parts. If k-means divides the points, about this
// many parts per cluster hold most points.
constexpr std::size_t parts_per_cluster = 8;
// Number of moves of a search, and the largest number of moves for which a moved part is tabu. With few parts the
// number is smaller, so that some part can always move.
constexpr int moves_of_parts = 200, longest_tabu = 12;
constexpr std::size_t parts_per_tabu_part = 4;  // at most one part in this many is tabu
// Ratio of the last temperature of annealing to the first.
constexpr double last_over_first_temperature = 1.0 / 30;
// Least decrease of the sum that exceeds rounding.
constexpr double least_fall = 1e-9;

// Numbers the parts of points. Apart from the largest parts, all parts with the same first label become one part.
std::size_t number_parts(std::span<const std::vector<ClusterId>> labellings, std::size_t most,
                         std::vector<std::size_t>& of) {
    const std::size_t n = labellings[0].size();
    std::map<std::vector<ClusterId>, std::size_t> sizes;
    std::vector<std::vector<ClusterId>> keys(n, std::vector<ClusterId>(labellings.size()));
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t s = 0; s < labellings.size(); ++s) keys[i][s] = labellings[s][i];
        ++sizes[keys[i]];
    }
    std::vector<std::size_t> falling;
    for (const auto& [key, size] : sizes) falling.push_back(size);
    std::ranges::sort(falling, std::greater());
    const std::size_t least = falling.size() > most ? falling[most] + 1 : 1;
    std::map<std::vector<ClusterId>, std::size_t> known;
    of.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        if (sizes[keys[i]] < least) keys[i].resize(1);
        of[i] = known.try_emplace(keys[i], known.size()).first->second;
    }
    return known.size();
}

}  // namespace

PartSearch::PartSearch(const CutProblem& problem, std::span<const std::vector<ClusterId>> labellings,
                       std::size_t most_parts)
    : problem_(problem),
      k_(problem.clusters),
      count_(number_parts(labellings, std::max(most_parts, parts_per_cluster * k_), part_of_)),
      affinity_(count_, count_),
      degrees_(count_, 0.0),
      sizes_(count_, 0),
      masses_(count_, 0.0),
      preferred_weights_(count_ * k_, 0.0),
      held_(count_, false) {
    const std::size_t stride = problem.group_counts.size();
    for (const std::size_t groups : problem.group_counts) counts_.emplace_back(count_ * groups);
    for (std::size_t i = 0; i < part_of_.size(); ++i) {
        const std::size_t part = part_of_[i];
        degrees_[part] += problem.affinity.degrees()[i];
        const double weight = problem.weight(i);
        ++sizes_[part];
        masses_[part] += weight;
        for (std::size_t a = 0; a < stride; ++a)
            counts_[a][part * problem.group_counts[a] + problem.groups[i * stride + a]] += weight;
        if (!problem.preferred_labels.empty() && problem.preferred_labels[i] != no_cluster)
            preferred_weights_[part * k_ + static_cast<std::size_t>(problem.preferred_labels[i])] += weight;
        if (!problem.held.empty() && problem.held[i]) held_[part] = true;
    }
    join_rows();
}

// Computes the affinities of the parts; with factors, K = L Rᵀ, from the sums of their rows.
void PartSearch::join_rows() {
    if (problem_.factors != nullptr) {
        const Matrix &l = problem_.factors->left, &r = problem_.factors->right;
        Matrix left(count_, l.cols), right(r.cols, count_);
        for (std::size_t i = 0; i < part_of_.size(); ++i)
            for (std::size_t f = 0; f < l.cols; ++f) {
                left.at(part_of_[i], f) += l.at(i, f);
                right.at(f, part_of_[i]) += r.at(i, f);
            }
        multiply(left, right, affinity_);
        return;
    }
    if (const std::optional<MergedRows> merged = problem_.affinity.merged()) return join_places(*merged);
    AffinityRow row;
    for (std::size_t i = 0; i < part_of_.size(); ++i) {
        problem_.affinity.copy_row(static_cast<Slot>(i), row);
        for (std::size_t e = 0; e < row.at.size(); ++e)
            affinity_.at(part_of_[i], part_of_[row.at[e]]) += static_cast<double>(row.weights[e]);
    }
}

// Adds C (S + I) Cᵀ minus the sizes of the parts on the diagonal, where C, count x m, has the number of points of a
// part in a place.
void PartSearch::join_places(const MergedRows& merged) {
    const SparseMatrix& s = merged.between;
    std::vector<std::vector<std::pair<std::size_t, double>>> counts(merged.places.size());  // by place: the parts in it
    for (std::size_t p = 0; p < counts.size(); ++p)
        for (const Slot i : merged.places.at(p)) {
            const auto known = std::ranges::find(counts[p], part_of_[i], [](const auto& entry) { return entry.first; });
            if (known == counts[p].end())
                counts[p].emplace_back(part_of_[i], 1);
            else
                ++known->second;
        }
    const auto join = [&](std::size_t p, std::size_t q, double weight) {
        for (const auto& [part, points] : counts[p])
            for (const auto& [other, others] : counts[q]) affinity_.at(part, other) += weight * points * others;
    };
    for (std::size_t p = 0; p < counts.size(); ++p) {
        join(p, p, 1);
        for (std::size_t e = s.first[p]; e < s.first[p + 1]; ++e)
            join(p, s.columns[e], static_cast<double>(s.weights[e]));
    }
    for (std::size_t part = 0; part < count_; ++part) affinity_.at(part, part) -= static_cast<double>(sizes_[part]);
}

std::vector<ClusterId> PartSearch::part_labels(std::span<const ClusterId> labels) const {
    std::vector<double> votes(count_ * k_, 0.0);
    for (std::size_t i = 0; i < part_of_.size(); ++i)
        votes[part_of_[i] * k_ + static_cast<std::size_t>(labels[i])] += problem_.weight(i);
    std::vector<ClusterId> own(count_);
    for (std::size_t part = 0; part < count_; ++part) {
        const auto first = votes.begin() + static_cast<std::ptrdiff_t>(part * k_);
        own[part] = static_cast<ClusterId>(std::max_element(first, first + static_cast<std::ptrdiff_t>(k_)) - first);
    }
    return own;
}

// Parts with labels; notation as in cut_moves.hpp.
class PartSearch::Labelled {
public:
    Labelled(const PartSearch& parts, std::vector<ClusterId> labels, double price, double shortfall_price)
        : parts_(parts),
          k_(parts.k_),
          price_(price),
          shortfall_price_(shortfall_price),
          labels_(std::move(labels)),
          joined_(parts.count_, k_),
          within_(k_, 0.0),
          volume_(k_, 0.0),
          shortfalls_(k_, 0.0),
          sizes_(k_, 0),
          masses_(k_, 0.0) {
        for (const std::size_t groups : parts.problem_.group_counts) counts_.emplace_back(k_ * groups);
        for (std::size_t part = 0; part < parts.count_; ++part) {
            const std::size_t l = label(part);
            for (std::size_t other = 0; other < parts.count_; ++other)
                joined_.at(other, l) += parts.affinity_.at(other, part);
            volume_[l] += parts.degrees_[part];
            count(l, part, 1);
        }
        for (std::size_t part = 0; part < parts.count_; ++part) within_[label(part)] += joined_.at(part, label(part));
        for (std::size_t l = 0; l < k_; ++l) shortfalls_[l] = shortfall_with(l, 0, 0);
    }

    [[nodiscard]] double sum() const {
        double sum = 0;
        for (std::size_t l = 0; l < k_; ++l) {
            if (volume_[l] > 0) sum += 1 - ratio(within_[l], volume_[l]);
            sum += shortfall_price_ * shortfalls_[l];
        }
        for (std::size_t part = 0; part < parts_.count_; ++part)
            for (std::size_t l = 0; l < k_; ++l)
                if (l != label(part)) sum += price_ * parts_.preferred_weights_[part * k_ + l];
        return sum;
    }

    struct Choice {
        std::size_t part, to;
        double gain = -std::numeric_limits<double>::infinity();
    };
    // Returns the move with the largest gain. A move of a part that is tabu is considered only if it gains more than
    // `record`.
    [[nodiscard]] Choice best_move(std::span<const int> tabu_until, int now, double record) {
        Choice best{parts_.count_, 0};
        for (std::size_t part = 0; part < parts_.count_; ++part) {
            if (!may_leave(part)) continue;
            const double least = tabu_until[part] < now ? best.gain : std::max(best.gain, record);
            Choice own{part, 0, least};
            for (std::size_t to = 0; to < k_; ++to)
                if (to != label(part))
                    if (const double found = gain(part, to, own.gain); found > own.gain) own.gain = found, own.to = to;
            if (own.gain > least) best = own;
        }
        return best;
    }
    void move(std::size_t part, std::size_t to) {
        const std::size_t from = label(part);
        within_[from] += self_affinity(part) - 2 * joined_.at(part, from);
        within_[to] += self_affinity(part) + 2 * joined_.at(part, to);
        volume_[from] -= parts_.degrees_[part];
        volume_[to] += parts_.degrees_[part];
        for (std::size_t other = 0; other < parts_.count_; ++other) {
            joined_.at(other, from) -= parts_.affinity_.at(part, other);
            joined_.at(other, to) += parts_.affinity_.at(part, other);
        }
        count(from, part, -1);
        count(to, part, 1);
        labels_[part] = static_cast<ClusterId>(to);
        for (const std::size_t l : {from, to}) shortfalls_[l] = shortfall_with(l, 0, 0);
    }
    [[nodiscard]] const std::vector<ClusterId>& labels() const { return labels_; }
    [[nodiscard]] std::size_t label(std::size_t part) const { return static_cast<std::size_t>(labels_[part]); }
    [[nodiscard]] bool may_leave(std::size_t part) const {
        return !parts_.held_[part] && sizes_[label(part)] != parts_.sizes_[part];
    }
    [[nodiscard]] double gain(std::size_t part, std::size_t to) {
        return gain(part, to, -std::numeric_limits<double>::infinity());
    }

private:
    [[nodiscard]] static double ratio(double within, double volume) { return volume > 0 ? within / volume : 0; }
    [[nodiscard]] double self_affinity(std::size_t part) const { return parts_.affinity_.at(part, part); }
    void count(std::size_t l, std::size_t part, int sign) {
        sizes_[l] += sign * parts_.sizes_[part];
        masses_[l] += sign * parts_.masses_[part];
        for (std::size_t a = 0; a < counts_.size(); ++a) {
            const std::size_t groups = parts_.problem_.group_counts[a];
            for (std::size_t j = 0; j < groups; ++j)
                counts_[a][l * groups + j] += sign * parts_.counts_[a][part * groups + j];
        }
    }
    [[nodiscard]] double shortfall_with(std::size_t l, std::size_t part, int sign) {
        if (parts_.problem_.demands.empty()) return 0;
        double sum = fairstream::shortfall(parts_.problem_.demands.of_sizes, masses_[l] + sign * parts_.masses_[part]);
        for (const Demand& demand : parts_.problem_.demands.of_groups) {
            const std::size_t a = demand.attribute, groups = parts_.problem_.group_counts[a];
            cluster_.resize(parts_.problem_.known(a));
            for (std::size_t j = 0; j < cluster_.size(); ++j)
                cluster_[j] = counts_[a][l * groups + j] + sign * parts_.counts_[a][part * groups + j];
            sum += fairstream::shortfall(demand, std::span<const double>(cluster_));
        }
        return sum;
    }
    // Returns the decrease of the sum if the part moves. If the decrease is not above `least`, returns any value not
    // above `least`.
    [[nodiscard]] double gain(std::size_t part, std::size_t to, double least) {
        const std::size_t from = label(part);
        const double degree = parts_.degrees_[part];
        const double preferred =
            parts_.preferred_weights_[part * k_ + to] - parts_.preferred_weights_[part * k_ + from];
        const double of_cut =
            ratio(within_[from] - 2 * joined_.at(part, from) + self_affinity(part), volume_[from] - degree) +
            ratio(within_[to] + 2 * joined_.at(part, to) + self_affinity(part), volume_[to] + degree) -
            ratio(within_[from], volume_[from]) - ratio(within_[to], volume_[to]) + price_ * preferred;
        const double present_shortfall = shortfalls_[from] + shortfalls_[to];
        if (of_cut + shortfall_price_ * present_shortfall <= least) return least;
        return of_cut +
               shortfall_price_ * (present_shortfall - shortfall_with(from, part, -1) - shortfall_with(to, part, 1));
    }

    const PartSearch& parts_;
    std::size_t k_;
    double price_, shortfall_price_;
    std::vector<ClusterId> labels_;        // by part
    Matrix joined_;                        // affinities of parts to clusters
    std::vector<double> within_, volume_;  // A, D
    std::vector<double> shortfalls_;
    std::vector<std::int64_t> sizes_;
    std::vector<double> masses_;
    std::vector<std::vector<double>> counts_;  // by attribute, k x groups, by weight
    std::vector<double> cluster_;
};

PartSearch::Found PartSearch::improved(std::span<const ClusterId> labels, double price, double shortfall_price) const {
    Labelled search(*this, part_labels(labels), price, shortfall_price);
    std::vector<ClusterId> best = search.labels();
    std::vector<int> tabu_until(count_, 0);
    const int tenure = std::min(longest_tabu, static_cast<int>(count_ / parts_per_tabu_part));
    double least = search.sum(), sum = least;
    for (int now = 1; now <= moves_of_parts; ++now) {
        check_interrupted();
        const Labelled::Choice choice = search.best_move(tabu_until, now, sum - least + least_fall);
        if (choice.part == count_) break;
        search.move(choice.part, choice.to);
        tabu_until[choice.part] = now + tenure;
        sum -= choice.gain;
        if (sum >= least - least_fall) continue;
        least = sum;
        best = search.labels();
    }
    return found(best, least);
}

PartSearch::Found PartSearch::annealed(std::span<const ClusterId> labels, double shortfall_price, int sweeps,
                                       double hot, Random& random) const {
    Labelled search(*this, part_labels(labels), 0, shortfall_price);
    std::vector<ClusterId> best = search.labels();
    double least = search.sum(), sum = least;
    const double fall = std::pow(last_over_first_temperature, 1.0 / std::max(sweeps - 1, 1));
    double t = hot * cut_of_weight(static_cast<double>(count_), k_);
    for (int sweep = 0; sweep < sweeps && k_ > 1; ++sweep, t *= fall) {
        check_interrupted();
        for (std::size_t part = 0; part < count_; ++part) {
            if (!search.may_leave(part)) continue;
            const std::size_t drawn = random.below(static_cast<std::uint32_t>(k_ - 1));
            const std::size_t to = drawn < search.label(part) ? drawn : drawn + 1;
            const double gain = search.gain(part, to);
            if (gain < 0 && random.unit() >= std::exp(gain / t)) continue;
            search.move(part, to);
            sum -= gain;
            if (sum >= least - least_fall) continue;
            least = sum;
            best = search.labels();
        }
    }
    return found(best, least);
}

PartSearch::Found PartSearch::found(std::span<const ClusterId> part_labels, double sum) const {
    Found found{std::vector<ClusterId>(part_of_.size()), sum};
    for (std::size_t i = 0; i < part_of_.size(); ++i) found.labels[i] = part_labels[part_of_[i]];
    return found;
}

}  // namespace fairstream
