#include <fairstream/numeric/detail/affinity/places.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <numeric>
#include <utility>

namespace fairstream {
namespace {

// Hashes the features of a row, 0 and -0 alike. Rows with equal hashes are compared by their features.
std::uint64_t digest(std::span<const float> row) {
    std::uint64_t h = 0x9e3779b97f4a7c15;
    for (const float x : row) {
        h ^= std::bit_cast<std::uint32_t>(x + 0.0F);
        h *= 0xbf58476d1ce4e5b9;
        h ^= h >> 29;
    }
    return h;
}

// Sets the first equal point of each of `some`, which ascend.
void find_firsts(const PackedPoints& points, std::span<std::pair<std::uint64_t, Slot>> some, std::span<Slot> first) {
    std::vector<float> rows(some.size() * points.dimensions());
    const auto row = [&](std::size_t i) {
        return std::span(rows).subspan(i * points.dimensions(), points.dimensions());
    };
    std::vector<std::size_t> order(some.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t i = 0; i < some.size(); ++i) points.copy_row(some[i].second, row(i).data());
    std::ranges::stable_sort(
        order, [&](std::size_t a, std::size_t b) { return std::ranges::lexicographical_compare(row(a), row(b)); });
    for (std::size_t i = 0; i < order.size(); ++i) {
        const bool repeats = i > 0 && std::ranges::equal(row(order[i]), row(order[i - 1]));
        first[some[order[i]].second] = repeats ? first[some[order[i - 1]].second] : some[order[i]].second;
    }
}

}  // namespace

void Places::update(const PackedPoints& points) {
    const std::size_t n = points.size();
    std::vector<std::pair<std::uint64_t, Slot>> digests(n);
    std::vector<float> row(points.dimensions());
    for (std::size_t i = 0; i < n; ++i) {
        points.copy_row(i, row.data());
        digests[i] = {digest(row), static_cast<Slot>(i)};
    }
    std::ranges::sort(digests);
    std::vector<Slot> first(n);
    for (std::size_t begin = 0, end = 0; begin < n; begin = end) {
        while (end < n && digests[end].first == digests[begin].first) ++end;
        if (end - begin == 1)
            first[digests[begin].second] = digests[begin].second;
        else
            find_firsts(points, std::span(digests).subspan(begin, end - begin), first);
    }
    of_.resize(n);
    firsts_.clear();
    for (std::size_t i = 0; i < n; ++i) {
        if (first[i] == i) {
            of_[i] = static_cast<Slot>(firsts_.size());
            firsts_.push_back(static_cast<Slot>(i));
        } else {
            of_[i] = of_[first[i]];
        }
    }
    begins_.assign(firsts_.size() + 1, 0);
    for (const Slot place : of_) ++begins_[place + 1];
    std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
    members_.resize(n);
    std::vector<std::size_t> next(begins_.begin(), begins_.end() - 1);
    for (std::size_t i = 0; i < n; ++i) members_[next[of_[i]]++] = static_cast<Slot>(i);
}

void unite_labels(const Places& places, std::size_t k, std::span<ClusterId> labels) {
    if (!places.repeat()) return;
    std::vector<std::size_t> sizes(k, 0);
    for (const ClusterId label : labels) ++sizes[static_cast<std::size_t>(label)];
    std::map<ClusterId, std::size_t> here;
    for (std::size_t place = 0; place < places.size(); ++place) {
        here.clear();
        for (const Slot i : places.at(place)) ++here[labels[i]];
        if (here.size() == 1) continue;
        const ClusterId label = std::ranges::max_element(here, {}, [&](const auto& found) {
                                    const bool alone = found.second == sizes[static_cast<std::size_t>(found.first)];
                                    return std::pair(alone, found.second);
                                })->first;
        for (const auto& [from, points] : here) sizes[static_cast<std::size_t>(from)] -= points;
        sizes[static_cast<std::size_t>(label)] += places.at(place).size();
        for (const Slot i : places.at(place)) labels[i] = label;
    }
}

}  // namespace fairstream
