#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>

#include <fairstream/fairness/score_tally.hpp>

namespace fairstream {
namespace {

using Entries = std::vector<ScoreTally::Entry>;

// Orders entries totally, so that equal contents give equal columns in any order of arrival. Within a tie the highest
// target is first.
constexpr auto before = [](const ScoreTally::Entry& a, const ScoreTally::Entry& b) {
    if (a.score != b.score) return a.score > b.score;
    if (a.target != b.target) return a.target > b.target;
    return a.weight > b.weight;
};

void merge_in(Entries& sorted, Entries& added) {
    std::ranges::sort(added, before);
    const auto middle = static_cast<std::ptrdiff_t>(sorted.size());
    sorted.insert(sorted.end(), added.begin(), added.end());
    std::ranges::inplace_merge(sorted, sorted.begin() + middle, before);
    added.clear();
}

void take_out(Entries& sorted, Entries& removed) {
    std::ranges::sort(removed, before);
    auto next = removed.begin();
    std::erase_if(sorted, [&](const ScoreTally::Entry& entry) {
        while (next != removed.end() && before(*next, entry)) {
            assert(!"a removed point was not in the tally");
            ++next;
        }
        if (next == removed.end() || *next != entry) return false;
        ++next;
        return true;
    });
    assert(next == removed.end());
    removed.clear();
}

// Makes an entry with 0.0 for -0.0, because they are one score.
ScoreTally::Entry entry_of(Score score, float target, double weight) {
    assert(!std::isnan(score) && weight >= 1e-100 && weight <= 1e100);
    return {score == 0 ? 0.0 : score, weight, target};
}

}  // namespace

ScoreTally::ScoreTally(std::size_t groups, std::size_t known_groups)
    : known_groups_(known_groups), sorted_(groups), added_(groups), removed_(groups) {}

void ScoreTally::add(Score score, GroupId group, float target, double weight) {
    if (score != no_score) added_[group].push_back(entry_of(score, target, weight));
}

void ScoreTally::remove(Score score, GroupId group, float target, double weight) {
    if (score != no_score) removed_[group].push_back(entry_of(score, target, weight));
}

void ScoreTally::clear() noexcept {
    for (auto* columns : {&sorted_, &added_, &removed_})
        for (Entries& column : *columns) column.clear();
}

void ScoreTally::settle() {
    for (std::size_t group = 0; group < groups(); ++group) {
        if (!added_[group].empty()) merge_in(sorted_[group], added_[group]);
        if (!removed_[group].empty()) take_out(sorted_[group], removed_[group]);
    }
}

std::size_t ScoreTally::size() const noexcept {
    std::size_t size = 0;
    for (std::size_t group = 0; group < groups(); ++group)
        size += sorted_[group].size() + added_[group].size() - removed_[group].size();
    return size;
}

}  // namespace fairstream
