#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fairstream/fairness/attainable.hpp>
#include <fairstream/fairness/measures.hpp>

namespace fairstream {
namespace {

double share(double part, double whole) {
    return whole == 0 ? 0 : part / whole;
}

// Returns the weights of the known groups in a cluster.
std::span<const double> known_weights(const FairnessTally& tally, int attribute, ClusterId cluster) {
    return tally.weights(cluster, attribute).first(static_cast<std::size_t>(tally.known_groups(attribute)));
}

std::vector<double> stream_weights(const FairnessTally& tally, int attribute) {
    std::vector<double> weights(static_cast<std::size_t>(tally.known_groups(attribute)));
    for (ClusterId l = 0; l < tally.clusters(); ++l)
        for (std::size_t j = 0; j < weights.size(); ++j) weights[j] += tally.weights(l, attribute)[j];
    return weights;
}

std::vector<std::int64_t> stream_counts(const FairnessTally& tally, int attribute) {
    std::vector<std::int64_t> counts(static_cast<std::size_t>(tally.known_groups(attribute)));
    for (ClusterId l = 0; l < tally.clusters(); ++l)
        for (std::size_t j = 0; j < counts.size(); ++j) counts[j] += tally.counts(l, attribute)[j];
    return counts;
}

double sum_of(std::span<const double> weights) {
    return std::accumulate(weights.begin(), weights.end(), 0.0);
}

double min_over_max(std::span<const double> weights) {
    const auto [least, most] = std::ranges::minmax_element(weights);
    return share(*least, *most);
}

// KL(U || P_l) of one nonempty cluster, in nats.
double kl(std::span<const double> stream, const double* cluster) {
    double total = 0;
    for (std::size_t j = 0; j < stream.size(); ++j) {
        if (stream[j] == 0) continue;
        if (cluster[j] == 0) return std::numeric_limits<double>::infinity();
        total += stream[j] * std::log(stream[j] / cluster[j]);
    }
    return total;
}

double entropy(const double* shares, std::size_t count) {
    double total = 0;
    for (std::size_t j = 0; j < count; ++j)
        if (shares[j] > 0) total -= shares[j] * std::log(shares[j]);
    return total;
}

// max - min of Pr(cluster | group), over the groups that have points.
double parity_difference(std::span<const double> cluster, std::span<const double> stream) {
    double low = 1, high = 0;
    for (std::size_t j = 0; j < cluster.size(); ++j) {
        if (stream[j] == 0) continue;
        low = std::min(low, share(cluster[j], stream[j]));
        high = std::max(high, share(cluster[j], stream[j]));
    }
    return std::max(0.0, high - low);
}

// If the smallest group has at most this many points, the best balance is searched exactly. The number is small because
// the search runs in every update.
constexpr std::int64_t exact_up_to = 32;

// min / max of Pr(cluster | group), over the groups that have points.
double selection_parity(std::span<const double> cluster, std::span<const double> stream) {
    double low = std::numeric_limits<double>::infinity(), high = 0;
    for (std::size_t j = 0; j < cluster.size(); ++j) {
        if (stream[j] == 0) continue;
        low = std::min(low, share(cluster[j], stream[j]));
        high = std::max(high, share(cluster[j], stream[j]));
    }
    return high == 0 ? 0 : low / high;
}

// Returns the best parity that the numbers of points allow, and the best balance. With weights other than 1, points are
// treated as divisible: the totals of the groups bound every split.
double best_parity(const FairnessTally& tally, int attribute) {
    if (tally.is_weighted()) return 1;
    std::vector<std::int64_t> stream = stream_counts(tally, attribute);
    std::erase(stream, 0);
    return attainable_parity(stream, tally.clusters());
}
double best_balance(const FairnessTally& tally, int attribute, std::span<const double> stream) {
    if (tally.is_weighted()) return min_over_max(stream);
    return attainable_balance(stream_counts(tally, attribute), tally.clusters(), exact_up_to);
}

double minimum_parity(const FairnessTally& tally, int attribute, std::span<const double> stream) {
    double lowest = 1;
    for (ClusterId l = 0; l < tally.clusters(); ++l)
        lowest = std::min(lowest, selection_parity(known_weights(tally, attribute, l), stream));
    return lowest;
}

}  // namespace

double balance(const FairnessTally& tally, int attribute, ClusterId cluster) {
    return min_over_max(known_weights(tally, attribute, cluster));
}

double minimum_balance(const FairnessTally& tally, int attribute) {
    if (tally.clusters() == 0) return 0;
    double lowest = 1;
    for (ClusterId l = 0; l < tally.clusters(); ++l) lowest = std::min(lowest, balance(tally, attribute, l));
    return lowest;
}

AttributeFairness attribute_fairness(const FairnessTally& tally, int attribute) {
    AttributeFairness f;
    const auto k = static_cast<std::size_t>(tally.clusters());
    const std::vector<double> stream = stream_weights(tally, attribute);
    const std::size_t groups = stream.size();
    const double total = sum_of(stream);
    for (const double weight : stream) f.stream_shares.push_back(share(weight, total));
    f.cluster_shares.resize(k * groups);
    f.cluster_balances.resize(k);
    if (total == 0) return f;

    f.balance = minimum_balance(tally, attribute);
    f.parity = minimum_parity(tally, attribute, stream);
    // The search is not always exact, and the clusters themselves may be better.
    f.best_balance = std::max(f.balance, best_balance(tally, attribute, stream));
    f.best_parity = std::max(f.parity, best_parity(tally, attribute));
    f.cluster_balance = 1;
    std::size_t nonempty = 0;
    for (std::size_t l = 0; l < k; ++l) {
        const auto cluster = static_cast<ClusterId>(l);
        const std::span<const double> weights = known_weights(tally, attribute, cluster);
        const double size = sum_of(weights);
        double* shares = &f.cluster_shares[l * groups];
        f.cluster_balances[l] = balance(tally, attribute, cluster);
        f.average_balance += f.cluster_balances[l];
        f.demographic_parity_difference = std::max(f.demographic_parity_difference, parity_difference(weights, stream));
        if (size == 0) {
            f.cluster_balance = 0;
            continue;
        }
        ++nonempty;
        for (std::size_t j = 0; j < groups; ++j) {
            shares[j] = share(weights[j], size);
            f.worst_gap = std::max(f.worst_gap, std::abs(shares[j] - f.stream_shares[j]));
            if (stream[j] == 0) continue;
            const auto [smaller, larger] = std::minmax(shares[j], f.stream_shares[j]);
            f.cluster_balance = std::min(f.cluster_balance, smaller / larger);
        }
        f.kl_fairness_error += kl(f.stream_shares, shares);
        f.cluster_entropy += entropy(shares, groups);
    }
    f.average_balance /= static_cast<double>(k);
    f.cluster_entropy /= static_cast<double>(nonempty);
    return f;
}

}  // namespace fairstream
