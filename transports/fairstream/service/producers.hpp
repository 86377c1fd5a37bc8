#pragma once
/// The numbering rules of producers: which event is expected next from each, and which producers expire.
///
/// A producer numbers its events 1, 2, 3, ... within an epoch, and takes a higher epoch with each new life of its own.
/// It sends unanswered events again; so a number that was used already is a duplicate, not an error.
///
/// Producers that sent no event for long expire. Their old events could no longer be told from new ones, so an unknown
/// producer must have an epoch above those of all that expired.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fairstream/recording/recording.hpp>
#include <fairstream/service/refused_newcomers.hpp>

namespace fairstream::service {

using recording::Expiry;
using recording::KnownProducer;
using recording::ProducerMark;

/// A message's position in its producer's numbering.
enum class Place : std::uint8_t {
    next,         ///< the expected number
    duplicate,    ///< its number was used: taken, or refused for its content
    gap,          ///< messages before it are missing
    stale_epoch,  ///< a newer life of this producer sent something, or producers with as high an epoch expired
};

class ProducerBook {
public:
    ProducerBook() = default;
    ProducerBook(const std::map<std::string, KnownProducer>& known, const Expiry& expiry);

    /// Returns the position of a message with this mark; `mark.producer_sequence` is at least 1.
    [[nodiscard]] Place place(std::string_view producer, const ProducerMark& mark) const;
    /// Returns the number expected next from `producer` in `epoch`; 0 when the epoch is stale.
    [[nodiscard]] std::uint64_t expected(std::string_view producer, std::uint64_t epoch) const;
    /// Returns the newest epoch that makes lower ones of `producer` stale; 0 when none does.
    [[nodiscard]] std::uint64_t newest_epoch(std::string_view producer) const;
    /// Returns whether anything of the producer is kept: an event, or a refusal after one.
    [[nodiscard]] bool knows(std::string_view producer) const { return known_.contains(producer); }

    /// Uses up `mark`, which must be the expected one, by an event; for a producer that was not known, returns the
    /// refusals of its earlier numbers.
    std::vector<RefusedNumber> take(const std::string& producer, const ProducerMark& mark, Sequence sequence);
    /// Uses up `mark`, which must be the expected one, by a refusal.
    void refuse(const std::string& producer, const ProducerMark& mark, RefusedNumber refused);
    /// Accepts a producer's claim that the numbers of its epoch up to this one were refused, unless more is known of
    /// it.
    void resume(const std::string& producer, const ProducerMark& mark);
    /// Returns the refusal of a used number of an unknown producer, or null when it is no longer remembered.
    [[nodiscard]] const RefusedNumber* find_refused(std::string_view producer, const ProducerMark& mark) const;

    /// Returns the event such that producers without a later one should expire once `sequence` is the newest event; 0:
    /// none should. Those expire that sent no event among the last `idle` (and a few more, so that many expire
    /// together), and the idlest of more than `most`.
    [[nodiscard]] Sequence expiry_due(Sequence sequence, std::uint64_t idle, std::size_t most) const;
    /// Forgets the producers without an event after `through`.
    void expire(Sequence through);

    /// Returns whether one more producer can be known: at most `most_lasting` may have an epoch that never expires.
    [[nodiscard]] bool has_room(std::string_view producer, std::uint64_t epoch) const;
    static constexpr std::size_t most_lasting = 1024;
    /// Returns the number of known producers.
    [[nodiscard]] std::size_t size() const noexcept { return known_.size(); }

private:
    void note(const std::string& producer, const KnownProducer& now);

    std::map<std::string, KnownProducer, std::less<>> known_;
    std::multimap<Sequence, std::string> by_newest_event_;  // the producers that may expire
    RefusedNewcomers newcomers_;
    Expiry expiry_;
};

}  // namespace fairstream::service
