#pragma once
/// What is known of each producer, kept in memory beside the table `producers`.

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fairstream/recording/recording.hpp>

namespace fairstream::recording {

/// Whether a refused message used its number up, so that a duplicate of it must get the same refusal again: not when it
/// was refused for its place in the order, nor when its number could not be read.
[[nodiscard]] bool uses_up_number(std::string_view producer, const ProducerMark& mark, Reason reason) noexcept;

/// Where the events of one producer lie, as every so manieth of them: finding any other takes a look at no more than
/// `stride` events. Costs nothing per append, where an index in the file costs a page per commit and producer.
class EventPositions {
public:
    static constexpr Sequence stride = 64;

    /// In order of sequence, with marks that rise; forgets what lies before `oldest`, which was deleted.
    void note(Sequence sequence, const ProducerMark& mark, Sequence oldest);
    /// If the event with `mark` exists, it is among the `stride` events from this one on.
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
    std::uint64_t refusals = 0;  ///< of them kept in the table `refusals`
    bool changed = false;        ///< since its row was written; the writer's to keep
    EventPositions positions;

    /// `oldest`: the first event that is still kept.
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
    /// Of the entry that holds how far producers expired, as a producer's mark and newest event.
    static constexpr std::string_view expiry_name{};

    /// Made, with the next id, when it was unknown. The reference stays valid.
    Table::value_type& at(std::string_view name);
    [[nodiscard]] const Producer* find(std::string_view name) const;
    [[nodiscard]] Expiry expiry() const;
    /// Whether it expired, or is no producer.
    [[nodiscard]] bool is_expired(const Table::value_type& entry) const;
    struct Removal {
        std::vector<std::uint64_t> former_ids;   ///< of those taken out and those renumbered
        std::vector<Table::pointer> renumbered;  ///< entries that got an id of one taken out, so that none is missing
    };
    /// Takes the entries with these names out.
    [[nodiscard]] Removal remove(const std::vector<std::string>& names);
    [[nodiscard]] const Table& table() const noexcept { return table_; }
    [[nodiscard]] Table& table() noexcept { return table_; }

private:
    Table table_;
};

}  // namespace fairstream::recording
