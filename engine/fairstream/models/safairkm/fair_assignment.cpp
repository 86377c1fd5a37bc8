#include <fairstream/models/safairkm/fair_assignment.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace fairstream::safairkm {

// One constraint of the cluster looked at: m_l,scarce >= balance * m_l,abundant.
struct FairAssignment::Pair {
    std::size_t l, a;  // a: index among the balanced attributes
    GroupId scarce, abundant;
    double balance;
};

FairAssignment::FairAssignment(const Window& window, std::size_t k, std::span<const std::uint32_t> attributes)
    : n_(window.size()), d_(window.dimensions()), k_(k), kernels_(kernels()) {
    sort_into_cells(window, attributes);
    for (const std::uint32_t attribute : attributes) {
        const std::size_t groups = window.format().attributes[attribute].groups.size();
        multipliers_.push_back({groups, std::vector<double>(k * groups * groups)});
    }
    columns_.resize(d_ * n_);
    for (std::size_t i = 0; i < n_; ++i)
        for (std::size_t j = 0; j < d_; ++j) columns_[j * n_ + i] = window.features(order_[i])[j];
    distances_.resize(k * n_);
    prices_.assign(cells_.size() * k, 0);
    later_.resize(k * n_);
    earlier_.resize(n_);
    gaps_.resize(n_);
    labels_.resize(n_);
}

void FairAssignment::sort_into_cells(const Window& window, std::span<const std::uint32_t> attributes) {
    std::map<std::vector<GroupId>, std::vector<Slot>> cells;
    std::vector<GroupId> groups(attributes.size());
    for (Slot slot = 0; slot < n_; ++slot) {
        for (std::size_t a = 0; a < attributes.size(); ++a) groups[a] = window.group(slot, attributes[a]);
        cells[groups].push_back(slot);
    }
    for (const auto& [key, slots] : cells) {
        cells_.push_back({order_.size(), slots.size(), key});
        order_.insert(order_.end(), slots.begin(), slots.end());
    }
}

void FairAssignment::measure(std::span<const float> centres) {
    constexpr std::size_t block = 1024;  // points whose columns stay near
    for (std::size_t i = 0; i < n_; i += block)
        for (std::size_t l = 0; l < k_; ++l)
            kernels_.column_distances(&columns_[i], n_, std::min(block, n_ - i), d_, &centres[l * d_],
                                      &distances_[l * n_ + i]);
    double total = 0;
    for (std::size_t i = 0; i < n_; ++i) total += distances_[i];
    scale_ = n_ == 0 ? 0 : total / static_cast<double>(n_);
}

void FairAssignment::settle(std::span<const Demand> demands) {
    for (std::size_t l = 0; l < k_; ++l) reprice(l, demands);
    price_later_clusters();
    std::ranges::fill(earlier_, std::numeric_limits<float>::infinity());
    for (std::size_t l = 0; l < k_; ++l) settle_cluster(l, demands);
}

void FairAssignment::price_later_clusters() {
    std::fill_n(&later_[(k_ - 1) * n_], n_, std::numeric_limits<float>::infinity());
    for (std::size_t l = k_ - 1; l > 0; --l)
        for (std::size_t c = 0; c < cells_.size(); ++c) {
            const std::size_t at = l * n_ + cells_[c].first;
            kernels_.least_priced(&distances_[at], cells_[c].size, prices_[c * k_ + l], &later_[at], &later_[at - n_]);
        }
}

void FairAssignment::reprice(std::size_t l, std::span<const Demand> demands) {
    for (std::size_t c = 0; c < cells_.size(); ++c) {
        double price = 0;
        for (std::size_t a = 0; a < demands.size(); ++a)
            price += multipliers_[a].price(l, cells_[c].groups[a], demands[a].balance);
        prices_[c * k_ + l] = static_cast<float>(price);
    }
}

void FairAssignment::settle_cluster(std::size_t l, std::span<const Demand> demands) {
    kernels_.gaps(&distances_[l * n_], n_, earlier_.data(), &later_[l * n_], gaps_.data());
    // The demands of one attribute move the counts of the others.
    const int sweeps = demands.size() > 1 ? 2 : 1;
    for (int sweep = 0; sweep < sweeps; ++sweep)
        for (std::size_t a = 0; a < demands.size(); ++a) settle_attribute(l, a, demands);
    for (std::size_t c = 0; c < cells_.size(); ++c) {
        const std::size_t first = cells_[c].first;
        kernels_.least_priced(&distances_[l * n_ + first], cells_[c].size, prices_[c * k_ + l], &earlier_[first],
                              &earlier_[first]);
    }
}

// How many of each group of an attribute the cluster has at the present prices.
std::vector<std::size_t> FairAssignment::members(std::size_t l, std::size_t a) const {
    std::vector<std::size_t> counts(multipliers_[a].groups);
    for (std::size_t c = 0; c < cells_.size(); ++c)
        counts[cells_[c].groups[a]] +=
            kernels_.count_below(&gaps_[cells_[c].first], cells_[c].size, -prices_[c * k_ + l]);
    return counts;
}

void FairAssignment::settle_attribute(std::size_t l, std::size_t a, std::span<const Demand> demands) {
    const auto pair = [&](std::size_t scarce, std::size_t abundant) {
        return Pair{l, a, static_cast<GroupId>(scarce), static_cast<GroupId>(abundant), demands[a].balance};
    };
    Multipliers& w = multipliers_[a];
    for (std::size_t j = 0; j < w.groups; ++j)
        for (std::size_t other = 0; other < w.groups; ++other)
            if (w.at(l, j, other) > 0) settle_pair(pair(j, other), demands);
    // Whichever pair is the worst, then.
    for (std::size_t turn = 0; turn < w.groups; ++turn) {
        const std::vector<std::size_t> counts = members(l, a);
        const auto [scarce, abundant] = std::ranges::minmax_element(counts);
        if (static_cast<double>(*scarce) >= demands[a].balance * static_cast<double>(*abundant)) return;
        settle_pair(pair(static_cast<std::size_t>(scarce - counts.begin()),
                         static_cast<std::size_t>(abundant - counts.begin())),
                    demands);
    }
}

// m_l,scarce - b m_l,abundant if the multiplier changed by so much.
double FairAssignment::excess(const Pair& pair, double change) const {
    double total = 0;
    for (std::size_t c = 0; c < cells_.size(); ++c) {
        const Cell& cell = cells_[c];
        const GroupId group = cell.groups[pair.a];
        if (group != pair.scarce && group != pair.abundant) continue;
        const double charged = group == pair.scarce ? -change : pair.balance * change;
        const auto limit = static_cast<float>(-(static_cast<double>(prices_[c * k_ + pair.l]) + charged));
        const auto count = static_cast<double>(kernels_.count_below(&gaps_[cell.first], cell.size, limit));
        total += group == pair.scarce ? count : -pair.balance * count;
    }
    return total;
}

// The excess rises with the multiplier: brackets the least one at which it is not negative, then halves the bracket.
void FairAssignment::settle_pair(const Pair& pair, std::span<const Demand> demands) {
    constexpr int doublings = 64, halvings = 8;
    double& w = multipliers_[pair.a].at(pair.l, pair.scarce, pair.abundant);
    const double reach = std::max(w, scale_) / 64;
    double low = 0, high = 0;
    if (excess(pair, 0) < 0) {
        high = reach;
        for (int i = 0; i < doublings && excess(pair, high) < 0; ++i) low = std::exchange(high, high * 2);
    } else {
        low = std::max(-w, -reach);
        while (low > -w && excess(pair, low) >= 0) low = std::max(-w, 2 * std::exchange(high, low));
        if (excess(pair, low) >= 0) high = low;
    }
    for (int i = 0; i < halvings && low < high; ++i) {
        const double middle = (low + high) / 2;
        (excess(pair, middle) < 0 ? low : high) = middle;
    }
    w = std::max(0.0, w + high);
    reprice(pair.l, demands);
}

std::span<const ClusterId> FairAssignment::assign() {
    for (std::size_t c = 0; c < cells_.size(); ++c)
        kernels_.priced_nearest(&distances_[cells_[c].first], n_, cells_[c].size, k_, &prices_[c * k_],
                                &labels_[cells_[c].first]);
    return labels_;
}

}  // namespace fairstream::safairkm
