#pragma once
/// The producer of `fairstream send`: events into an engine, what became of them, and the report of that.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <fairstream/command/console/stop_signals.hpp>
#include <fairstream/command/console/terminal.hpp>
#include <fairstream/command/live/activity_line.hpp>
#include <fairstream/command/live/send.hpp>
#include <fairstream/core/events.hpp>
#include <fairstream/files/columns/remarks.hpp>
#include <fairstream/files/input/input.hpp>
#include <fairstream/text/clock.hpp>
#include <fairstream/zmq/producer.hpp>

namespace fairstream::command {

/// Returns the points of a message where that is not given: of ten messages a second, where a rate is given.
[[nodiscard]] std::size_t usual_batch_at(double rate);

/// Sends batches of points, or outcomes, and counts what became of them.
class Sender {
public:
    /// The options and signals outlive it.
    Sender(const SendOptions& options, const StopSignals& signals);

    /// Connects and returns the stream's format; throws when no engine answers.
    const StreamFormat& connect();
    /// Returns how the stream's files are written, once it is connected.
    [[nodiscard]] const files::ReaderSettings& reader_settings() const noexcept { return producer_.reader_settings(); }
    /// Waits for the first bytes of standard input, if that is the input; throws when stopped before.
    void await_input(const std::filesystem::path& path);

    /// Warns once of each thing about the columns of the input that may not be meant.
    void warn_of(const files::PointSource& source);
    /// Warns of points that leave the window since those to be sent have the present time.
    void warn_of_age();
    /// Throws `InvalidInput` where that would be so.
    void require_age() const;
    /// Warns of values that are probably missing ones, and of a last row that is probably no point, once all were read.
    void warn_of_all(const files::PointSource& source);
    /// Notes what the report says of the input.
    void note(files::Remarks remarks);

    [[nodiscard]] const wire::WindowLimits& window_limits() const noexcept { return producer_.window_limits(); }
    /// Returns how many points come together where that is not given: fewer than usual where those were longer than the
    /// engine takes, ids of half that length included.
    [[nodiscard]] std::size_t batch_that_fits() const;

    /// Sends a batch of points; returns false when stopped before it was queued. `share`: of the input that was read.
    /// `is_last`: also after a request to stop.
    bool send(const PointBatch& points, double share, bool is_last = false);
    /// Sends outcomes; returns false when stopped before they were queued. `share`: of the input that was read.
    bool send(const Outcomes& outcomes, double share);

    /// Takes in answers that have come; throws when events have been without one for too long.
    void look();
    /// Waits for the last answers, also after a request to stop.
    void finish();
    /// Notes that the engine's recording lacks events that had been answered.
    void note_lost() { lost_ = true; }
    /// Notes that not everything was sent, and why.
    void note_stopped(std::string failure = {});

    /// Returns what was sent and what became of it, as the options ask for it.
    [[nodiscard]] std::string report() const;
    [[nodiscard]] std::uint64_t points() const { return points_; }
    [[nodiscard]] bool prints_json() const { return options_.json; }
    [[nodiscard]] bool complete() const { return !stopped_ && producer_.statistics().refused == 0; }

private:
    [[nodiscard]] const char* thing() const;

    template <class Batch> bool queue_in_time(const Batch& batch, double share, bool is_last);
    template <class Batch> std::optional<std::uint64_t> queue(const Batch& batch);
    void keep_rate();

    bool hear();
    void require_answers();
    [[nodiscard]] bool gives_up();
    [[nodiscard]] std::string silence_hint() const;
    [[noreturn]] void fail_silent() const;
    [[noreturn]] void fail_ended() const;

    [[nodiscard]] std::string json_report(double speed) const;
    [[nodiscard]] std::string rest_text() const;
    [[nodiscard]] std::string rows_hint(std::uint64_t first) const;
    [[nodiscard]] std::uint64_t first_in_doubt() const;
    [[nodiscard]] std::uint64_t answered_points() const;

    void show(double share);
    void warn(std::string text);
    void note_refusals();

    const SendOptions& options_;
    const StopSignals& signals_;
    Progress progress_;
    zmq::Producer producer_;
    LongWork long_work_;
    std::string activity_;  // of an engine that is at work for long
    Clock::time_point heard_ = Clock::now(), asked_ = heard_;
    std::uint64_t answers_ = 0;  // to events
    bool told_to_wait_ = false;
    Clock::time_point start_ = Clock::now();
    double seconds_ = 0;
    std::uint64_t points_ = 0;
    std::map<std::uint64_t, std::uint64_t> begins_;  // by number of an event without an answer, the points before it
    int told_ = 0;
    std::set<std::string> warned_of_;
    std::vector<std::string> warnings_;
    files::Remarks remarks_;
    bool stopped_ = false, lost_ = false;
    std::string failure_;
};

}  // namespace fairstream::command
