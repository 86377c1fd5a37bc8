/// Fronts of cost and balance, and merged lists of labellings, against comparisons of all pairs.

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <rapidcheck/gtest.h>  // needs the first

#include <algorithm>
#include <optional>
#include <ostream>
#include <utility>
#include <vector>

#include <fairstream/fairness/pareto.hpp>
#include <fairstream/models/detail/front_search.hpp>
#include <fairstream/models/safairkm/detail/front_list.hpp>
#include <fairstream/models/safairkm/safairkm.hpp>

namespace fairstream {

static std::ostream& operator<<(std::ostream& out, const TradeOff& point) {
    return out << '(' << point.cost << ", " << point.balance << ')';
}

namespace test {
namespace {

constexpr int balance_steps = 8;  // of balance; few costs and balances, so that points tie in one or both

rc::Gen<TradeOff> point() {
    return rc::gen::build<TradeOff>(
        rc::gen::set(&TradeOff::cost, rc::gen::map(rc::gen::inRange(0, 10), [](int cost) { return double(cost); })),
        rc::gen::set(&TradeOff::balance, rc::gen::map(rc::gen::inRange(0, balance_steps + 1),
                                                      [](int step) { return double(step) / balance_steps; })));
}

rc::Gen<std::vector<TradeOff>> points() {
    return rc::gen::container<std::vector<TradeOff>>(point());
}

bool as_good(const TradeOff& a, const TradeOff& b) {
    return a.cost <= b.cost && a.balance >= b.balance;
}

// Lists the points that no other dominates, by rising cost; of equal points the first.
std::vector<std::size_t> front_of(const std::vector<TradeOff>& all) {
    std::vector<std::size_t> front;
    for (std::size_t i = 0; i < all.size(); ++i) {
        bool stays = true;
        for (std::size_t j = 0; j < all.size(); ++j) stays &= !as_good(all[j], all[i]) || (all[j] == all[i] && j >= i);
        if (stays) front.push_back(i);
    }
    std::ranges::sort(front, {}, [&](std::size_t i) { return all[i].cost; });
    return front;
}

std::vector<TradeOff> chosen(const std::vector<TradeOff>& all, const std::vector<std::size_t>& indices) {
    std::vector<TradeOff> some;
    for (const std::size_t i : indices) some.push_back(all[i]);
    return some;
}

RC_GTEST_PROP(FrontProperties, WhatNoOtherPointDominatesIsTheFront, ()) {
    const std::vector<TradeOff> all = *points();
    RC_ASSERT(nondominated(all) == front_of(all));
}

/// A point added to a list, and whether the points since the last merger are merged after it.
struct Arrival {
    TradeOff point;
    bool merges = false;
    friend std::ostream& operator<<(std::ostream& out, const Arrival& arrival) {
        return out << arrival.point << (arrival.merges ? " |" : "");
    }
};

rc::Gen<std::vector<Arrival>> arrivals() {
    return rc::gen::container<std::vector<Arrival>>(rc::gen::build<Arrival>(
        rc::gen::set(&Arrival::point, point()), rc::gen::set(&Arrival::merges, rc::gen::arbitrary<bool>())));
}

/// A labelling identified by its number, which merging does not change.
safairkm::Labelling numbered(const TradeOff& point, std::size_t number) {
    safairkm::Labelling labelling;
    labelling.squares = {static_cast<double>(number)};
    labelling.point = point;
    return labelling;
}

RC_GTEST_PROP(FrontProperties, MergedListIsFrontOfAll, ()) {
    std::vector<TradeOff> all;
    std::vector<safairkm::Labelling> list, fresh;
    for (const Arrival& arrival : *arrivals()) {
        fresh.push_back(numbered(arrival.point, all.size()));
        all.push_back(arrival.point);
        if (!arrival.merges) continue;
        merge(list, std::exchange(fresh, {}));
        const std::vector<std::size_t> expected = front_of(all);
        std::vector<std::size_t> found;
        for (const safairkm::Labelling& each : list) found.push_back(static_cast<std::size_t>(each.squares.at(0)));
        RC_ASSERT(found == expected);
        RC_ASSERT(points_of(list) == chosen(all, expected));
    }
}

RC_GTEST_PROP(FrontProperties, QueriesMatchLinearSearch, ()) {
    const std::vector<TradeOff> all = *points();
    const std::vector<TradeOff> front = chosen(all, front_of(all));
    const TradeOff asked = *point();
    bool covered = false;
    std::optional<std::size_t> fair, cheap;
    for (std::size_t i = 0; i < front.size(); ++i) {
        covered |= as_good(front[i], asked);
        if (front[i].cost <= asked.cost) fair = i;
        if (front[i].balance >= asked.balance && !cheap) cheap = i;
    }
    RC_ASSERT(covers(front, asked) == covered);
    RC_ASSERT(fairest(front, asked.cost) == fair);
    RC_ASSERT(cheapest(front, asked.balance) == cheap);
    // In cells of 1 by 1/balance_steps, each of which the front dominates wholly or not at all.
    int cells = 0;
    for (int cost = 0; cost < static_cast<int>(asked.cost); ++cost)
        for (int step = 1; step <= balance_steps; ++step)
            cells += std::ranges::any_of(
                front, [&](const TradeOff& p) { return p.cost <= cost && p.balance * balance_steps >= step; });
    RC_ASSERT(hypervolume(front, asked.cost) * balance_steps == cells);
}

RC_GTEST_PROP(FrontProperties, ThinnedFrontIsClose, ()) {
    const std::vector<TradeOff> all = *points();
    const std::vector<TradeOff> front = chosen(all, front_of(all));
    const double gap = *rc::gen::element(0.0, 0.125, 0.25, 0.5);
    const std::vector<std::size_t> kept = thinned(front, gap);
    RC_ASSERT(kept.empty() == front.empty());
    if (front.empty()) return;
    RC_ASSERT(kept.front() == 0U);
    RC_ASSERT(kept.back() == front.size() - 1);
    const double cost = gap * (front.back().cost - front.front().cost),
                 balance = gap * (front.back().balance - front.front().balance);
    const auto close = [&](std::size_t a, std::size_t b) {
        return std::abs(front[a].cost - front[b].cost) < cost &&
               std::abs(front[a].balance - front[b].balance) < balance;
    };
    for (std::size_t i = 1; i < kept.size(); ++i) {
        RC_ASSERT(kept[i - 1] < kept[i]);
        RC_ASSERT(kept.size() == 2 || !close(kept[i - 1], kept[i]));
    }
    // A point left out because of the end is close to the end; every other point is close to the one kept before it.
    for (std::size_t i = 0; i < front.size(); ++i)
        RC_ASSERT(std::ranges::any_of(kept, [&](std::size_t k) { return k == i || close(k, i); }));
}

}  // namespace
}  // namespace test
}  // namespace fairstream
