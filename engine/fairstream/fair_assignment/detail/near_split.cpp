#include <fairstream/fair_assignment/detail/near_split.hpp>

#include <algorithm>
#include <limits>
#include <vector>

#include <fairstream/fairness/attainable.hpp>

namespace fairstream {
namespace {

// Dynamic programme over clusters. Room is lost where a part over the ratio is rounded down: the rooms beside two parts
// are together what is beside their sum, or one less. So a split of the first clusters is known by how many points
// more it holds than those clusters have now, and by the room that it lost, which no later cluster gives back. The
// first is kept within twice the radius.
class SplitSearch {
public:
    SplitSearch(const CountProblem& p, const Demand& demand, const CellCounts& counts, std::size_t smallest,
                std::int64_t most_lost, std::int64_t radius)
        : p_(p),
          demand_(demand),
          counts_(counts),
          smallest_(smallest),
          radius_(radius),
          losses_(static_cast<std::size_t>(most_lost) + 1),
          states_(static_cast<std::size_t>(4 * radius + 1) * losses_),
          moves_(states_, never),
          next_(states_) {}

    std::optional<CellCounts> run() {
        moves_[state(0, 0)] = 0;
        for (std::size_t l = 0; l < p_.clusters; ++l) add(l);
        std::size_t best = state(0, 0);
        for (std::size_t lost = 0; lost < losses_; ++lost)
            if (moves_[state(0, lost)] < moves_[best]) best = state(0, lost);
        if (moves_[best] == never) return std::nullopt;
        CellCounts parts(p_.clusters);
        for (std::size_t l = p_.clusters; l-- > 0;) {
            const Step& step = steps_[l][best];
            parts[l] = present(l) + step.change;
            best = step.before;
        }
        return parts;
    }

private:
    static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
    struct Step {
        std::size_t before = 0;
        std::int64_t change = 0;
    };

    [[nodiscard]] std::size_t state(std::int64_t more, std::size_t lost) const {
        return static_cast<std::size_t>(more + 2 * radius_) * losses_ + lost;
    }
    [[nodiscard]] std::int64_t present(std::size_t l) const { return p_.row_of(counts_, l)[smallest_]; }

    // Returns the points of all groups that count which a part of cluster l gives away or takes.
    [[nodiscard]] std::int64_t moves_for(std::size_t l, std::int64_t part, std::int64_t room) const {
        std::int64_t moves = 0;
        for (std::size_t c = 0; c < p_.cells.size(); ++c) {
            if (p_.weight_of(c, demand_) == 0) continue;
            const std::int64_t now = p_.row_of(counts_, l)[c];
            moves += std::abs(now - (c == smallest_ ? part : std::clamp(now, part, room)));
        }
        return moves;
    }

    // Returns what is beside all points of some clusters that have `held` now, by how many more they hold: from twice
    // the radius less to as many more.
    [[nodiscard]] std::vector<std::int64_t> rooms_beside(std::int64_t held) const {
        std::vector<std::int64_t> rooms;
        for (std::int64_t more = -2 * radius_; more <= 2 * radius_; ++more)
            rooms.push_back(room_beside(std::max<std::int64_t>(0, held + more), demand_.ratio));
        return rooms;
    }

    void add(std::size_t l) {
        const std::vector<std::int64_t> rooms = rooms_beside(held_);
        held_ += present(l);
        const std::vector<std::int64_t> rooms_with = rooms_beside(held_);
        std::ranges::fill(next_, never);
        std::vector<Step>& steps = steps_.emplace_back(states_);
        for (std::int64_t change = -radius_; change <= radius_; ++change) {
            const std::int64_t part = present(l) + change;
            if (part < 1) continue;
            const std::int64_t room = room_beside(part, demand_.ratio), own = moves_for(l, part, room);
            for (std::int64_t more = std::max(-2 * radius_, -2 * radius_ - change);
                 more <= std::min(2 * radius_, 2 * radius_ - change); ++more) {
                const auto at = static_cast<std::size_t>(more + 2 * radius_);
                const auto with = static_cast<std::size_t>(more + change + 2 * radius_);
                const std::int64_t lost = std::max<std::int64_t>(0, rooms_with[with] - rooms[at] - room);
                for (std::size_t before = 0; before + static_cast<std::size_t>(lost) < losses_; ++before) {
                    const std::size_t from = state(more, before);
                    const std::size_t to = state(more + change, before + static_cast<std::size_t>(lost));
                    if (moves_[from] == never || moves_[from] + own >= next_[to]) continue;
                    next_[to] = moves_[from] + own;
                    steps[to] = {from, change};
                }
            }
        }
        moves_.swap(next_);
    }

    const CountProblem& p_;
    const Demand& demand_;
    const CellCounts& counts_;
    std::size_t smallest_;
    std::int64_t radius_;
    std::size_t losses_, states_;
    std::vector<std::int64_t> moves_, next_;  // by state: fewest
    std::vector<std::vector<Step>> steps_;    // by cluster and state
    std::int64_t held_ = 0;                   // points that the clusters so far have now
};

}  // namespace

std::optional<CellCounts> near_split(const CountProblem& problem, const Demand& demand, const CellCounts& counts,
                                     std::size_t smallest, std::int64_t most) {
    constexpr std::int64_t first_radius = 8;
    constexpr double work_limit = 1e7;  // changes of a part that are weighed
    const std::int64_t all = problem.totals_of(counts)[smallest];
    const std::int64_t spare = room_beside(all, demand.ratio) - most;
    if (spare < 0) return std::nullopt;
    const auto clusters = static_cast<double>(problem.clusters);
    // Every cluster but the first can lose one.
    const std::int64_t most_lost = std::min(spare, static_cast<std::int64_t>(problem.clusters) - 1);
    for (std::int64_t radius = first_radius; radius <= all; radius *= 2) {
        const auto reach = static_cast<double>(radius);
        if (clusters * (2 * reach + 1) * (4 * reach + 1) * static_cast<double>(most_lost + 1) > work_limit) break;
        if (auto parts = SplitSearch(problem, demand, counts, smallest, most_lost, radius).run()) return parts;
    }
    return std::nullopt;
}

}  // namespace fairstream
