#pragma once
/// The numbering rules of producers: who may say what next.
///
/// A producer numbers its events 1, 2, 3, ... within an epoch, and takes a higher epoch with each new life of its own.
/// What it sent and got no answer to, it sends again; so a number that was used already is a duplicate, not an error.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include <fairstream/recording/recording.hpp>

namespace fairstream::service {

using recording::ProducerMark;

/// Where a message stands in its producer's numbering.
enum class Place : std::uint8_t {
    next,         ///< the one expected
    duplicate,    ///< its number was used: taken, or refused for its content
    gap,          ///< messages before it are missing
    stale_epoch,  ///< a newer life of this producer has spoken
};

class ProducerBook {
public:
    using Marks = std::map<std::string, ProducerMark, std::less<>>;

    ProducerBook() = default;
    explicit ProducerBook(const std::map<std::string, ProducerMark>& marks) : marks_(marks.begin(), marks.end()) {}

    /// `mark.producer_sequence` is at least 1.
    [[nodiscard]] Place place(std::string_view producer, const ProducerMark& mark) const;
    /// The number expected next from `producer` in `epoch`; 0 when the epoch is stale.
    [[nodiscard]] std::uint64_t expected(std::string_view producer, std::uint64_t epoch) const;
    /// The newest epoch of `producer` that was heard of; 0 when there was none.
    [[nodiscard]] std::uint64_t newest_epoch(std::string_view producer) const;
    /// Uses up `mark`, which must be the one expected.
    void advance(const std::string& producer, const ProducerMark& mark) { marks_[producer] = mark; }
    [[nodiscard]] const Marks& marks() const noexcept { return marks_; }

private:
    Marks marks_;
};

}  // namespace fairstream::service
