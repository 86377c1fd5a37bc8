#pragma once
/// What `fairstream fit --save` writes: a recording of the events of the fit, with the state of the engine after them.
/// It is what an engine process would have recorded that was sent the same events.

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

/// Throws `InvalidInput` for `--save` with what leaves nothing to ask: a graph, points that are scaled before the
/// engine sees them, or standard output.
void check_save(const FitOptions& options);

/// Keeps the events of one engine in memory, as messages, until they are written.
class SavedFit {
public:
    /// Lets the engine take in an event, and keeps it. The update is valid until the engine's next event. Throws
    /// `InvalidInput` (oversized) for an event that no recording holds, and what `Engine::ingest` throws.
    const Update& take(Engine& engine, const Event& event);
    /// Keeps the state of the engine, which took in the kept events and no others; nothing where work was stopped
    /// before its end, since no replay of the events comes to such a state.
    void keep_state(Engine& engine, bool stopped);
    /// Writes the recording `options.save`: complete under its name, or not there; where no state was kept it tells so
    /// in place of that. Call it once, after `keep_state`. Throws `InvalidInput` when another recording came there
    /// meanwhile, `RecordingError` and `std::system_error`.
    void write(const FitOptions& options, Listener& listener);

private:
    struct Kept {
        std::vector<std::byte> message, decisions;
        std::uint64_t update_digest = 0;
    };

    std::optional<EngineOptions> options_;
    std::vector<Kept> events_;
    std::uint64_t running_hash_ = 0;  // after the last event
    std::optional<service::Publisher> publisher_;
    std::optional<log::Checkpoint> checkpoint_;
    wire::Encoder encoder_;
};

}  // namespace fairstream::fit
