#pragma once
/// The replay of a recording: under its own configuration, byte for byte, or under another one, to compare results.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fairstream/engine.hpp>
#include <fairstream/files/reader_settings.hpp>
#include <fairstream/log/log.hpp>
#include <fairstream/wire/messages.hpp>

namespace fairstream::replay {

/// A model's figures after an event.
struct Sample {
    Sequence sequence = 0;
    std::uint64_t points = 0;  ///< points sent so far
    wire::FairnessReport figures;
};

struct ModelRun {
    std::string name;
    std::vector<Sample> samples;  ///< evenly spaced over the events; the last follows the last event
    double mean_churn = 0;        ///< over the events that stepped the model
    std::uint64_t steps = 0;      ///< events that stepped the model
    std::int64_t moves = 0;       ///< over all events
    std::int64_t swaps = 0;       ///< over all events
};

/// Comparison of a replay's updates, under the recorded options, with the published updates.
struct Verification {
    std::uint64_t compared = 0;  ///< events whose updates were compared
    Sequence first_compared = 0, last_compared = 0;
    std::uint64_t not_recorded = 0;  ///< events of older versions, without a digest of their updates
    Sequence differs_from = 0;       ///< first event whose updates differ; 0: none
};

/// The results of one replay of a recording.
struct Run {
    EngineOptions options;
    Sequence from = 0;               ///< event of the checkpoint at the start; 0: started with the first event
    Sequence last = 0;               ///< the last event
    std::uint64_t running_hash = 0;  ///< hash of the recording's events up to `last`; 0: unknown
    std::optional<Verification> verification = {};  ///< nothing under changed options
    std::uint64_t events = 0;
    std::uint64_t left_out = 0;  ///< events skipped: changes of options and refinements that the options do not allow
    std::uint64_t changes_left_out = 0;  ///< changes of options skipped for `Settings::without_changes`
    std::uint64_t points = 0;
    double seconds = 0;  ///< spent in `Engine::ingest`
    std::uint64_t updates = 0;
    std::uint64_t update_bytes = 0;
    std::array<std::byte, 16> digest{};  ///< XXH3-128 of all updates as published, in order
    wire::Condition condition;           ///< condition after the last event
    std::vector<ModelRun> models;
};

struct Settings {
    int threads = 0;
    std::size_t samples = 10;  ///< samples kept of each model, at least 1
    /// Leave out the recorded changes of options. Decisions are then repeated as under other options (`run`).
    bool without_changes = false;
};

/// Callbacks of a run; each may be empty.
struct Hooks {
    /// Called before each event; `event_time` is a batch's time in microseconds, 0 for other events. Returns false to
    /// end the run.
    std::function<bool(std::int64_t event_time)> before;
    /// Called after event `done` of `last`, with the number of points sent so far.
    std::function<void(Sequence done, Sequence last, std::uint64_t points)> after;
    /// Called with each update in its published form: a serialised Publication.
    std::function<void(std::span<const std::byte> message)> update;
    /// Called after the last event.
    std::function<void(const Engine& engine)> end;
};

/// Returns the options of the recording. Throws `InvalidInput` when its configuration cannot be read.
[[nodiscard]] EngineOptions recorded_options(const log::EventLog& recording);
/// Returns how the files of the recorded stream are read. Throws as `recorded_options`.
[[nodiscard]] files::ReaderSettings recorded_reader_settings(const log::EventLog& recording);

/// Runs all events through a new engine with `options`. A recorded decision says whether a busy engine skipped a step,
/// and is repeated. So with the recording's own options the updates equal the published updates (on the same CPU
/// level). With other options, decisions are repeated for models of the same name that are due as often; other models
/// skip no step. In either case a run is reproducible. If the recording's first events are no longer kept, a run begins
/// with the older kept checkpoint.
///
/// Throws `RecordingError` if the run would have to begin with a checkpoint although the options differ from the
/// recorded options or changes are left out, and if the recording's own options refuse an event. Throws `InvalidInput`
/// for options that do not fit the recorded stream.
[[nodiscard]] Run run(const log::Log& recording, const EngineOptions& options, const Settings& settings = {},
                      const Hooks& hooks = {});

}  // namespace fairstream::replay
