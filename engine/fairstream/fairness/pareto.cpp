#include <fairstream/fairness/pareto.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace fairstream {

std::vector<std::size_t> nondominated(std::span<const TradeOff> points) {
    std::vector<std::size_t> order(points.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
        if (points[a].cost != points[b].cost) return points[a].cost < points[b].cost;
        if (points[a].balance != points[b].balance) return points[a].balance > points[b].balance;
        return a < b;
    });
    double best = -1;
    std::erase_if(order, [&](std::size_t i) {
        if (points[i].balance <= best) return true;
        best = points[i].balance;
        return false;
    });
    return order;
}

bool covers(FrontView front, const TradeOff& point) {
    const auto beyond = std::ranges::upper_bound(front, point.cost, {}, &TradeOff::cost);
    return beyond != front.begin() && std::prev(beyond)->balance >= point.balance;
}

double hypervolume(FrontView front, double reference_cost) {
    double area = 0, balance = 0;
    for (const TradeOff& point : front) {
        if (point.cost >= reference_cost) break;
        area += (reference_cost - point.cost) * (point.balance - balance);
        balance = point.balance;
    }
    return area;
}

std::vector<std::size_t> thinned(FrontView front, double gap) {
    std::vector<std::size_t> kept;
    if (front.empty()) return kept;
    const double cost_gap = gap * (front.back().cost - front.front().cost);
    const double balance_gap = gap * (front.back().balance - front.front().balance);
    const auto apart = [&](std::size_t a, std::size_t b) {
        return front[b].cost - front[a].cost >= cost_gap || front[b].balance - front[a].balance >= balance_gap;
    };
    for (std::size_t i = 0; i < front.size(); ++i) {
        const bool last = i + 1 == front.size();
        // The end of the front replaces a point close to it.
        if (last && kept.size() > 1 && !apart(kept.back(), i)) kept.pop_back();
        if (i == 0 || last || apart(kept.back(), i)) kept.push_back(i);
    }
    return kept;
}

std::optional<std::size_t> knee(FrontView front) {
    constexpr double significant = 1e-9;  // relative to the extent; rounding bends a straight front by less
    std::optional<std::size_t> best;
    double farthest = significant;
    for (std::size_t i = 1; i + 1 < front.size(); ++i) {
        const TradeOff &first = front.front(), &last = front.back();
        const double above = (front[i].balance - first.balance) / (last.balance - first.balance) -
                             (front[i].cost - first.cost) / (last.cost - first.cost);
        if (above > farthest) {
            farthest = above;
            best = i;
        }
    }
    return best;
}

std::optional<std::size_t> cheapest(FrontView front, double balance_at_least) {
    const auto found = std::ranges::lower_bound(front, balance_at_least, {}, &TradeOff::balance);
    if (found == front.end()) return std::nullopt;
    return static_cast<std::size_t>(found - front.begin());
}

std::optional<std::size_t> fairest(FrontView front, double cost_at_most) {
    const auto beyond = std::ranges::upper_bound(front, cost_at_most, {}, &TradeOff::cost);
    if (beyond == front.begin()) return std::nullopt;
    return static_cast<std::size_t>(beyond - front.begin()) - 1;
}

}  // namespace fairstream
