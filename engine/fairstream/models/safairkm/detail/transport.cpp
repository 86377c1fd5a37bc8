#include <fairstream/models/safairkm/detail/transport.hpp>

#include <algorithm>
#include <limits>
#include <vector>

namespace fairstream::safairkm {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Solves the transport on a graph of clusters; the edge from l to h is the point of l whose move to h costs least.
// Edges have their cost with prices, which is never negative while the labels are optimal, so that Dijkstra's method
// finds paths; the distances it finds are taken off the prices, which keeps the costs so.
class Flow {
public:
    Flow(std::span<const float> distances, std::size_t stride, std::span<const float> prices,
         std::span<const std::int64_t> wanted, std::span<ClusterId> labels)
        : distances_(distances),
          stride_(stride),
          k_(wanted.size()),
          labels_(labels),
          prices_(prices.begin(), prices.end()),
          surplus_(k_),
          members_(k_),
          cost_(k_ * k_, infinity),
          point_(k_ * k_) {
        for (std::size_t i = 0; i < labels.size(); ++i) members_[static_cast<std::size_t>(labels[i])].push_back(i);
        for (std::size_t l = 0; l < k_; ++l) {
            surplus_[l] = static_cast<std::int64_t>(members_[l].size()) - wanted[l];
            find_edges(l);
        }
    }

    void run() {
        while (std::ranges::any_of(surplus_, [](std::int64_t s) { return s > 0; })) augment();
    }

private:
    [[nodiscard]] double distance(std::size_t i, std::size_t l) const { return distances_[l * stride_ + i]; }

    void find_edges(std::size_t l) {
        for (std::size_t h = 0; h < k_; ++h) {
            double& cost = cost_[l * k_ + h] = infinity;
            if (h == l) continue;
            for (const std::size_t i : members_[l])
                if (const double change = distance(i, h) - distance(i, l); change < cost) {
                    cost = change;
                    point_[l * k_ + h] = i;
                }
        }
    }

    void augment() {
        std::vector<double> away(k_, infinity);  // of the cheapest path from a cluster with too many
        std::vector<std::size_t> before(k_, k_);
        std::vector<bool> settled(k_);
        for (std::size_t l = 0; l < k_; ++l)
            if (surplus_[l] > 0) away[l] = 0;
        std::size_t end = k_;
        while (end == k_) {
            std::size_t next = k_;
            for (std::size_t l = 0; l < k_; ++l)
                if (!settled[l] && away[l] < infinity && (next == k_ || away[l] < away[next])) next = l;
            if (next == k_) return;  // not with sizes that add up: a cluster with too many has an edge to every other
            settled[next] = true;
            if (surplus_[next] < 0) {
                end = next;
                break;
            }
            for (std::size_t h = 0; h < k_; ++h) {
                if (settled[h] || cost_[next * k_ + h] == infinity) continue;
                const double step = std::max(0.0, cost_[next * k_ + h] + prices_[h] - prices_[next]);
                if (away[next] + step < away[h]) away[h] = away[next] + step, before[h] = next;
            }
        }
        for (std::size_t l = 0; l < k_; ++l) prices_[l] -= std::min(away[l], away[end]);
        push(before, end);
    }

    // Moves one point along each edge of the path, from its end back to its start.
    void push(const std::vector<std::size_t>& before, std::size_t end) {
        ++surplus_[end];
        std::vector<std::size_t> changed{end};
        for (std::size_t h = end; before[h] < k_; h = before[h]) {
            const std::size_t l = before[h], i = point_[l * k_ + h];
            labels_[i] = static_cast<ClusterId>(h);
            std::erase(members_[l], i);
            members_[h].push_back(i);
            changed.push_back(l);
        }
        --surplus_[changed.back()];
        for (const std::size_t l : changed) find_edges(l);
    }

    std::span<const float> distances_;
    std::size_t stride_, k_;
    std::span<ClusterId> labels_;
    std::vector<double> prices_;
    std::vector<std::int64_t> surplus_;
    std::vector<std::vector<std::size_t>> members_;
    std::vector<double> cost_;        // k x k, without prices
    std::vector<std::size_t> point_;  // k x k
};

}  // namespace

void transport(std::span<const float> distances, std::size_t stride, std::span<const float> prices,
               std::span<const std::int64_t> wanted, std::span<ClusterId> labels) {
    Flow(distances, stride, prices, wanted, labels).run();
}

}  // namespace fairstream::safairkm
