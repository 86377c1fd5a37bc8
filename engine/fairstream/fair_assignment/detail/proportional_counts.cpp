#include <fairstream/fair_assignment/detail/proportional_counts.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace fairstream {
namespace {

constexpr double unreached = std::numeric_limits<double>::infinity();
constexpr std::size_t most_bound = 4;     // cells
constexpr std::int64_t first_radius = 8;  // in points of the smallest bound cell
// Bounds of the time and of the memory. Time is in rows added to splits; a row that is only read counts as
// `work_of_read_row` rows added. Memory is in splits of all clusters.
constexpr double counts_search_limit = 2e6, work_of_read_row = 8, split_limit = 4e6;

double as_real(std::int64_t count) {
    return static_cast<double>(count);
}

// Returns the demand if it is the only one and a ratio of the groups of one attribute, which then are the cells;
// otherwise null.
const Demand* only_ratio(const CountProblem& p) {
    if (p.demands.of_groups.size() != 1 || p.attributes.size() != 1) return nullptr;
    const Demand& demand = p.demands.of_groups[0];
    return demand.of_shares() || demand.ratio <= 0 ? nullptr : &demand;
}

// Returns the given cells that a ratio binds. The other cells have room in all clusters together: they are between the
// least and the most that the smallest and the largest cell allow, by more than a point per cluster.
std::vector<std::size_t> bound_by_ratio(const CountProblem& p, const Demand& demand, const CellCounts& totals,
                                        std::vector<std::size_t> cells) {
    const auto weighted = [&](std::size_t c) { return p.weight_of(c, demand) * as_real(totals[c]); };
    std::erase_if(cells, [&](std::size_t c) { return p.weight_of(c, demand) == 0; });
    double least = unreached, most = 0;
    for (const std::size_t c : cells) {
        least = std::min(least, weighted(c));
        most = std::max(most, weighted(c));
    }
    std::erase_if(cells, [&](std::size_t c) {
        const double rounded = p.weight_of(c, demand) * as_real(static_cast<std::int64_t>(p.clusters));
        return weighted(c) > std::max(least, demand.ratio * most) + rounded &&
               weighted(c) < std::min(most, least / demand.ratio) - rounded;
    });
    return cells;
}

// Returns the cells that the demands bind, smallest first.
std::vector<std::size_t> bound_cells(const CountProblem& p, const CellCounts& totals) {
    std::vector<std::size_t> cells;
    for (std::size_t c = 0; c < p.cells.size(); ++c)
        if (totals[c] > 0) cells.push_back(c);
    if (const Demand* const ratio = only_ratio(p)) cells = bound_by_ratio(p, *ratio, totals, std::move(cells));
    std::ranges::stable_sort(cells, {}, [&](std::size_t c) { return totals[c]; });
    return cells;
}

// Counts of the bound cells in one cluster, and their distance from the present counts.
struct Row {
    std::vector<std::int64_t> counts;
    double far = 0;
};

// The bound cells in proportion to the smallest of them.
class Proportion {
public:
    Proportion(const CountProblem& p, const CellCounts& totals, std::span<const std::size_t> bound)
        : p_(p), totals_(totals), bound_(bound) {
        for (std::size_t i = 1; i < bound.size(); ++i) ways_ *= 3;
    }

    [[nodiscard]] std::size_t cells() const { return bound_.size(); }
    [[nodiscard]] std::size_t cell(std::size_t i) const { return bound_[i]; }
    // Returns the number of points of the i-th bound cell in proportion to this many of the smallest.
    [[nodiscard]] std::int64_t proportional_count(std::int64_t smallest, std::size_t i) const {
        return proportional_count_of_cell(smallest, bound_[i]);
    }
    // Returns the rows within `radius` of the present one that meet the demands and are in proportion to within a
    // point.
    [[nodiscard]] std::vector<Row> rows(std::span<const std::int64_t> present, std::int64_t radius) const {
        std::vector<Row> found;
        CellCounts all(present.size());
        Row row{CellCounts(bound_.size())};
        const std::int64_t now = present[bound_[0]];
        for (std::int64_t smallest = std::max<std::int64_t>(1, now - radius); smallest <= now + radius; ++smallest) {
            // Cells that are not bound are in proportion if they can meet the demands.
            for (std::size_t c = 0; c < all.size(); ++c) all[c] = proportional_count_of_cell(smallest, c);
            for (std::size_t way = 0; way < ways_; ++way) {
                choose(way, smallest, row.counts);
                for (std::size_t i = 0; i < bound_.size(); ++i) all[bound_[i]] = row.counts[i];
                if (p_.shortfall(all) > 0) continue;
                row.far = distance(row.counts, present);
                found.push_back(row);
            }
        }
        return found;
    }
    [[nodiscard]] double work_of_rows(std::int64_t radius) const {
        return work_of_read_row * static_cast<double>(ways_) * as_real(2 * radius + 1);
    }

private:
    [[nodiscard]] std::int64_t proportional_count_of_cell(std::int64_t smallest, std::size_t c) const {
        return std::llround(as_real(smallest) / as_real(totals_[bound_[0]]) * as_real(totals_[c]));
    }
    // Sets the counts to the proportion, with one point less, equal or one more in each cell except the smallest.
    void choose(std::size_t way, std::int64_t smallest, std::span<std::int64_t> counts) const {
        counts[0] = smallest;
        for (std::size_t i = 1; i < bound_.size(); ++i, way /= 3)
            counts[i] =
                std::max<std::int64_t>(0, proportional_count(smallest, i) + static_cast<std::int64_t>(way % 3) - 1);
    }
    // The present counts are about the cheapest, so the cost of a change grows with its distance from them.
    [[nodiscard]] double distance(std::span<const std::int64_t> counts, std::span<const std::int64_t> present) const {
        double far = 0;
        for (std::size_t i = 0; i < bound_.size(); ++i) {
            const double moved = as_real(counts[i] - present[bound_[i]]);
            far += moved * moved / as_real(1 + present[bound_[i]]);
        }
        return far;
    }

    const CountProblem& p_;
    const CellCounts& totals_;
    std::span<const std::size_t> bound_;
    std::size_t ways_ = 1;
};

// Dynamic programme over clusters. The state of a split of the first clusters has two parts. One is how many more
// points of the smallest cell the split has than those clusters have now, at most twice the radius. The other is how
// far its other cells are out of proportion, which later clusters must make up for.
class ProportionalSplit {
public:
    ProportionalSplit(const CountProblem& p, const CellCounts& counts, const Proportion& proportion,
                      std::int64_t radius)
        : p_(p),
          counts_(counts),
          proportion_(proportion),
          radius_(radius),
          most_deviation_(proportion.cells() > 2 ? 2 : 3),
          offsets_(static_cast<std::size_t>(2 * most_deviation_ + 1)),
          splits_(static_cast<std::size_t>(4 * radius + 1)) {
        for (std::size_t i = 1; i < proportion.cells(); ++i) splits_ *= offsets_;
    }

    [[nodiscard]] bool is_affordable() const {
        return static_cast<double>(splits_) * static_cast<double>(p_.clusters) <= split_limit;
    }
    // Returns the work of `run`.
    [[nodiscard]] double work() const { return work_; }

    std::optional<CellCounts> run() {
        std::vector<double> far(splits_, unreached);
        const std::size_t proportional = split_index(0, CellCounts(proportion_.cells()));
        far[proportional] = 0;
        for (std::size_t l = 0; l < p_.clusters; ++l) {
            if (work_ > counts_search_limit) return std::nullopt;
            far = with_cluster(l, far);
        }
        if (far[proportional] == unreached) return std::nullopt;
        CellCounts result = counts_;
        for (std::size_t l = p_.clusters, at = proportional; l-- > 0;) {
            const Step step = steps_[l][at];
            for (std::size_t i = 0; i < proportion_.cells(); ++i)
                p_.row_of(result, l)[proportion_.cell(i)] = rows_[l][step.row].counts[i];
            at = step.before;
        }
        return result;
    }

private:
    struct Step {
        std::uint32_t before = 0, row = 0;
    };

    // Returns the number of the split with this many more points of the smallest cell, and each other cell this far out
    // of proportion.
    [[nodiscard]] std::size_t split_index(std::int64_t more, std::span<const std::int64_t> deviations) const {
        auto number = static_cast<std::size_t>(more + 2 * radius_);
        for (std::size_t i = 1; i < deviations.size(); ++i)
            number = number * offsets_ + static_cast<std::size_t>(deviations[i] + most_deviation_);
        return number;
    }
    // Sets `sums` to the points of each bound cell in the split with this number.
    void find_sums(std::size_t number, std::span<std::int64_t> sums) const {
        for (std::size_t i = sums.size(); i-- > 1; number /= offsets_)
            sums[i] = static_cast<std::int64_t>(number % offsets_) - most_deviation_;
        sums[0] = held_ + static_cast<std::int64_t>(number) - 2 * radius_;
        for (std::size_t i = 1; i < sums.size(); ++i) sums[i] += proportion_.proportional_count(sums[0], i);
    }
    // Returns the number of a split of `sums` after adding a row, for clusters that now hold `held` points of the
    // smallest cell; nothing if it is too far from `held` or out of proportion.
    [[nodiscard]] std::optional<std::size_t> split_index_with(std::span<const std::int64_t> sums, const Row& row,
                                                              std::int64_t held,
                                                              std::span<std::int64_t> deviations) const {
        const std::int64_t smallest = sums[0] + row.counts[0];
        if (std::abs(smallest - held) > 2 * radius_) return std::nullopt;
        for (std::size_t i = 1; i < sums.size(); ++i) {
            deviations[i] = sums[i] + row.counts[i] - proportion_.proportional_count(smallest, i);
            if (std::abs(deviations[i]) > most_deviation_) return std::nullopt;
        }
        return split_index(smallest - held, deviations);
    }

    // Returns the distances from the present counts of the splits with cluster l added; `far` are the distances of the
    // splits without this cluster.
    std::vector<double> with_cluster(std::size_t l, std::span<const double> far) {
        std::vector<double> next(splits_, unreached);
        std::vector<Step>& steps = steps_.emplace_back(splits_);
        const std::span<const std::int64_t> present = p_.row_of(counts_, l);
        const std::vector<Row>& rows = rows_.emplace_back(proportion_.rows(present, radius_));
        work_ += proportion_.work_of_rows(radius_);
        const std::int64_t held = held_ + present[proportion_.cell(0)];
        CellCounts sums(proportion_.cells()), deviations(proportion_.cells());
        for (std::size_t before = 0; before < splits_; ++before) {
            if (far[before] == unreached) continue;
            find_sums(before, sums);
            work_ += static_cast<double>(rows.size());
            for (std::size_t r = 0; r < rows.size(); ++r) {
                const auto to = split_index_with(sums, rows[r], held, deviations);
                if (!to || far[before] + rows[r].far >= next[*to]) continue;
                next[*to] = far[before] + rows[r].far;
                steps[*to] = {static_cast<std::uint32_t>(before), static_cast<std::uint32_t>(r)};
            }
        }
        held_ = held;
        return next;
    }

    const CountProblem& p_;
    const CellCounts& counts_;
    const Proportion& proportion_;
    std::int64_t radius_;
    std::int64_t
        most_deviation_;  // largest deviation from proportion, in points, of a bound cell in the clusters so far
    std::size_t offsets_, splits_;
    std::vector<std::vector<Row>> rows_;    // by cluster
    std::vector<std::vector<Step>> steps_;  // by cluster and split
    std::int64_t held_ = 0;                 // present points of the smallest cell in the clusters so far
    double work_ = 0;
};

// The range of points of a cell that one cluster may have.
struct Room {
    std::int64_t low = 0, high = 0;
};

// Returns the room that the bound cells of a cluster leave to another cell, whose points have this weight.
Room room_for_cell(const CountProblem& p, const Demand& demand, std::span<const std::size_t> bound,
                   std::span<const std::int64_t> row, double weight) {
    constexpr double rounding = 1e-9;
    double least = unreached, most = 0;
    for (const std::size_t c : bound) {
        const double weighted = p.weight_of(c, demand) * as_real(row[c]);
        least = std::min(least, weighted);
        most = std::max(most, weighted);
    }
    return {static_cast<std::int64_t>(std::ceil(most * demand.ratio / weight - rounding)),
            static_cast<std::int64_t>(least / demand.ratio / weight + rounding)};
}

// Changes the counts of a cell so that they fit into its room in every cluster, with the same sum; returns false if
// they do not fit. A surplus or deficit is distributed in proportion to the remaining room of the clusters, so that
// rounding never exceeds a room.
bool fit_into(std::span<const Room> rooms, const CountProblem& p, std::size_t cell, CellCounts& counts) {
    std::int64_t rest = 0;
    for (std::size_t l = 0; l < rooms.size(); ++l) {
        if (rooms[l].low > rooms[l].high) return false;
        std::int64_t& count = p.row_of(counts, l)[cell];
        const std::int64_t now = std::clamp(count, rooms[l].low, rooms[l].high);
        rest += count - now;
        count = now;
    }
    const auto room_left = [&](std::size_t l) {
        const std::int64_t count = p.row_of(counts, l)[cell];
        return rest > 0 ? rooms[l].high - count : count - rooms[l].low;
    };
    std::int64_t left = 0;
    for (std::size_t l = 0; l < rooms.size(); ++l) left += room_left(l);
    if (std::abs(rest) > left) return false;
    for (std::size_t l = 0; l < rooms.size() && left > 0 && rest != 0; ++l) {
        const std::int64_t own = room_left(l);
        const std::int64_t change = std::llround(as_real(rest) * as_real(own) / as_real(left));
        p.row_of(counts, l)[cell] += change;
        rest -= change;
        left -= own;
    }
    return rest == 0;
}

// Changes the cells that a ratio does not bind so that they too meet the ratio; returns false if they do not fit beside
// the bound cells.
bool place_unbound_cells(const CountProblem& p, const Demand& demand, std::span<const std::size_t> bound,
                         CellCounts& counts) {
    for (std::size_t c = 0; c < p.cells.size(); ++c) {
        const double weight = p.weight_of(c, demand);
        if (weight == 0 || std::ranges::count(bound, c) > 0) continue;
        std::vector<Room> rooms;
        for (std::size_t l = 0; l < p.clusters; ++l)
            rooms.push_back(room_for_cell(p, demand, bound, p.row_of(counts, l), weight));
        if (!fit_into(rooms, p, c, counts)) return false;
    }
    return true;
}

}  // namespace

std::optional<CellCounts> proportional_counts(const CountProblem& problem, const CellCounts& counts) {
    const CellCounts totals = problem.totals_of(counts);
    const std::vector<std::size_t> bound = bound_cells(problem, totals);
    if (bound.size() < 2 || bound.size() > most_bound) return std::nullopt;
    const Proportion proportion(problem, totals, bound);
    double work = 0;
    for (std::int64_t radius = first_radius; radius <= totals[bound[0]] && work < counts_search_limit / 4;
         radius *= 2) {
        ProportionalSplit split(problem, counts, proportion, radius);
        if (!split.is_affordable()) break;
        auto found = split.run();
        work = split.work();
        if (!found) continue;
        const Demand* const ratio = only_ratio(problem);
        return ratio == nullptr || place_unbound_cells(problem, *ratio, bound, *found) ? std::move(found)
                                                                                       : std::nullopt;
    }
    return std::nullopt;
}

}  // namespace fairstream
