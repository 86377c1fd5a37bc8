#pragma once
/// The state of each producer, kept in memory beside the table `producers`.

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fairstream/log/sqlite/recording.hpp>

namespace fairstream::log::sqlite {

// Owner texts of forgotten producers, in place of a client. Producers without an owner have no row in the table
// `owners`.
inline constexpr std::string_view expired_owner = "(expired)";  ///< its row is deleted with its last event
inline constexpr std::string_view removed_owner = "(removed)";  ///< the row stays: its epoch is the floor of the name

/// A sparse index of one producer's events: finding any event reads at most `stride` of them. It costs no write per
/// append; an index in the file would cost a page for each commit and producer.
class EventPositions {
public:
    static constexpr Sequence stride = 64;

    /// Adds an event; sequences and marks must rise. Drops the positions of deleted events, those before `oldest`.
    void note(Sequence sequence, const ProducerMark& mark, Sequence oldest);
    /// Returns where to search for the event with `mark`: if it exists, it is among the `stride` events from there on.
    [[nodiscard]] std::optional<Sequence> search_from(const ProducerMark& mark) const;

private:
    void forget_before(Sequence oldest);

    struct Position {
        ProducerMark mark;
        Sequence sequence = 0;
    };
    std::vector<Position> positions_;
};

struct Producer {
    std::uint64_t id = 0;
    ProducerMark mark;
    Sequence last_sequence = 0;  ///< 0: no event
    std::uint64_t refusals = 0;  ///< number of the producer's rows in the table `refusals`
    std::string owner;           ///< the producer's client, `expired_owner` or `removed_owner`; empty: none
    bool changed = false;        ///< whether it changed since its row was written; set by the writer
    EventPositions positions;

    /// Returns whether the producer's row marks it as forgotten; rows of older formats have no such mark
    /// (`Producers::is_forgotten`).
    [[nodiscard]] bool is_marked_forgotten() const noexcept { return owner == expired_owner || owner == removed_owner; }
    /// `oldest`: the first event still kept.
    void note_event(Sequence sequence, const ProducerMark& its_mark, Sequence oldest) {
        mark = std::max(mark, its_mark);
        last_sequence = sequence;
        positions.note(sequence, its_mark, oldest);
    }
    void note_refusal(const ProducerMark& its_mark) {
        mark = std::max(mark, its_mark);
        ++refusals;
    }
};

class Producers {
public:
    using Table = std::map<std::string, Producer, std::less<>>;
    /// Name of the entry whose epoch is the floor of all clients, and whose newest event is `Expiry::through`.
    static constexpr std::string_view expiry_name{};

    /// Returns the entry `name`; creates it with the next id if it is unknown. The reference stays valid.
    Table::value_type& at(std::string_view name);
    [[nodiscard]] const Producer* find(std::string_view name) const;
    /// Returns the floors: of all clients, of single clients, and of removed names.
    [[nodiscard]] Expiry expiry() const;
    /// Returns whether the entry is no known producer: a forgotten one, or the entry of `expiry_name`.
    [[nodiscard]] bool is_forgotten(const Table::value_type& entry) const;
    /// Returns the producers that are known.
    [[nodiscard]] std::map<std::string, KnownProducer> known() const;
    struct Removal {
        std::vector<std::uint64_t> former_ids;   ///< former ids of the removed and the renumbered entries
        std::vector<Table::pointer> renumbered;  ///< entries that took ids of removed ones, so that ids have no gap
    };
    /// Removes the entries with these names.
    [[nodiscard]] Removal remove(const std::vector<std::string>& names);
    [[nodiscard]] const Table& table() const noexcept { return table_; }
    [[nodiscard]] Table& table() noexcept { return table_; }

    [[nodiscard]] std::map<std::string, std::uint64_t>& floors() noexcept { return floors_; }

private:
    Table table_;
    std::map<std::string, std::uint64_t> floors_;  // by client
};

}  // namespace fairstream::log::sqlite
