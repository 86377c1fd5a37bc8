#include <fairstream/service/board.hpp>

#include <algorithm>

#include <fairstream/base/progress_text.hpp>

namespace fairstream::service {

wire::Health Board::health(double uptime_seconds) const {
    const std::scoped_lock lock(mutex_);
    const auto oldest = written_since_ ? written_since_ : waiting_since_;
    const std::chrono::duration<double> uncommitted = oldest ? Clock::now() - *oldest : Clock::duration(0);
    return {.ready = work_ != Work::recovery,
            .sequence = committed_state_.sequence,
            .retained = committed_state_.retained,
            .producers = committed_state_.producers,
            .refused = committed_state_.refused,
            .uptime_seconds = uptime_seconds,
            .cpu_level = std::string(cpu_level()),
            .version = FAIRSTREAM_VERSION,
            .activity = activity_so_far(),
            .running_hash = committed_state_.running_hash,
            .condition = committed_state_.condition,
            .uncommitted_seconds = uncommitted.count(),
            .recording_bytes = committed_state_.storage.file_bytes + committed_state_.storage.log_bytes,
            .bytes_a_day = committed_state_.storage.bytes_a_day,
            .first_sequence = committed_state_.storage.first_sequence};
}

/// Returns the activity and its progress: "refining fair in event 19: swaps 12 of at most 100, 34 %, 12 s left".
std::string Board::activity_so_far() const {
    std::string text = activity();
    if (text.empty() || progress_.share <= 0) return text;
    const std::chrono::duration<double> since = Clock::now() - begun_;
    const std::string rounds = progress_text(progress_), left = time_left(progress_.share, since.count());
    const int percent = static_cast<int>(100 * std::min(progress_.share, 1.0));
    return text + ": " + rounds + (rounds.empty() ? "" : ", ") + std::to_string(percent) + " %" +
           (left.empty() ? "" : ", ") + left;
}

bool Board::is_writing_long() const {
    return write_begun_ && Clock::now() - *write_begun_ > std::chrono::seconds(1);
}

std::string Board::activity() const {
    const std::string event = std::to_string(event_);
    switch (work_) {
        case Work::none:
            return std::string(is_writing_long() ? writing_activity : std::string_view());
        case Work::recovery:
            return "recovering, event " + event + " of " + std::to_string(last_);
        case Work::batch:
            return "taking in the batch of event " + event;
        case Work::knob:
            return "changing an option of " + model_ + " in event " + event;
        case Work::refinement:
            return "refining " + model_ + " in event " + event;
        case Work::checkpoint:
            return "saving the state after event " + event;
    }
    return {};
}

}  // namespace fairstream::service
