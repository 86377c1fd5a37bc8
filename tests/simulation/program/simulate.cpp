/// Simulates seed after seed for some time, or a single seed.
///
///   simulate [--seconds S] [--first SEED] [--jobs N] [--simulated-seconds T]
///   simulate --seed SEED [--simulated-seconds T]
///
/// Exit code 1 when a promise was broken; the output then contains the command that runs the same seed again.

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "simulation/simulation.hpp"

namespace fairstream::simulation {
namespace {

struct Arguments {
    double seconds = 60;
    std::uint64_t first = 1;
    std::uint64_t seed = 0;  // 0: many
    unsigned jobs = std::max(1U, std::thread::hardware_concurrency());
    std::uint64_t simulated_seconds = 60;
};

struct Sum {
    std::uint64_t seeds = 0, failed = 0, acked = 0, events = 0, outcomes = 0, published = 0, disk_calls = 0;
    std::uint64_t cut_logs = 0, losses = 0, found_losses = 0;
    Ends ends;
    double simulated_hours = 0;

    void add_loss(const Outcome& outcome) {
        ++cut_logs;
        failed += !outcome.problems.empty();
        losses += outcome.lost_events;
        found_losses += outcome.found_losses;
    }
    void add(const Outcome& outcome) {
        ++seeds;
        failed += !outcome.problems.empty();
        acked += outcome.acked;
        events += outcome.events;
        outcomes += outcome.outcomes;
        published += outcome.published;
        disk_calls += outcome.disk_calls;
        ends.kills += outcome.ends.kills;
        ends.power_cuts += outcome.ends.power_cuts;
        ends.failures += outcome.ends.failures;
        ends.stops += outcome.ends.stops;
        simulated_hours += std::chrono::duration<double>(outcome.simulated).count() / 3600;
    }
};

void print_problems(std::uint64_t seed, const Arguments& arguments, const Outcome& outcome) {
    std::printf("seed %llu broke a promise; again: simulate --seed %llu --simulated-seconds %llu\n",
                static_cast<unsigned long long>(seed), static_cast<unsigned long long>(seed),
                static_cast<unsigned long long>(arguments.simulated_seconds));
    for (const std::string& problem : outcome.problems) std::printf("  %s\n", problem.c_str());
    std::fflush(stdout);
}

void print(const Sum& sum, double minutes) {
    const auto number = [](std::uint64_t value) { return static_cast<unsigned long long>(value); };
    std::printf("%llu seeds, %llu failed\n", number(sum.seeds), number(sum.failed));
    std::printf("%.2f hours simulated, %.2f in a minute\n", sum.simulated_hours, sum.simulated_hours / minutes);
    std::printf("%llu events, %llu of them outcomes, %llu acks, %llu publications, %llu calls of the disk\n",
                number(sum.events), number(sum.outcomes), number(sum.acked), number(sum.published),
                number(sum.disk_calls));
    std::printf("%llu kills, %llu power cuts, %llu failures, %llu stops\n", number(sum.ends.kills),
                number(sum.ends.power_cuts), number(sum.ends.failures), number(sum.ends.stops));
    std::printf("%llu logs cut off: %llu times answered events were missing, which %llu clients found out\n",
                number(sum.cut_logs), number(sum.losses), number(sum.found_losses));
}

Arguments read(int count, char** values) {
    Arguments arguments;
    for (int i = 1; i < count; ++i) {
        const std::string name = values[i];
        if (i + 1 == count) {
            std::fprintf(stderr, "simulate: %s needs a value\n", name.c_str());
            std::exit(2);
        }
        const char* const value = values[++i];
        if (name == "--seconds")
            arguments.seconds = std::strtod(value, nullptr);
        else if (name == "--first")
            arguments.first = std::strtoull(value, nullptr, 10);
        else if (name == "--seed")
            arguments.seed = std::strtoull(value, nullptr, 10);
        else if (name == "--jobs")
            arguments.jobs = static_cast<unsigned>(std::max(1L, std::strtol(value, nullptr, 10)));
        else if (name == "--simulated-seconds")
            arguments.simulated_seconds = std::strtoull(value, nullptr, 10);
        else {
            std::fprintf(stderr, "simulate: unknown option %s\n", name.c_str());
            std::exit(2);
        }
    }
    return arguments;
}

int run(const Arguments& arguments) {
    const auto begun = std::chrono::steady_clock::now();
    const auto minutes = [&] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count() / 60;
    };
    Sum sum;
    std::mutex mutex;
    std::atomic<std::uint64_t> next = arguments.seed != 0 ? arguments.seed : arguments.first;
    const auto work = [&] {
        while (minutes() * 60 < arguments.seconds) {
            const std::uint64_t seed = next++;
            const Outcome outcome = simulate(seed, std::chrono::seconds(arguments.simulated_seconds));
            const Outcome loss = simulate_loss(seed);
            const std::lock_guard lock(mutex);
            sum.add(outcome);
            sum.add_loss(loss);
            for (const Outcome& each : {outcome, loss})
                if (!each.problems.empty()) print_problems(seed, arguments, each);
            if (arguments.seed != 0 || sum.failed >= 10) return;
        }
    };
    std::vector<std::thread> threads;
    for (unsigned i = 1; i < (arguments.seed != 0 ? 1 : arguments.jobs); ++i) threads.emplace_back(work);
    work();
    for (std::thread& thread : threads) thread.join();
    print(sum, minutes());
    return sum.failed > 0 ? 1 : 0;
}

}  // namespace
}  // namespace fairstream::simulation

int main(int count, char** values) {
    return fairstream::simulation::run(fairstream::simulation::read(count, values));
}
