#pragma once
/// The early end of a fit.

#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include <fairstream/base/types.hpp>
#include <fairstream/text/listener.hpp>

namespace fairstream::fit {

/// Callback with the share of work done, in [0, 1], and a text about it. Returns whether to go on.
using FitProgress = std::function<bool(double, std::string_view)>;

/// Remembers that a listener asked to stop.
class FitStop {
public:
    explicit FitStop(Listener& listener) : listener_(listener) {}

    [[nodiscard]] bool stopped() const noexcept { return stopped_; }
    /// Returns a callback that reports the progress of `work` and asks whether to go on; this object must outlive it.
    [[nodiscard]] FitProgress progress_of(std::string work) {
        return [this, work = std::move(work)](double share, std::string_view done) {
            if (!listener_.progress(work, share, done)) stopped_ = true;
            return !stopped_;
        };
    }
    /// Throws `Interrupted` if the work was stopped. Call it where there is no result.
    void end_without_result() const {
        if (stopped_) throw Interrupted();
    }

private:
    Listener& listener_;
    std::atomic<bool> stopped_ = false;
};

}  // namespace fairstream::fit
