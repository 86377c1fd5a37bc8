#pragma once
/// The update digest: what a recording keeps of an update, to show later whether a replay or a recovery comes to the
/// same one. It shows accidents, and is no signature.
///
/// It is the XXH3-64 of these bytes, numbers little-endian in 64 bits where nothing else is said: the event's sequence;
/// then of each model that the event changed, in the order of the configuration: the length of its name, the name, the
/// outcome; the number of departed ids, these ids; the number of ids, these ids, their outputs (labels in 32 bits,
/// scores as float64) and the number of provisional marks, these marks (8 bits each); of each kind of rows of numbers,
/// as memberships, that changed, the number of ids whose did, and for each the id and its k numbers (float32). A model
/// without outputs has nothing after its outcome. Figures are not in it, so that a build that adds one comes to the
/// same digests.

#include <cstdint>
#include <string>

#include <fairstream/core/update.hpp>
#include <fairstream/engine.hpp>
#include <fairstream/log/event_log.hpp>

namespace fairstream::service {

/// `engine` is as the update left it.
[[nodiscard]] std::uint64_t update_digest(const Engine& engine, const Update& update);

/// Returns "version 0.1.0 (x86-64-v3)".
[[nodiscard]] std::string text_of(const log::Build& build);

}  // namespace fairstream::service
