#pragma once
/// The end of a fit by its user: at the first signal with the best so far, at the second with nothing.

#include <atomic>
#include <functional>
#include <string_view>

#include <fairstream/command/console/stop_signals.hpp>
#include <fairstream/command/console/terminal.hpp>

namespace fairstream::command {

/// Exit code of work that was stopped before its end, with what it had found written.
inline constexpr int stopped_early = 1;

/// Callback with the share done, in [0, 1], and a text about it. Returns whether to go on.
using FitProgress = std::function<bool(double, std::string_view)>;

/// Ends the process for a signal that comes before there is anything to write.
[[noreturn]] void end_interrupted(const StopSignals& signals);

/// While it lives, the first signal asks for an early end. Construct it when the file is read.
class FitStop {
public:
    explicit FitStop(StopSignals& signals);

    /// Returns whether to go on; to be asked where work could end early, one call at a time.
    [[nodiscard]] bool goes_on() noexcept {
        if (signals_.requested()) stopped_ = true;
        return !stopped_;
    }
    /// Returns whether work was told not to go on. A signal after all work changes nothing.
    [[nodiscard]] bool stopped() const noexcept { return stopped_; }
    /// Returns a callback that shows a line and asks whether to go on. Both must outlive it.
    [[nodiscard]] FitProgress shown_by(Progress& progress);
    /// Ends the process if work was stopped: to be called where it has no result.
    void end_without_result() const {
        if (stopped_) end_interrupted(signals_);
    }

private:
    StopSignals& signals_;
    StopSignals::Handler handler_;
    std::atomic<bool> stopped_ = false;
};

}  // namespace fairstream::command
