#pragma once
/// The description that a running engine gives of itself.

#include <optional>
#include <string>

#include <fairstream/wire/messages.hpp>
#include <fairstream/zmq/control_client.hpp>

namespace fairstream::command {

/// Returns what the engine runs; nothing where it is of a version that does not tell.
[[nodiscard]] std::optional<wire::Description> described(zmq::ControlClient& client);

/// Does so for an engine that answers, and throws `zmq::ControlTimeout` with its activity where that takes too long.
[[nodiscard]] std::optional<wire::Description> described_in_time(zmq::ControlClient& client,
                                                                 const zmq::ControlOptions& control);

/// Returns the model of this name. Throws `InvalidInput` (unknown_model), which lists those that there are.
[[nodiscard]] const wire::ModelDescription& model_of(const wire::Description& engine, const std::string& name);

}  // namespace fairstream::command
