#pragma once
/// The numbering rules of producers: who may say what next, and who is forgotten.
///
/// A producer numbers its events 1, 2, 3, ... within an epoch, and takes a higher epoch with each new life of its own.
/// What it sent and got no answer to, it sends again; so a number that was used already is a duplicate, not an error.
///
/// Those that sent no event for long expire. What they may have sent before could not be told from something new, so
/// whoever is not known must have an epoch above all that expired.

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

/// Where a message stands in its producer's numbering.
enum class Place : std::uint8_t {
    next,         ///< the one expected
    duplicate,    ///< its number was used: taken, or refused for its content
    gap,          ///< messages before it are missing
    stale_epoch,  ///< a newer life of this producer has spoken, or producers of as high an epoch expired
};

class ProducerBook {
public:
    ProducerBook() = default;
    ProducerBook(const std::map<std::string, KnownProducer>& known, const Expiry& expiry);

    /// `mark.producer_sequence` is at least 1.
    [[nodiscard]] Place place(std::string_view producer, const ProducerMark& mark) const;
    /// The number expected next from `producer` in `epoch`; 0 when the epoch is stale.
    [[nodiscard]] std::uint64_t expected(std::string_view producer, std::uint64_t epoch) const;
    /// The newest epoch that makes lower ones of `producer` stale; 0 when none does.
    [[nodiscard]] std::uint64_t newest_epoch(std::string_view producer) const;
    /// Whether something of it is kept: an event, or a refusal since one.
    [[nodiscard]] bool knows(std::string_view producer) const { return known_.contains(producer); }

    /// Uses up `mark`, which must be the one expected, by an event; returns what earlier numbers of a producer that was
    /// not known were refused with.
    std::vector<RefusedNumber> take(const std::string& producer, const ProducerMark& mark, Sequence sequence);
    /// The same by a refusal.
    void refuse(const std::string& producer, const ProducerMark& mark, RefusedNumber refused);
    /// Believes a producer that the numbers of its epoch up to this one are refused, unless more is known of it.
    void resume(const std::string& producer, const ProducerMark& mark);
    /// What a used number of a producer that is not known was refused with, if that is still known.
    [[nodiscard]] const RefusedNumber* find_refused(std::string_view producer, const ProducerMark& mark) const;

    /// The event up to which producers should expire once `sequence` is the newest: 0 for none. They expire when they
    /// sent no event among the last `idle` (and some, so that many expire together), and the idlest above `most`.
    [[nodiscard]] Sequence expiry_due(Sequence sequence, std::uint64_t idle, std::size_t most) const;
    /// Forgets those without an event after `through`.
    void expire(Sequence through);

    /// Whether one more producer can be known: of those that never expire there are only so many.
    [[nodiscard]] bool has_room(std::string_view producer, std::uint64_t epoch) const;
    static constexpr std::size_t most_lasting = 1024;
    /// How many are known.
    [[nodiscard]] std::size_t size() const noexcept { return known_.size(); }

private:
    void note(const std::string& producer, const KnownProducer& now);

    std::map<std::string, KnownProducer, std::less<>> known_;
    std::multimap<Sequence, std::string> by_newest_event_;  // of those that may expire
    RefusedNewcomers newcomers_;
    Expiry expiry_;
};

}  // namespace fairstream::service
