#pragma once
/// The clock of a simulation, its schedule, and its only source of randomness.

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <utility>

namespace fairstream::simulation {

using Time = std::chrono::steady_clock::time_point;
using Duration = std::chrono::microseconds;
using namespace std::chrono_literals;

class Dice {
public:
    explicit Dice(std::uint64_t seed) : random_(seed) {}
    /// Draws from [0, bound).
    [[nodiscard]] std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
    /// Draws from [low, high].
    [[nodiscard]] std::uint64_t between(std::uint64_t low, std::uint64_t high) { return low + below(high - low + 1); }
    [[nodiscard]] Duration between(Duration low, Duration high) {
        return low + Duration(below(static_cast<std::uint64_t>((high - low).count()) + 1));
    }
    [[nodiscard]] bool chance(double probability) {
        return static_cast<double>(below(1'000'000)) < probability * 1'000'000;
    }

private:
    std::mt19937_64 random_;
};

/// A schedule that runs actions in order of time; at equal times in the order of planning.
class Agenda {
public:
    [[nodiscard]] Time now() const { return now_; }
    void at(Time when, std::function<void()> action) {
        waiting_.emplace(std::pair(std::max(when, now_), planned_++), std::move(action));
    }
    void after(Duration delay, std::function<void()> action) { at(now_ + delay, std::move(action)); }
    /// Moves the clock to the next action and runs it; returns false if there is none.
    bool step() {
        if (waiting_.empty()) return false;
        auto next = waiting_.extract(waiting_.begin());
        now_ = next.key().first;
        next.mapped()();
        return true;
    }

private:
    Time now_{};
    std::uint64_t planned_ = 0;
    std::map<std::pair<Time, std::uint64_t>, std::function<void()>> waiting_;
};

/// Faults of the simulated network.
struct NetworkFaults {
    double lost = 0.02;
    double doubled = 0.02;
    double late = 0.05;    ///< share of messages that take up to `latest`, and so may be overtaken
    Duration usual = 3ms;  ///< longest delay of the others
    Duration latest = 2s;
};

class Network {
public:
    Network(Agenda& agenda, Dice& dice, const NetworkFaults& faults) : agenda_(agenda), dice_(dice), faults_(faults) {}
    void send(const std::function<void()>& deliver) {
        if (dice_.chance(faults_.lost)) return;
        for (int copies = dice_.chance(faults_.doubled) ? 2 : 1; copies > 0; --copies)
            agenda_.after(dice_.between(50us, dice_.chance(faults_.late) ? faults_.latest : faults_.usual),
                          [this, deliver, connection = connection_] {
                              if (connection == connection_) deliver();
                          });
    }
    /// Ends all connections: messages in flight never arrive.
    void disconnect() { ++connection_; }
    /// Makes every message arrive once and in time from now on.
    void heal() { faults_ = {.lost = 0, .doubled = 0, .late = 0, .usual = faults_.usual, .latest = faults_.latest}; }

private:
    Agenda& agenda_;
    Dice& dice_;
    NetworkFaults faults_;
    std::uint64_t connection_ = 0;
};

}  // namespace fairstream::simulation
