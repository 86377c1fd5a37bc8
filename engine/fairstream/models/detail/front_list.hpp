#pragma once
/// Lists of labellings while a front is searched.

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include <fairstream/fairness/pareto.hpp>

namespace fairstream {

/// Returns the trade-offs of labellings, their members `point`.
template <class Labelling> [[nodiscard]] std::vector<TradeOff> points_of(const std::vector<Labelling>& list) {
    std::vector<TradeOff> points;
    points.reserve(list.size());
    for (const Labelling& labelling : list) points.push_back(labelling.point);
    return points;
}

/// Keeps the labellings of these indices, in their order.
template <class Labelling> void keep(std::vector<Labelling>& list, const std::vector<std::size_t>& indices) {
    std::vector<Labelling> kept;
    kept.reserve(indices.size());
    for (const std::size_t i : indices) kept.push_back(std::move(list[i]));
    list = std::move(kept);
}

/// Merges the labellings in `fresh` into the list, by rising cost, and drops those that others dominate.
template <class Labelling> void merge(std::vector<Labelling>& list, std::vector<Labelling>&& fresh) {
    std::ranges::move(fresh, std::back_inserter(list));
    keep(list, nondominated(points_of(list)));
}

}  // namespace fairstream
