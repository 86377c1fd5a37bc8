#pragma once
/// The description that a running engine gives of itself.

#include <optional>
#include <string>

#include <fairstream/wire/messages.hpp>
#include <fairstream/zmq/control_client.hpp>

namespace fairstream::command {

/// Returns the description of the engine; nothing for an engine of a version that gives none.
[[nodiscard]] std::optional<wire::Description> engine_description(zmq::ControlClient& client);

/// Returns the description as `engine_description` does, but throws `zmq::ControlTimeout` with the engine's activity
/// when a live engine takes too long to answer.
[[nodiscard]] std::optional<wire::Description> awaited_description(zmq::ControlClient& client,
                                                                   const zmq::ControlOptions& control);

/// Returns the model of this name. Throws `InvalidInput` (unknown_model), which lists the known models.
[[nodiscard]] const wire::ModelDescription& model_of(const wire::Description& engine, const std::string& name);

}  // namespace fairstream::command
