#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include <fairstream/fairness/attainable.hpp>

namespace fairstream {
namespace {

constexpr std::int64_t exact_limit = 512;
// Work of the exact search, in additions.
constexpr std::int64_t work_limit = 50'000'000;
// Parts that are tried as the equal ones of a split; the loss of a part to rounding is below one point anyhow.
constexpr std::int64_t part_limit = 256;

// Members of another group that fit beside c of the smallest.
std::int64_t room(std::int64_t c, double ratio) {
    constexpr double rounding = 1e-12;
    const double most = static_cast<double>(c) / ratio * (1 + rounding);
    return most < 9e18 ? static_cast<std::int64_t>(most) : std::numeric_limits<std::int64_t>::max() / 4;
}

std::int64_t total_room(std::span<const std::int64_t> parts, double ratio) {
    std::int64_t total = 0;
    for (const std::int64_t part : parts) total += room(part, ratio);
    return total;
}

std::vector<std::int64_t> with_rest(std::int64_t least, std::int64_t clusters, std::int64_t part) {
    std::vector<std::int64_t> parts(static_cast<std::size_t>(clusters), part);
    parts[0] = least - (clusters - 1) * part;
    return parts;
}

// Dynamic programme over clusters: rooms[s] is the most room of the clusters so far with s points in them.
std::vector<std::int64_t> exact_split(std::int64_t least, std::int64_t clusters, double ratio) {
    const auto n = static_cast<std::size_t>(least), k = static_cast<std::size_t>(clusters);
    constexpr std::int64_t never = -1;
    std::vector<std::vector<std::int64_t>> chosen(k + 1, std::vector<std::int64_t>(n + 1, 0));
    std::vector<std::int64_t> rooms(n + 1, never);
    rooms[0] = 0;
    for (std::size_t l = 1; l <= k; ++l) {
        std::vector<std::int64_t> next(n + 1, never);
        for (std::size_t before = l - 1; before + (k - l) < n; ++before) {
            if (rooms[before] == never) continue;
            for (std::size_t part = 1; before + part + (k - l) <= n; ++part) {
                const std::int64_t now = rooms[before] + room(static_cast<std::int64_t>(part), ratio);
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

}  // namespace

std::vector<std::int64_t> roomiest_split(std::int64_t least, std::int64_t clusters, double ratio) {
    if (clusters < 1 || least < clusters) return {};
    std::vector<std::int64_t> best;
    if (least <= exact_limit && least * least * clusters <= work_limit) {
        best = exact_split(least, clusters, ratio);
    } else {
        std::int64_t most = -1;
        for (std::int64_t part = 1; part <= std::min(part_limit, least / clusters); ++part) {
            const std::int64_t rest = least - (clusters - 1) * part;
            const std::int64_t total = (clusters - 1) * room(part, ratio) + room(rest, ratio);
            if (total <= most) continue;
            most = total;
            best = with_rest(least, clusters, part);
        }
    }
    std::ranges::sort(best, std::greater<>());
    return best;
}

bool balance_is_attainable(std::span<const std::int64_t> counts, std::int64_t clusters, double balance) {
    if (balance <= 0 || counts.empty()) return true;
    const auto [least, most] = std::ranges::minmax(counts);
    const std::vector<std::int64_t> split = roomiest_split(least, clusters, balance);
    return !split.empty() && total_room(split, balance) >= most;
}

double attainable_balance(std::span<const std::int64_t> counts, std::int64_t clusters) {
    if (counts.empty()) return 0;
    const auto [least, most] = std::ranges::minmax(counts);
    if (least < clusters || clusters < 1) return 0;
    double low = 0, high = static_cast<double>(least) / static_cast<double>(most);
    if (balance_is_attainable(counts, clusters, high)) return high;
    while (high - low > 1e-12) {
        const double middle = (low + high) / 2;
        (balance_is_attainable(counts, clusters, middle) ? low : high) = middle;
    }
    return low;
}

double attainable_parity(std::span<const std::int64_t> counts, std::int64_t clusters) {
    if (counts.empty() || std::ranges::min(counts) < clusters) return 0;
    double worst = 1;
    // Cluster l has the points from l/k to (l+1)/k of every group, both rounded down.
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
    return worst;
}

}  // namespace fairstream
