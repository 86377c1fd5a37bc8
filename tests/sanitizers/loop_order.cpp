/// A parallel loop for the thread sanitizer. `loop_order` uses the tasks' results after they end, as the engine does;
/// no race may be found. `loop_order race` lets two tasks write to the same place; a race must be found. So the order
/// reported to the sanitizer is sufficient, and ignoring TBB hides no race of the engine.

#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

#include <fairstream/numeric/detail/interruption.hpp>

#include "support/threads.hpp"

namespace {

// Two tasks that meet, so that each has a thread of its own. Relaxed: the meeting itself orders nothing.
class Meeting {
public:
    void come() {
        arrived_.fetch_add(1, std::memory_order_relaxed);
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (arrived_.load(std::memory_order_relaxed) < 2 && std::chrono::steady_clock::now() < deadline)
            std::this_thread::yield();
    }

private:
    std::atomic<int> arrived_ = 0;
};

}  // namespace

int main(int count, char**) {
    const bool race = count > 1;
    const int sum = fairstream::test::with_threads(2, [&] {
        Meeting meeting;
        std::vector<int> written{1, 2};
        fairstream::parallel_for(0, written.size(), [&](std::size_t i) {
            meeting.come();
            written[race ? 0 : i] += 1;
        });
        return written[0] + written[1];
    });
    std::printf("%d\n", sum);
}
