#pragma once
/// SIGINT, SIGTERM and SIGHUP as requests for an orderly stop. SIGHUP stays ignored when the process was started so, as
/// by nohup.

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace fairstream::command {

/// Longest wait between two checks for a request to stop.
inline constexpr std::chrono::milliseconds stop_check_interval{100};

/// Construct it before any thread: threads created later inherit the mask that blocks these signals. The first signal
/// requests a stop. Without a `Handler`, and at a second SIGINT, a signal ends the process like an unhandled one.
class StopSignals {
public:
    StopSignals();
    ~StopSignals();
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;

    /// While a handler lives, the first signal calls the handler's function on the thread that waits for signals.
    class Handler {
    public:
        Handler(StopSignals& signals, std::function<void()> stop) : signals_(signals) { signals_.set(std::move(stop)); }
        ~Handler() { signals_.set({}); }
        Handler(const Handler&) = delete;
        Handler& operator=(const Handler&) = delete;

    private:
        StopSignals& signals_;
    };
    [[nodiscard]] Handler on_stop(std::function<void()> stop) { return {*this, std::move(stop)}; }
    /// Returns a handler for work that polls `requested`.
    [[nodiscard]] Handler poll_for_stop() {
        return on_stop([] {});
    }
    [[nodiscard]] bool requested() const noexcept { return requested_; }
    /// Returns the exit code of a process that ends for the first signal, as a shell reports it: 130 for SIGINT. 0
    /// without a signal.
    [[nodiscard]] int exit_code() const noexcept { return signal_ == 0 ? 0 : 128 + signal_; }

private:
    void set(std::function<void()> stop);
    void wait_for_signals();

    std::mutex mutex_;
    std::function<void()> stop_;  // guarded by mutex_
    std::atomic<int> signal_ = 0;
    std::atomic<bool> requested_ = false;
    std::atomic<bool> ended_ = false;
    std::thread thread_;
};

}  // namespace fairstream::command
