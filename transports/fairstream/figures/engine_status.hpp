#pragma once
/// What a running engine answers about itself.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <fairstream/service/board.hpp>
#include <fairstream/wire/messages.hpp>

namespace fairstream::figures {

/// A model of a running engine.
struct ModelStatus {
    wire::ModelDescription description;
    std::optional<wire::FairnessReport> figures;  ///< empty: it did not answer in time
};

/// What an engine answered.
struct EngineStatus {
    std::string endpoint;
    std::string failure;  ///< why there is no answer; empty: there is one
    wire::Health health;
    wire::RecordingId recording{};
    /// Empty: it is busy, or of a version that does not describe itself.
    std::optional<wire::Description> description;
    std::vector<ModelStatus> models;
    std::string missing;  ///< why there is no description or figures; empty: all is there

    /// Returns whether events do not get to the disk, though the engine is at no other work.
    [[nodiscard]] bool is_stuck() const noexcept { return health.activity == service::writing_activity; }
    [[nodiscard]] bool healthy() const noexcept { return failure.empty() && health.ready && !is_stuck(); }
};

/// Returns the number of events since a model's visible step changed; empty where that is not known.
[[nodiscard]] std::optional<std::uint64_t> events_behind(const wire::ModelDescription& model, Sequence newest);

/// Returns the report as JSON of one line.
[[nodiscard]] std::string status_json(const EngineStatus& status);

}  // namespace fairstream::figures
