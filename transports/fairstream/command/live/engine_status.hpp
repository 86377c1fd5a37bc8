#pragma once
/// A running engine's answers about its state.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <fairstream/service/board.hpp>
#include <fairstream/wire/messages.hpp>

namespace fairstream::command {

/// A model of a running engine.
struct ModelStatus {
    wire::ModelDescription description;
    std::optional<wire::FairnessReport> figures;  ///< nothing: no answer came in time
};

/// The answers of an engine.
struct EngineStatus {
    std::string endpoint;
    std::string failure;  ///< why the engine gave no answer; empty: it answered
    wire::Health health;
    wire::RecordingId recording{};
    /// Nothing: the engine is busy, or its version gives no description.
    std::optional<wire::Description> description;
    std::vector<ModelStatus> models;
    std::string missing;  ///< why description or figures are missing; empty: they are complete

    /// Returns whether a commit has taken more than a second while the engine has no other work: writing may be stuck.
    [[nodiscard]] bool is_stuck() const noexcept { return health.activity == service::writing_activity; }
    [[nodiscard]] bool healthy() const noexcept { return failure.empty() && health.ready && !is_stuck(); }
};

/// Returns the number of events since `ModelDescription::stepped_at`; nothing when unknown.
[[nodiscard]] std::optional<std::uint64_t> events_behind(const wire::ModelDescription& model, Sequence newest);

/// Returns the report as one line of JSON.
[[nodiscard]] std::string status_json(const EngineStatus& status);

}  // namespace fairstream::command
