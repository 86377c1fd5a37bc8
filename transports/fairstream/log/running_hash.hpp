#pragma once
/// The running hash of a log's events: hash_0 = 0, and hash_n = H(hash_{n-1}, checksum of event n). The checksum covers
/// the event's number, producer, mark, message and decisions. Two logs with the same running hash hold the same events,
/// byte by byte.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <fairstream/log/event_log.hpp>

namespace fairstream::log {

/// Returns the running hash after an event, from the hash before it, which is 0 before the first event. Returns 0 if
/// the hash before it is unknown.
[[nodiscard]] std::uint64_t running_hash_after(std::uint64_t before, Sequence sequence, std::string_view producer,
                                               const ProducerMark& mark, Bytes message, Bytes decisions) noexcept;
[[nodiscard]] std::uint64_t running_hash_after(std::uint64_t before, const RecordedEvent& event) noexcept;

// For implementations of logs.

/// Returns the checksum of an event whose message has this size and hash.
[[nodiscard]] std::uint64_t event_checksum(Sequence sequence, std::string_view producer, const ProducerMark& mark,
                                           Bytes decisions, std::size_t message_size,
                                           std::uint64_t message_hash) noexcept;
[[nodiscard]] std::uint64_t next_running_hash(std::uint64_t before, std::uint64_t event_checksum) noexcept;
/// Returns the first running hash of a log that begins behind a checkpoint, without events. No other log has it.
[[nodiscard]] std::uint64_t first_running_hash(const RecordingId& id) noexcept;

}  // namespace fairstream::log
