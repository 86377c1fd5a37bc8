#pragma once
/// The update digest, which a recording keeps for each update, to show later whether a replay or a recovery gives the
/// same update. It reveals accidents; it is no signature.
///
/// It is the XXH3-64 of the following bytes; numbers are little-endian with 64 bits unless stated otherwise. First the
/// event's sequence. Then for each model that the event changed, in the order of the configuration: the length of its
/// name, the name, the outcome; the number of departed ids, and these ids; the number of ids, these ids, their outputs
/// (labels in 32 bits, scores as float64), the number of provisional marks, and these marks (8 bits each); for each
/// kind of rows of numbers that changed, such as memberships: the number of ids with changes, and for each the id and
/// its k numbers (float32). A model without outputs has nothing after its outcome. Figures are not included, so that a
/// build that adds one gives the same digests.

#include <cstdint>
#include <string>

#include <fairstream/core/update.hpp>
#include <fairstream/engine.hpp>
#include <fairstream/log/event_log.hpp>

namespace fairstream::service {

/// Returns the digest; `engine` is in the state after the update.
[[nodiscard]] std::uint64_t update_digest(const Engine& engine, const Update& update);

/// Returns "version 0.1.0 (x86-64-v3)".
[[nodiscard]] std::string text_of(const log::Build& build);

}  // namespace fairstream::service
