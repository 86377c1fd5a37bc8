#pragma once
/// Producers as a log knows them: how far each has numbered its events, and which epochs are used up.

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include <fairstream/base/types.hpp>

namespace fairstream::log {

/// A producer's position: its newest epoch, and the highest number in it that was taken or refused for its content.
struct ProducerMark {
    std::uint64_t epoch = 0;
    std::uint64_t producer_sequence = 0;
    auto operator<=>(const ProducerMark&) const = default;
};

/// A producer that belongs to nobody and has this epoch or a higher one never expires: the floor would be one for all
/// clients, and leave them too few epochs above it. As microseconds since 1970 it lies 146,000 years ahead.
inline constexpr std::uint64_t lasting_epoch = std::uint64_t{1} << 62;

/// A producer that has not expired.
struct KnownProducer {
    ProducerMark mark;
    Sequence last_sequence = 0;  ///< its newest event; 0: none, only refusals
    std::string owner = {};      ///< the client whose it is; empty: nobody's, as in recordings of older versions
    [[nodiscard]] bool lasts() const noexcept { return owner.empty() && mark.epoch >= lasting_epoch; }
    bool operator==(const KnownProducer&) const = default;
};

/// The epochs that new producers have to exceed, because producers were forgotten.
struct Expiry {
    /// Of recordings of older versions: producers without an event after this one were forgotten; 0: none were.
    Sequence through = 0;
    std::optional<std::uint64_t> epoch = {};            ///< the floor of all clients
    std::map<std::string, std::uint64_t> clients = {};  ///< the floors of single clients
    std::map<std::string, std::uint64_t> removed = {};  ///< the floors of single names, which were removed by request
    /// Returns whether a producer that is nobody's and has this newest event was forgotten.
    [[nodiscard]] bool covers(Sequence last_sequence) const noexcept { return through > 0 && last_sequence <= through; }
    bool operator==(const Expiry&) const = default;
};

/// What the events up to the last flush, in order, say of producers (`NewEvent::expiry` included), and the refusals
/// that used numbers up.
class ProducerPositions {
public:
    virtual ~ProducerPositions() = default;

    /// Returns the producers that have not expired.
    [[nodiscard]] virtual std::map<std::string, KnownProducer> producers() const = 0;
    [[nodiscard]] virtual Expiry expiry() const = 0;
};

}  // namespace fairstream::log
