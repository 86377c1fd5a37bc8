#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include <fairstream/fairness/attainable.hpp>

namespace fairstream {

std::int64_t most_of_other_group(std::int64_t least, double ratio) noexcept {
    constexpr double rounding = 1e-12;
    const double most = static_cast<double>(least) / ratio * (1 + rounding);
    return most < 9e18 ? static_cast<std::int64_t>(most) : std::numeric_limits<std::int64_t>::max() / 4;
}

namespace {

// Largest work of the exact search, in additions.
constexpr std::int64_t search_limit = 50'000'000;
// Number of sizes that are tried for the equal parts of a split; rounding of a part loses less than one point.
constexpr std::int64_t part_limit = 256;
constexpr std::int64_t parity_part_limit = 64;
// Shares and ratios are quotients of counts; smaller differences are rounding errors.
constexpr double rounding_margin = 1e-9;

std::int64_t total_room(std::span<const std::int64_t> parts, double ratio) {
    std::int64_t total = 0;
    for (const std::int64_t part : parts) total += most_of_other_group(part, ratio);
    return total;
}

std::vector<std::int64_t> equal_parts_and_rest(std::int64_t least, std::int64_t clusters, std::int64_t part) {
    std::vector<std::int64_t> parts(static_cast<std::size_t>(clusters), part);
    parts[0] = least - (clusters - 1) * part;
    return parts;
}

// Dynamic programme over clusters: rooms[s] is the most room of the clusters so far with s points in them.
std::vector<std::int64_t> exact_split(std::int64_t least, std::int64_t clusters, double ratio) {
    const auto n = static_cast<std::size_t>(least), k = static_cast<std::size_t>(clusters);
    constexpr std::int64_t never = -1;
    std::vector<std::int64_t> most_of_other(n + 1);
    for (std::size_t part = 1; part <= n; ++part)
        most_of_other[part] = most_of_other_group(static_cast<std::int64_t>(part), ratio);
    std::vector<std::vector<std::int64_t>> chosen(k + 1, std::vector<std::int64_t>(n + 1, 0));
    std::vector<std::int64_t> rooms(n + 1, never);
    rooms[0] = 0;
    for (std::size_t l = 1; l <= k; ++l) {
        std::vector<std::int64_t> next(n + 1, never);
        for (std::size_t before = l - 1; before + (k - l) < n; ++before) {
            if (rooms[before] == never) continue;
            for (std::size_t part = 1; before + part + (k - l) <= n; ++part) {
                const std::int64_t now = rooms[before] + most_of_other[part];
                if (now <= next[before + part]) continue;
                next[before + part] = now;
                chosen[l][before + part] = static_cast<std::int64_t>(part);
            }
        }
        rooms = std::move(next);
    }
    std::vector<std::int64_t> parts;
    for (std::size_t l = k, left = n; l > 0; left -= static_cast<std::size_t>(chosen[l][left]), --l)
        parts.push_back(chosen[l][left]);
    return parts;
}

bool searches_exactly(std::int64_t least, std::int64_t clusters, std::int64_t exact_up_to) {
    return least <= std::min(exact_up_to, exact_split_limit) && least * least * clusters <= search_limit;
}

// The highest balance of k - 1 clusters with `part` points of the smallest group, and one cluster with the rest. With x
// points of the largest group beside each part, part / x falls with x and the rest's balance rises; they meet at x =
// part * most / least.
double balance_of_parts(std::int64_t least, std::int64_t most, std::int64_t clusters, std::int64_t part) {
    const std::int64_t rest = least - (clusters - 1) * part, meeting = part * most / least;
    double best = 0;
    for (const std::int64_t x : {meeting, meeting + 1}) {
        const std::int64_t beside_rest = std::max(rest, most - (clusters - 1) * x);
        best = std::max(best, std::min(static_cast<double>(part) / static_cast<double>(x),
                                       static_cast<double>(rest) / static_cast<double>(beside_rest)));
    }
    return best;
}

// Returns a quotient of counts between two ratios, if there is one, otherwise `low`.
double quotient_between(double low, double high, std::int64_t least) {
    constexpr double rounding = 1e-11;
    for (std::int64_t part = 1; part <= least; ++part) {
        const double quotient = static_cast<double>(part) / std::round(static_cast<double>(part) / low);
        if (quotient >= low * (1 - rounding) && quotient <= high) return quotient;
    }
    return low;
}

// The least parity of k - 1 clusters and one cluster with the rest. Each of the k - 1 clusters has the share part /
// least of every group, as nearly as whole points allow.
double parity_of_parts(std::span<const std::int64_t> counts, std::int64_t clusters, std::int64_t part) {
    const double share = static_cast<double>(part) / static_cast<double>(std::ranges::min(counts));
    double least = 1, most = 0, least_rest = 1, most_rest = 0;
    for (const std::int64_t n : counts) {
        const auto all = static_cast<double>(n);
        const std::int64_t members = std::clamp<std::int64_t>(std::llround(share * all), 1, (n - 1) / (clusters - 1));
        const double rate = static_cast<double>(members) / all;
        const double rest = static_cast<double>(n - (clusters - 1) * members) / all;
        least = std::min(least, rate), most = std::max(most, rate);
        least_rest = std::min(least_rest, rest), most_rest = std::max(most_rest, rest);
    }
    return std::min(least / most, least_rest / most_rest);
}

}  // namespace

std::vector<std::int64_t> split_with_most_room(std::int64_t least, std::int64_t clusters, double ratio) {
    if (clusters < 1 || least < clusters) return {};
    std::vector<std::int64_t> best;
    if (searches_exactly(least, clusters, exact_split_limit)) {
        best = exact_split(least, clusters, ratio);
    } else {
        std::int64_t most = -1, best_part = 1;
        for (std::int64_t part = 1; part <= std::min(part_limit, least / clusters); ++part) {
            const std::int64_t rest = least - (clusters - 1) * part;
            const std::int64_t total =
                (clusters - 1) * most_of_other_group(part, ratio) + most_of_other_group(rest, ratio);
            if (total <= most) continue;
            most = total;
            best_part = part;
        }
        best = equal_parts_and_rest(least, clusters, best_part);
    }
    std::ranges::sort(best, std::greater<>());
    return best;
}

std::optional<std::vector<std::int64_t>> totals_of_equal_weights(const Demand& demand,
                                                                 std::span<const std::int64_t> totals) {
    std::vector<std::int64_t> counted;
    double weight = 0;
    for (std::size_t j = 0; j < totals.size(); ++j) {
        if (demand.weight(j) == 0) continue;
        if (!counted.empty() && demand.weight(j) != weight) return std::nullopt;
        weight = demand.weight(j);
        counted.push_back(totals[j]);
    }
    return counted;
}

bool balance_is_attainable(std::span<const std::int64_t> counts, std::int64_t clusters, double balance) {
    if (balance <= 0 || counts.empty()) return true;
    const auto [least, most] = std::ranges::minmax(counts);
    const std::vector<std::int64_t> split = split_with_most_room(least, clusters, balance);
    return !split.empty() && total_room(split, balance) >= most;
}

double attainable_balance(std::span<const std::int64_t> counts, std::int64_t clusters, std::int64_t exact_up_to) {
    if (counts.empty() || clusters < 1) return 0;
    const auto [least, most] = std::ranges::minmax(counts);
    if (least < clusters) return 0;
    const double ideal = static_cast<double>(least) / static_cast<double>(most);
    if (clusters == 1) return ideal;
    double low = balance_of_parts(least, most, clusters, least / clusters);
    for (std::int64_t part = 1; part <= std::min(part_limit, least / clusters); ++part)
        low = std::max(low, balance_of_parts(least, most, clusters, part));
    if (!searches_exactly(least, clusters, exact_up_to)) return low;
    // Different quotients of counts differ by more than 1e-12; quotients within the 4e-12 tried here are rare.
    if (!balance_is_attainable(counts, clusters, low * (1 + 4e-12))) return low;
    double high = ideal;
    if (balance_is_attainable(counts, clusters, high)) return high;
    // Different quotients of such counts differ by at least 1 / most^2.
    const double apart = 0.25 / (static_cast<double>(most) * static_cast<double>(most));
    while (high - low > std::max(apart, 1e-12 * high)) {
        const double middle = (low + high) / 2;
        (balance_is_attainable(counts, clusters, middle) ? low : high) = middle;
    }
    return quotient_between(low, high, least);
}

double attainable_parity(std::span<const std::int64_t> counts, std::int64_t clusters) {
    if (counts.empty() || std::ranges::min(counts) < clusters) return 0;
    double worst = 1;
    // Cluster l has points l n / k to (l + 1) n / k, both rounded down, of every group of n points.
    for (std::int64_t l = 0; l < clusters; ++l) {
        double least = std::numeric_limits<double>::infinity(), most = 0;
        for (const std::int64_t n : counts) {
            const std::int64_t members = (l + 1) * n / clusters - l * n / clusters;
            const double rate = static_cast<double>(members) / static_cast<double>(n);
            least = std::min(least, rate);
            most = std::max(most, rate);
        }
        worst = std::min(worst, least / most);
    }
    if (clusters == 1) return worst;
    for (std::int64_t part = 1; part <= std::min(parity_part_limit, std::ranges::min(counts) / clusters); ++part)
        worst = std::max(worst, parity_of_parts(counts, clusters, part));
    return worst;
}

namespace {

std::optional<Obstacle> obstacle_of(const SizeDemand& demand, std::int64_t points, std::int64_t clusters) {
    if (demand.at_least > 0 && points / clusters < demand.at_least) return Obstacle{Obstacle::Kind::too_few};
    if ((points + clusters - 1) / clusters > demand.at_most) return Obstacle{Obstacle::Kind::too_many};
    return std::nullopt;
}

// Bounds on shares hold for all clusters together, because each cluster keeps m_j >= lower_j m. Each cluster also needs
// a point of every group with a lower bound above 0.
std::optional<Obstacle> obstacle_of_shares(const Demand& demand, std::span<const std::int64_t> totals,
                                           std::int64_t points, std::int64_t clusters) {
    for (std::size_t j = 0; j < totals.size(); ++j) {
        const double share = static_cast<double>(totals[j]) / static_cast<double>(points);
        if (demand.lower[j] > 0 && totals[j] < clusters) return Obstacle{Obstacle::Kind::scarce, 0, j};
        if (share < demand.lower[j] - rounding_margin) return Obstacle{Obstacle::Kind::scarce, 0, j};
        if (share > demand.upper[j] + rounding_margin) return Obstacle{Obstacle::Kind::abundant, 0, j};
    }
    return std::nullopt;
}

// Every cluster needs a point of every group that counts, and w_j m_j >= ratio w_j' m_j' also holds for all clusters
// together.
std::optional<Obstacle> obstacle_of_ratio(const Demand& demand, std::span<const std::int64_t> totals,
                                          std::int64_t clusters, std::int64_t exact) {
    std::vector<std::int64_t> counted;
    std::size_t smallest = 0;
    bool alike = true;
    double weight = 0;
    for (std::size_t j = 0; j < totals.size(); ++j) {
        const double own = demand.weight(j);
        if (own == 0) continue;
        if (counted.empty() || totals[j] < totals[smallest]) smallest = j;
        alike = alike && (counted.empty() || own == weight);
        weight = own;
        counted.push_back(totals[j]);
    }
    if (counted.empty()) return std::nullopt;
    if (totals[smallest] < clusters) return Obstacle{Obstacle::Kind::scarce, 0, smallest};
    const bool possible = weighted_balance(demand, totals) >= demand.ratio * (1 - rounding_margin);
    if (!possible) return Obstacle{Obstacle::Kind::balance, 0, smallest};
    if (!alike || !searches_exactly(totals[smallest], clusters, exact)) return std::nullopt;
    if (balance_is_attainable(counted, clusters, demand.ratio)) return std::nullopt;
    return Obstacle{Obstacle::Kind::balance, 0, smallest};
}

}  // namespace

std::optional<Obstacle> find_obstacle(const Demands& demands, std::span<const std::vector<std::int64_t>> totals,
                                      std::int64_t points, std::int64_t clusters, std::int64_t exact) {
    if (points < clusters || clusters < 1) return std::nullopt;
    if (const auto found = obstacle_of(demands.of_sizes, points, clusters)) return found;
    for (std::size_t i = 0; i < demands.of_groups.size(); ++i) {
        const Demand& demand = demands.of_groups[i];
        if (demand.empty()) continue;
        std::span<const std::int64_t> of_groups = totals[demand.attribute];
        std::int64_t known = points;
        if (const std::size_t listed = std::max(demand.lower.size(), demand.weights.size()); listed > 0) {
            for (const std::int64_t unknown : of_groups.subspan(listed)) known -= unknown;
            of_groups = of_groups.first(listed);
        }
        auto found = demand.of_shares() ? obstacle_of_shares(demand, of_groups, known, clusters)
                                        : obstacle_of_ratio(demand, of_groups, clusters, exact);
        if (!found) continue;
        found->demand = i;
        return found;
    }
    return std::nullopt;
}

std::optional<Obstacle> find_obstacle_of_weights(const Demands& demands, std::span<const std::vector<double>> totals,
                                                 double weight, std::int64_t clusters) {
    using Kind = Obstacle::Kind;
    const double even = weight / static_cast<double>(std::max<std::int64_t>(1, clusters));
    if (static_cast<double>(demands.of_sizes.at_least) > even * (1 + rounding_margin)) return Obstacle{Kind::too_few};
    if (static_cast<double>(demands.of_sizes.at_most) < even * (1 - rounding_margin)) return Obstacle{Kind::too_many};
    for (std::size_t i = 0; i < demands.of_groups.size(); ++i) {
        const Demand& demand = demands.of_groups[i];
        std::span<const double> of_groups = totals[demand.attribute];
        if (const std::size_t listed = std::max(demand.lower.size(), demand.weights.size()); listed > 0)
            of_groups = of_groups.first(listed);
        double all = 0, least = std::numeric_limits<double>::infinity();
        std::size_t smallest = 0;
        for (std::size_t j = 0; j < of_groups.size(); ++j) {
            all += of_groups[j];
            if (demand.weight(j) > 0 && of_groups[j] < least) least = of_groups[j], smallest = j;
        }
        for (std::size_t j = 0; j < demand.lower.size() && all > 0; ++j) {
            const double share = of_groups[j] / all;
            if (share < demand.lower[j] - rounding_margin) return Obstacle{Kind::scarce, i, j};
            if (share > demand.upper[j] + rounding_margin) return Obstacle{Kind::abundant, i, j};
        }
        if (demand.ratio > 0 && weighted_balance(demand, of_groups) < demand.ratio * (1 - rounding_margin))
            return Obstacle{Kind::balance, i, smallest};
    }
    return std::nullopt;
}

}  // namespace fairstream
