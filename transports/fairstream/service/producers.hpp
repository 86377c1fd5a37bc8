#pragma once
/// The numbering rules of producers: the next expected event of each, their owners, and their expiry.
///
/// A producer numbers its events 1, 2, 3, ... within an epoch, and takes a higher epoch in each new life. It sends
/// unanswered events again; so a number that was already used is a duplicate, not an error.
///
/// A producer belongs to the client that sent its newest event. Two kinds of producers are forgotten: those that sent
/// no event for long, and the longest idle ones of a client that has too many. Their old events could then no longer be
/// told from new ones, so a new producer needs an epoch above a floor. The floor comes from its client's forgotten
/// producers, or from the producer's name if this name was removed by request. Producers in recordings of older
/// versions have no owner; one floor applies to all of them.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fairstream/core/events.hpp>
#include <fairstream/log/producers.hpp>
#include <fairstream/service/refused_newcomers.hpp>

namespace fairstream::service {

using log::Expiry;
using log::KnownProducer;
using log::ProducerMark;

/// A message's position in its producer's numbering.
enum class MarkPosition : std::uint8_t {
    next,         ///< the expected number
    duplicate,    ///< its number was used: taken, or refused for its content
    gap,          ///< messages before it are missing
    stale_epoch,  ///< a newer life of this producer sent something, or the epoch is not above a floor
};

/// The name of a producer, and the client that uses it.
struct Origin {
    std::string_view producer;
    std::string_view client;  ///< empty: none, see `Client::identity`
};

class ProducerBook {
public:
    ProducerBook() = default;
    ProducerBook(const std::map<std::string, KnownProducer>& known, Expiry expiry);

    /// Returns the position of a message with this mark; `mark.producer_sequence` is at least 1.
    [[nodiscard]] MarkPosition position_of(const Origin& origin, const ProducerMark& mark) const;
    /// Returns the number expected next in `epoch`; 0 when the epoch is stale.
    [[nodiscard]] std::uint64_t expected(const Origin& origin, std::uint64_t epoch) const;
    /// Returns the newest epoch that makes lower epochs stale; 0 when none does.
    [[nodiscard]] std::uint64_t newest_epoch(const Origin& origin) const;
    /// Returns whether the producer is known. A producer whose messages were all refused is not.
    [[nodiscard]] bool knows(std::string_view producer) const { return known_.contains(producer); }
    /// Returns the client that owns the producer; empty without an owner, and for an unknown producer.
    [[nodiscard]] std::string_view owner(std::string_view producer) const;
    [[nodiscard]] const auto& known() const noexcept { return known_; }

    /// Notes that an event has the number in `mark`, which must be the expected one. If the producer was unknown,
    /// returns the refusals of its earlier numbers.
    std::vector<RefusedNumber> accept(const Origin& origin, const ProducerMark& mark, Sequence sequence);
    /// Notes that a refused message has the number in `mark`, which must be the expected one.
    void refuse(const std::string& producer, const ProducerMark& mark, RefusedNumber refused);
    /// Accepts a producer's claim that the numbers of its epoch up to this one were refused. Does nothing if the
    /// producer is known, its epoch is stale, or this number was already used.
    void resume(const Origin& origin, const ProducerMark& mark);
    /// Returns the refusal of a used number of an unknown producer; null when it is no longer remembered.
    [[nodiscard]] const RefusedNumber* find_refused(std::string_view producer, const ProducerMark& mark) const;

    /// Limits on the producers kept.
    struct Limits {
        std::uint64_t idle = 0;     ///< number of events after which a producer without any of them is forgotten
        std::size_t most = 0;       ///< producers of all clients together
        std::size_t of_client = 0;  ///< producers of `client`
        std::string_view client;    ///< empty: none, so `of_client` does not apply
    };
    /// Returns the expiry that is due after event `sequence`; without names if none is due. It takes producers that
    /// were idle for too long, the longest idle of `client` above its limit, and above the limit of all, the longest
    /// idle of the client with the most producers. It takes a few more than necessary, so that expiries are rare.
    [[nodiscard]] ProducerExpiry expiry_due(Sequence sequence, const Limits& limits) const;
    /// Returns the event that removes a known producer. Throws `InvalidInput` (unknown_request).
    [[nodiscard]] ProducerExpiry removal(const std::string& producer) const;
    void expire(const ProducerExpiry& expiry);

    /// Returns the number of known producers.
    [[nodiscard]] std::size_t size() const noexcept { return known_.size(); }

private:
    using ByNewestEvent = std::multimap<Sequence, std::string>;

    void note(const std::string& producer, const KnownProducer& now);
    void erase(std::string_view producer);
    void forget_position(const std::string& producer, const KnownProducer& known);
    [[nodiscard]] std::optional<std::uint64_t> floor(const Origin& origin) const;
    void add_idlest(const ByNewestEvent& names, std::size_t count, ProducerExpiry& expiry) const;

    std::map<std::string, KnownProducer, std::less<>> known_;
    std::map<std::string, ByNewestEvent, std::less<>> by_owner_;  // producers that may expire
    std::size_t expiring_ = 0;                                    // number of producers in `by_owner_`
    RefusedNewcomers newcomers_;
    Expiry expiry_;
};

}  // namespace fairstream::service
