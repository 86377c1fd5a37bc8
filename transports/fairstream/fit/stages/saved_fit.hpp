#pragma once
/// The output of `fairstream fit --save`: a recording of the fit's events, with the engine's state after them. An
/// engine process that was sent these events would make the same recording.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <fairstream/engine.hpp>
#include <fairstream/fit/request/fit_options.hpp>
#include <fairstream/log/checkpoints.hpp>
#include <fairstream/service/topics.hpp>
#include <fairstream/wire/messages.hpp>

namespace fairstream::fit {

/// Throws `InvalidInput` if `--save` is impossible: for a graph, for points scaled before the engine sees them, for
/// standard output, and for a file that exists.
void check_save(const FitOptions& options);

/// Keeps the events of one engine in memory, as messages, until they are written.
class SavedFit {
public:
    /// Passes an event to the engine, and keeps it. The update is valid until the engine's next event. Throws
    /// `InvalidInput` (oversized) for an event that no recording holds, and the errors of `Engine::ingest`.
    const Update& ingest(Engine& engine, const Event& event);
    /// Keeps the state of the engine, which has taken in exactly the kept events. Keeps nothing if work was stopped
    /// early, since no replay of the events leads to such a state.
    void save_state(Engine& engine, bool stopped);
    /// Writes the recording `options.save`. The file is complete or absent. If no state was kept, reports that and
    /// writes nothing. Call it once, after `save_state`. Throws `InvalidInput` if another recording appeared there
    /// meanwhile, `RecordingError` and `std::system_error`.
    void write(const FitOptions& options, Listener& listener);

private:
    struct SavedEvent {
        std::vector<std::byte> message, decisions;
        std::uint64_t update_digest = 0;
    };

    std::optional<EngineOptions> options_;
    std::vector<SavedEvent> events_;
    std::uint64_t running_hash_ = 0;  // running hash after the last event
    std::optional<service::Publisher> publisher_;
    std::optional<log::Checkpoint> checkpoint_;
    wire::Encoder encoder_;
};

}  // namespace fairstream::fit
