#pragma once
/// A log's knowledge of producers: how far each has numbered its events, and which epochs are used up.

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include <fairstream/base/types.hpp>

namespace fairstream::log {

/// A producer's position: its newest epoch, and the highest number in that epoch that was taken or refused for its
/// content.
struct ProducerMark {
    std::uint64_t epoch = 0;
    std::uint64_t producer_sequence = 0;
    auto operator<=>(const ProducerMark&) const = default;
};

/// A producer without an owner that has at least this epoch never expires. Its floor would apply to all clients, and
/// leave them too few epochs above it. Read as microseconds since 1970, this epoch lies 146,000 years ahead.
inline constexpr std::uint64_t least_never_expiring_epoch = std::uint64_t{1} << 62;

/// A producer that has not expired.
struct KnownProducer {
    ProducerMark mark;
    Sequence last_sequence = 0;  ///< its newest event; 0: none, only refusals
    std::string owner = {};      ///< the client that owns it; empty: none, as in recordings of older versions
    [[nodiscard]] bool never_expires() const noexcept {
        return owner.empty() && mark.epoch >= least_never_expiring_epoch;
    }
    bool operator==(const KnownProducer&) const = default;
};

/// The epochs that new producers have to exceed, because earlier producers were forgotten.
struct Expiry {
    /// For recordings of older versions: producers without an event after this one were forgotten; 0: none.
    Sequence through = 0;
    std::optional<std::uint64_t> epoch = {};            ///< floor of all clients
    std::map<std::string, std::uint64_t> clients = {};  ///< floors of single clients
    std::map<std::string, std::uint64_t> removed = {};  ///< floors of single names that were removed by request
    /// Returns whether a producer without an owner, with this newest event, was forgotten.
    [[nodiscard]] bool covers(Sequence last_sequence) const noexcept { return through > 0 && last_sequence <= through; }
    bool operator==(const Expiry&) const = default;
};

/// The state of producers after the events up to the last flush (`NewEvent::expiry` included) and the refusals that
/// used numbers up.
class ProducerPositions {
public:
    virtual ~ProducerPositions() = default;

    /// Returns the producers that have not expired.
    [[nodiscard]] virtual std::map<std::string, KnownProducer> producers() const = 0;
    [[nodiscard]] virtual Expiry expiry() const = 0;
};

}  // namespace fairstream::log
