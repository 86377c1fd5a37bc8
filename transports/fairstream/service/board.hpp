#pragma once
/// What the service is at and what its last commit put on disk, for whoever asks while it works.

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include <fairstream/wire/messages.hpp>

namespace fairstream::service {

/// What holds after a commit.
struct Standing {
    Sequence sequence = 0;
    std::uint64_t retained = 0;
    std::uint32_t producers = 0;
    std::uint64_t refused = 0;
    std::uint64_t running_hash = 0;  ///< after `sequence`; 0: not known
};

/// The service's thread writes, any thread reads.
class Board {
public:
    /// What may take long.
    enum class Work : std::uint8_t { none, batch, knob, refinement, checkpoint };

    void note(const Standing& standing) {
        const std::scoped_lock lock(mutex_);
        standing_ = standing;
    }
    /// `event` is the one that is worked on, or after which a checkpoint is taken; `model` the one it concerns alone.
    void begin(Work work, Sequence event, std::string_view model = {}) {
        const std::scoped_lock lock(mutex_);
        work_ = work;
        event_ = event;
        model_ = model;
    }
    void end() {
        const std::scoped_lock lock(mutex_);
        work_ = Work::none;
    }
    [[nodiscard]] wire::Health health(double uptime_seconds) const;

private:
    [[nodiscard]] std::string activity() const;

    mutable std::mutex mutex_;
    Standing standing_;
    Work work_ = Work::none;
    Sequence event_ = 0;
    std::string model_;
};

}  // namespace fairstream::service
