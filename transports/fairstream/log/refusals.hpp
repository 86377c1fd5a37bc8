#pragma once
/// Messages that were refused: kept to show, and to answer a producer that sends one of them again.

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
enum class Keep : std::uint8_t {
    all,
    message,  ///< for an unknown producer: the refusal among the newest ones, but nothing of the producer; the
              ///< number is not used up
    number,   ///< for a producer that became known since: its number's refusal; the number is used up
};

struct Refusal {
    std::string producer;  ///< empty when the message could not be read that far
    ProducerMark mark;     ///< zeros when the message could not be read that far
    Reason reason = Reason::malformed;
    std::string text;                ///< the first 4,096 bytes of it are kept
    std::vector<std::byte> message;  ///< the first `RefusalSink::refused_bytes` of it are kept
    Keep keep = Keep::all;
    std::uint64_t order = 0;  ///< for `Keep::number` alone: its earlier number among all refusals, from 1
};

/// Newest refusals kept of each producer, to answer duplicates; a few more between two deletions.
inline constexpr std::uint64_t known_refusals = 4096;
/// Bytes kept of a refusal's text.
inline constexpr std::size_t refusal_text_bytes = 4096;

/// Returns whether a refused message used its number up, so that a duplicate must get the same refusal again: not when
/// it was refused as out of order, nor when its number could not be read.
[[nodiscard]] bool uses_up_number(const Refusal& refusal) noexcept;
/// Returns the part of a refusal's text that is kept: whole letters of UTF-8.
[[nodiscard]] std::string_view kept_text(std::string_view text) noexcept;

/// Keeps the newest refusals of all with their messages, and reason and text of each producer's newest
/// `known_refusals`. A flush of the log (`Log`) puts refusals on disk, too.
class RefusalSink {
public:
    virtual ~RefusalSink() = default;

    /// Records a refusal. It uses the number up, which then must be above every earlier one of this producer, unless
    /// the message was out of order (`sequence_gap`, `stale_epoch`), or its number or producer could not be read.
    /// Throws `InvalidInput` otherwise, and `RecordingError`.
    virtual void refuse(const Refusal& refusal) = 0;
    /// Returns the refusal of the message with this mark, without the message, if it used its number up and is still
    /// kept.
    [[nodiscard]] virtual std::optional<Refusal> find_refusal(const std::string& producer,
                                                              const ProducerMark& mark) const = 0;
    [[nodiscard]] virtual std::uint64_t refused_count() const = 0;         ///< since the log began
    [[nodiscard]] virtual std::vector<Refusal> refusals() const = 0;       ///< the kept ones, oldest first
    [[nodiscard]] virtual std::size_t refused_bytes() const noexcept = 0;  ///< kept of each refused message
};

}  // namespace fairstream::log
