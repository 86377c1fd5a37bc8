#pragma once
/// The producer of `fairstream send`: sends events to an engine, tracks their answers, and reports the result.

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
#include <fairstream/input/input.hpp>
#include <fairstream/text/clock.hpp>
#include <fairstream/zmq/producer.hpp>

namespace fairstream::command {

/// Returns the default number of points in a message: a tenth of `rate`, if a rate is given.
[[nodiscard]] std::size_t usual_batch_at(double rate);

/// Sends batches of points, or outcomes, and counts their answers.
class Sender {
public:
    /// Keeps references to the options and signals, which must outlive it.
    Sender(const SendOptions& options, const StopSignals& signals);

    /// Connects and returns the stream's format; throws when no engine answers.
    const StreamFormat& connect();
    /// Returns how the stream's files are read, once it is connected.
    [[nodiscard]] const files::ReaderSettings& reader_settings() const noexcept { return producer_.reader_settings(); }
    /// Throws `InvalidInput` if columns are to be scaled, but the engine's [prepare] scales, fills in or encodes
    /// columns.
    void require_unprepared() const;
    /// If the input is standard input, waits for its first bytes; throws when stopped before.
    void await_input(const std::filesystem::path& path);

    /// Warns, once for each topic, about columns of the input that may not be meant.
    void warn_of(const files::PointSource& source);
    /// Warns if all retained points will leave the window because points sent with the present time make the retained
    /// points older than `max_age`.
    void warn_of_age();
    /// Throws `InvalidInput` if `warn_of_age` would warn.
    void require_age() const;
    /// Warns about messages whose points lie far apart in time. Call it when all rows were read.
    void warn_at_end(const files::PointSource& source);
    /// Notes the remarks on the input for the report.
    void note(files::Remarks remarks);

    [[nodiscard]] const wire::WindowLimits& window_limits() const noexcept { return producer_.window_limits(); }
    /// Returns the default number of points in a batch: fewer than usual if a usual batch could fill more than half of
    /// the engine's largest message.
    [[nodiscard]] std::size_t batch_that_fits() const;

    /// Sends a batch of points; returns false when stopped before it was queued. `share` is the part of the input read
    /// so far, in [0, 1]. `is_last`: send it even after a request to stop.
    bool send(const PointBatch& points, double share, bool is_last = false);
    /// Sends outcomes; returns false when stopped before they were queued. `share` is the part of the input read so
    /// far, in [0, 1].
    bool send(const Outcomes& outcomes, double share);

    /// Processes answers that have arrived; throws when events have been unanswered for too long.
    void process_answers();
    /// Waits for the last answers, even after a request to stop.
    void finish();
    /// Notes that the engine's recording lacks events it had acknowledged.
    void note_lost() { lost_ = true; }
    /// Notes that part of the input was not sent, and why.
    void note_stopped(std::string failure = {});

    /// Returns the report in the form that the options ask for.
    [[nodiscard]] std::string report() const;
    [[nodiscard]] std::uint64_t points() const { return points_; }
    [[nodiscard]] bool prints_json() const { return options_.json; }
    [[nodiscard]] bool complete() const { return !stopped_ && producer_.statistics().refused == 0; }

private:
    [[nodiscard]] const char* item_name() const;

    template <class Batch> bool queue_in_time(const Batch& batch, double share, bool is_last);
    template <class Batch> std::optional<std::uint64_t> queue(const Batch& batch);
    void keep_rate();

    bool note_new_answers();
    void require_answers();
    [[nodiscard]] bool gives_up();
    [[nodiscard]] std::string silence_hint() const;
    [[noreturn]] void fail_silent() const;
    [[noreturn]] void fail_ended() const;

    [[nodiscard]] std::string json_report(double speed) const;
    [[nodiscard]] std::string rest_text() const;
    [[nodiscard]] std::string rows_hint(std::uint64_t first) const;
    [[nodiscard]] std::uint64_t points_before_unanswered() const;
    [[nodiscard]] std::uint64_t answered_points() const;

    void show(double share);
    void warn(std::string text);
    void note_refusals();

    const SendOptions& options_;
    const StopSignals& signals_;
    Progress progress_;
    zmq::Producer producer_;
    LongWork long_work_;
    std::string activity_;  // activity of an engine that is busy for long
    Clock::time_point last_answer_ = Clock::now(), last_question_ = last_answer_;
    std::uint64_t answers_ = 0;  // number of answered events
    bool wait_noted_ = false;
    Clock::time_point start_ = Clock::now();
    double seconds_ = 0;
    std::uint64_t points_ = 0;
    std::map<std::uint64_t, std::uint64_t> points_before_;  // points before each unanswered event, by its number
    int noted_refusals_ = 0;
    std::set<std::string> warned_topics_;
    std::vector<std::string> warnings_;
    files::Remarks remarks_;
    bool stopped_ = false, lost_ = false;
    std::string failure_;
};

}  // namespace fairstream::command
