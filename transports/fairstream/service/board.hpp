#pragma once
/// The service's current activity, and the state on disk after its last commit. Any thread can read both while the
/// service works.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fairstream/base/work_handle.hpp>
#include <fairstream/log/event_log.hpp>
#include <fairstream/wire/messages.hpp>

namespace fairstream::service {

/// The models as of a commit: everything that can be told about them without the service's thread.
struct Overview {
    Sequence sequence = 0;
    std::uint64_t events = 0, points = 0;  ///< as in `wire::Description`
    std::vector<wire::ModelDescription> models;
    /// By model. Each function makes its report when called, on any thread, while the service exists.
    std::vector<std::function<wire::ModelReport()>> reports;
};

/// The state after a commit.
struct CommittedState {
    Sequence sequence = 0;
    std::uint64_t retained = 0;
    std::uint32_t producers = 0;
    std::uint64_t refused = 0;
    std::uint64_t running_hash = 0;  ///< running hash after event `sequence`; 0: unknown
    wire::Condition condition = {};
    std::shared_ptr<const Overview> overview = {};  ///< null before the end of a recovery
    log::Storage storage = {};
};

/// The activity that a service reports if it has no other work and its commit has taken more than a second.
inline constexpr std::string_view writing_activity = "writing to the recording";

/// The service's activity and its last commit. The service's thread writes them, any thread may read them.
class Board {
public:
    /// Activities that may take long.
    enum class Work : std::uint8_t { none, recovery, batch, knob, refinement, checkpoint };

    /// Notes the end of a commit.
    void note(const CommittedState& committed_state) {
        const std::scoped_lock lock(mutex_);
        committed_state_ = committed_state;
        written_since_.reset();
        write_begun_.reset();
    }
    /// Notes that the running commit is on disk, or failed.
    void note_written() {
        const std::scoped_lock lock(mutex_);
        written_since_.reset();
        write_begun_.reset();
    }
    /// Notes that an event was taken in; the next commit stores it.
    void note_ingested() {
        const std::scoped_lock lock(mutex_);
        if (!waiting_since_) waiting_since_ = Clock::now();
    }
    /// Notes that a commit of all events so far begins.
    void note_commit() {
        const std::scoped_lock lock(mutex_);
        written_since_ = std::exchange(waiting_since_, std::nullopt);
        write_begun_ = Clock::now();
    }
    /// Notes an activity. `event` is the event being ingested, or the one after which a checkpoint is taken. `model` is
    /// the only model concerned; empty if there are several.
    void begin(Work work, Sequence event, std::string_view model = {}) {
        const std::scoped_lock lock(mutex_);
        work_ = work;
        event_ = event;
        model_ = model;
        begun_ = Clock::now();
        progress_ = {};
    }
    /// Notes that a recovery replays up to event `last`; until its end the service is not ready.
    void begin_recovery(Sequence first, Sequence last) {
        {
            const std::scoped_lock lock(mutex_);
            first_ = first;
            last_ = last;
        }
        begin(Work::recovery, first);
    }
    /// Notes the progress of a recovery.
    void note_recovered(Sequence done) {
        const std::scoped_lock lock(mutex_);
        event_ = done;
        progress_.share = last_ > first_ ? static_cast<double>(done - first_) / static_cast<double>(last_ - first_) : 0;
    }
    /// Notes the progress of the activity.
    void note(const WorkProgress& progress) {
        const std::scoped_lock lock(mutex_);
        progress_ = progress;
    }
    void end() {
        const std::scoped_lock lock(mutex_);
        work_ = Work::none;
    }
    [[nodiscard]] wire::Health health(double uptime_seconds) const;
    [[nodiscard]] std::shared_ptr<const Overview> overview() const {
        const std::scoped_lock lock(mutex_);
        return committed_state_.overview;
    }

private:
    using Clock = std::chrono::steady_clock;

    [[nodiscard]] std::string activity() const;
    [[nodiscard]] std::string activity_so_far() const;
    [[nodiscard]] bool is_writing_long() const;

    mutable std::mutex mutex_;
    CommittedState committed_state_;
    Work work_ = Work::none;
    Sequence event_ = 0;
    Sequence first_ = 0, last_ = 0;  // during a recovery: the event before its first, and its last event
    std::string model_;
    Clock::time_point begun_;
    // When the oldest event of the running commit and the oldest event after it were taken in, and when the commit
    // began; nothing: there is none.
    std::optional<Clock::time_point> written_since_, waiting_since_, write_begun_;
    WorkProgress progress_;
};

}  // namespace fairstream::service
