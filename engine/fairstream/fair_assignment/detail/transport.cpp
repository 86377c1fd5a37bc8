#include <fairstream/fair_assignment/detail/transport.hpp>

#include <algorithm>
#include <limits>
#include <tuple>
#include <vector>

namespace fairstream {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Points of each cluster, in order of arrival.
class Members {
public:
    Members(std::span<ClusterId> labels, std::size_t k)
        : labels_(labels), of_(k), position_(labels.size()), arrival_(labels.size()) {
        for (std::size_t i = 0; i < labels.size(); ++i) add(i, static_cast<std::size_t>(labels[i]));
    }
    [[nodiscard]] std::span<const std::size_t> of(std::size_t l) const { return of_[l]; }
    [[nodiscard]] std::uint64_t arrival(std::size_t i) const { return arrival_[i]; }
    void move(std::size_t i, std::size_t to) {
        std::vector<std::size_t>& from = of_[static_cast<std::size_t>(labels_[i])];
        const std::size_t last = from.back();
        from[position_[i]] = last;
        position_[last] = position_[i];
        from.pop_back();
        labels_[i] = static_cast<ClusterId>(to);
        add(i, to);
    }

private:
    void add(std::size_t i, std::size_t l) {
        position_[i] = of_[l].size();
        of_[l].push_back(i);
        arrival_[i] = arrivals_++;
    }

    std::span<ClusterId> labels_;
    std::vector<std::vector<std::size_t>> of_;
    std::vector<std::size_t> position_;   // by point, its index in its cluster
    std::vector<std::uint64_t> arrival_;  // by point, a unique number
    std::uint64_t arrivals_ = 0;
};

// A point of a cluster that may move to another, with the cost of the move.
struct CheapMove {
    double cost;
    std::uint64_t arrival;
    std::size_t point;
    // Of points with equal costs the first that came is better.
    friend bool operator<(const CheapMove& a, const CheapMove& b) {
        return std::tie(a.cost, a.arrival) < std::tie(b.cost, b.arrival);
    }
};

// The points of one cluster whose move to another costs least, up to some number. Points that left the cluster are
// skipped when they are reached; when none is left, all points of the cluster are read again.
class Candidates {
public:
    // Returns the best candidate that is still a member; null if the list is used up.
    [[nodiscard]] const CheapMove* best(const Members& members) {
        while (!best_last_.empty() && members.arrival(best_last_.back().point) != best_last_.back().arrival)
            best_last_.pop_back();
        return best_last_.empty() ? nullptr : &best_last_.back();
    }
    // Returns whether there may be members that the list left out.
    [[nodiscard]] bool is_truncated() const { return is_truncated_; }
    // Adds a new member unless it is worse than those that the list left out.
    void add(const CheapMove& candidate, std::size_t most) {
        if (is_truncated_ && !(candidate < worst_)) return;
        best_last_.insert(std::lower_bound(best_last_.begin(), best_last_.end(), candidate, after), candidate);
        if (best_last_.size() > 2 * most) keep(most);
    }
    // Fills the list anew from all members, given in any order.
    void assign(std::vector<CheapMove>& all, std::size_t most) {
        is_truncated_ = all.size() > most;
        if (is_truncated_) {
            std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(most) - 1, all.end());
            all.resize(most);
        }
        best_last_.assign(all.begin(), all.end());
        std::sort(best_last_.begin(), best_last_.end(), after);
        if (is_truncated_) worst_ = best_last_.front();
    }

private:
    static bool after(const CheapMove& a, const CheapMove& b) { return b < a; }
    void keep(std::size_t most) {
        best_last_.erase(best_last_.begin(), best_last_.end() - static_cast<std::ptrdiff_t>(most));
        is_truncated_ = true;
        worst_ = best_last_.front();
    }

    std::vector<CheapMove> best_last_;
    bool is_truncated_ = true;
    CheapMove worst_{-infinity, 0, 0};  // if truncated: the list has all members that are better than this one
};

// Solves the transport problem on a graph of clusters; the edge from l to h is the point of l whose move to h costs
// least. Edge costs include prices and are never negative while the labels are optimal, so Dijkstra's method finds
// paths. Subtracting the distances that it finds from the prices keeps edge costs nonnegative.
class TransportSolver {
public:
    TransportSolver(std::span<const float> distances, std::size_t stride, std::span<const float> prices,
                    std::span<const std::int64_t> wanted, std::span<ClusterId> labels)
        : distances_(distances),
          stride_(stride),
          k_(wanted.size()),
          labels_(labels),
          prices_(prices.begin(), prices.end()),
          surplus_(k_),
          members_(labels, k_),
          candidate_limit_(std::clamp<std::size_t>(memory / (k_ * k_), 4, 128)),
          candidates_(k_ * k_),
          cost_(k_ * k_, infinity),
          point_(k_ * k_),
          distance_(k_),
          open_distance_(k_),
          before_(k_) {
        for (std::size_t l = 0; l < k_; ++l) surplus_[l] = static_cast<std::int64_t>(members_.of(l).size()) - wanted[l];
        if (!is_done())
            for (std::size_t l = 0; l < k_; ++l) find_edges(l);
    }

    void run() {
        while (!is_done() && augment()) {
        }
    }

private:
    static constexpr std::size_t memory = std::size_t{1} << 20;  // candidates of all edges together

    [[nodiscard]] bool is_done() const {
        return std::ranges::none_of(surplus_, [](std::int64_t s) { return s > 0; });
    }
    [[nodiscard]] double distance(std::size_t i, std::size_t l) const { return distances_[l * stride_ + i]; }
    [[nodiscard]] CheapMove candidate(std::size_t i, std::size_t l, std::size_t h) const {
        return {distance(i, h) - distance(i, l), members_.arrival(i), i};
    }

    void find_edges(std::size_t l) {
        for (std::size_t h = 0; h < k_; ++h) {
            if (h == l) continue;
            Candidates& of_edge = candidates_[l * k_ + h];
            const CheapMove* best = of_edge.best(members_);
            if (best == nullptr && of_edge.is_truncated()) {
                all_.clear();
                for (const std::size_t i : members_.of(l)) all_.push_back(candidate(i, l, h));
                of_edge.assign(all_, candidate_limit_);
                best = of_edge.best(members_);
            }
            cost_[l * k_ + h] = best == nullptr ? infinity : best->cost;
            if (best != nullptr) point_[l * k_ + h] = best->point;
        }
    }

    // Moves a point along each edge of the cheapest path from a cluster with too many points to one with too few.
    // Returns whether there is a path; there always is while the sizes add up, because a cluster with too many points
    // has an edge to every other.
    bool augment() {
        std::ranges::fill(distance_, infinity);
        std::ranges::fill(before_, k_);
        for (std::size_t l = 0; l < k_; ++l)
            if (surplus_[l] > 0) distance_[l] = 0;
        open_distance_ = distance_;
        std::size_t next;
        for (;;) {
            next = static_cast<std::size_t>(std::ranges::min_element(open_distance_) - open_distance_.begin());
            if (open_distance_[next] == infinity) return false;
            if (surplus_[next] < 0) break;
            open_distance_[next] = infinity;
            relax_edges(next);
        }
        for (std::size_t l = 0; l < k_; ++l) prices_[l] -= std::min(distance_[l], distance_[next]);
        push(next);
        return true;
    }

    // Relaxes the edges of a cluster whose distance is final. Clusters that are already final are no farther, since no
    // edge is negative.
    void relax_edges(std::size_t l) {
        const double* const cost = &cost_[l * k_];
        const double away = distance_[l], price = prices_[l];
        for (std::size_t h = 0; h < k_; ++h) {
            const double there = away + std::max(0.0, cost[h] + prices_[h] - price);
            const bool nearer = there < distance_[h];
            distance_[h] = nearer ? there : distance_[h];
            open_distance_[h] = nearer ? there : open_distance_[h];
            before_[h] = nearer ? l : before_[h];
        }
    }

    // Moves one point along each edge of the path, from its end to its start.
    void push(std::size_t end) {
        ++surplus_[end];
        std::vector<std::size_t> changed{end};
        for (std::size_t h = end; before_[h] < k_; h = before_[h]) {
            const std::size_t l = before_[h], i = point_[l * k_ + h];
            members_.move(i, h);
            for (std::size_t g = 0; g < k_; ++g)
                if (g != h) candidates_[h * k_ + g].add(candidate(i, h, g), candidate_limit_);
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
    Members members_;
    std::size_t candidate_limit_;         // largest number of candidates of an edge
    std::vector<Candidates> candidates_;  // k x k
    std::vector<CheapMove> all_;
    std::vector<double> cost_;        // k x k, without prices
    std::vector<std::size_t> point_;  // k x k
    // Search for a path, by cluster: the distance from a cluster with too many points, that distance while it is not
    // final, and the cluster before it on the path.
    std::vector<double> distance_, open_distance_;
    std::vector<std::size_t> before_;
};

}  // namespace

void transport(std::span<const float> distances, std::size_t stride, std::span<const float> prices,
               std::span<const std::int64_t> wanted, std::span<ClusterId> labels) {
    TransportSolver(distances, stride, prices, wanted, labels).run();
}

}  // namespace fairstream
