#pragma once
/// Reports of `fairstream status`.

#include <optional>
#include <string>
#include <vector>

#include <fairstream/service/board.hpp>
#include <fairstream/wire/messages.hpp>

namespace fairstream::command {

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

[[nodiscard]] std::string status_json(const EngineStatus& status);
/// Returns the screen for people, its options on lines of at most `widest` columns. `styled`: with the escape sequences
/// of a terminal.
[[nodiscard]] std::string status_text(const EngineStatus& status, bool styled, std::size_t widest);

}  // namespace fairstream::command
