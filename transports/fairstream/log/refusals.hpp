#pragma once
/// Refused messages, kept for display, and for the answer to a producer that sends one of them again.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fairstream/base/types.hpp>
#include <fairstream/log/producers.hpp>

namespace fairstream::log {

/// The parts of a refusal that are kept.
enum class KeptParts : std::uint8_t {
    all,
    message,  ///< for an unknown producer: the message, without a record of the producer; uses up no number
    number,   ///< for a producer known by now: the refused number, which is used up
};

struct Refusal {
    std::string producer;  ///< empty if the message could not be read that far
    ProducerMark mark;     ///< zeros if the message could not be read that far
    Reason reason = Reason::malformed;
    std::string text;                ///< reason in words; the first 4,096 bytes are kept
    std::vector<std::byte> message;  ///< the first `RefusalSink::refused_bytes` bytes are kept
    KeptParts kept_parts = KeptParts::all;
    std::uint64_t order = 0;  ///< only for `KeptParts::number`: the refusal's number among all refusals, from 1
};

/// Newest refusals kept for each producer, to answer duplicates. Between two deletions a few more are kept.
inline constexpr std::uint64_t known_refusals = 4096;
/// Bytes kept of a refusal's text.
inline constexpr std::size_t refusal_text_bytes = 4096;

/// Returns whether a refused message used its number up, so that a duplicate gets the same refusal again. A message
/// that was out of order, or whose number could not be read, used up none.
[[nodiscard]] bool uses_up_number(const Refusal& refusal) noexcept;
/// Returns the part of a refusal's text that is kept, in whole characters of UTF-8.
[[nodiscard]] std::string_view kept_text(std::string_view text) noexcept;

/// Keeps the newest refusals of all producers with their messages, and reason and text of each producer's newest
/// `known_refusals`. A flush of the log (`Log`) also stores refusals.
class RefusalSink {
public:
    virtual ~RefusalSink() = default;

    /// Records a refusal. It uses up its number, which must be above every earlier one of this producer, unless the
    /// message was out of order (`sequence_gap`, `stale_epoch`), or its number or producer could not be read. Throws
    /// `InvalidInput` otherwise, and `RecordingError`.
    virtual void refuse(const Refusal& refusal) = 0;
    /// Returns the refusal of the event with this mark; its `message` is empty. Nothing unless the event used up its
    /// number and the refusal is still kept.
    [[nodiscard]] virtual std::optional<Refusal> find_refusal(const std::string& producer,
                                                              const ProducerMark& mark) const = 0;
    [[nodiscard]] virtual std::uint64_t refused_count() const = 0;         ///< refusals since the log began
    [[nodiscard]] virtual std::vector<Refusal> refusals() const = 0;       ///< kept refusals, oldest first
    [[nodiscard]] virtual std::size_t refused_bytes() const noexcept = 0;  ///< kept of each refused message
};

}  // namespace fairstream::log
