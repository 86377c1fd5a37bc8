#pragma once
/// A subscriber's events as lines of JSON, each with its line end.

#include <optional>
#include <string>

#include <fairstream/zmq/subscriber.hpp>

namespace fairstream::command {

/// Returns one line of JSON about the connection to an engine; `description` is nothing if the engine gives none.
[[nodiscard]] std::string connected_json(const std::optional<wire::Description>& description, Sequence sequence,
                                         const std::string& model);
/// Returns one line of JSON about the end of an engine.
[[nodiscard]] std::string ended_json(bool in_order, Sequence sequence, const std::string& model);

/// Returns one line of JSON about late points and drift.
[[nodiscard]] std::string condition_json(const wire::Condition& condition, const std::string& model);
/// Returns one line of JSON for an event of a subscriber.
template <class Event> [[nodiscard]] std::string event_json(const Event& event, const std::string& model);

}  // namespace fairstream::command
