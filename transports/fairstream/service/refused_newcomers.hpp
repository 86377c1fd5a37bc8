#pragma once
/// Producers whose messages were all refused. They are not on disk; their newest refusals are in memory.

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fairstream/log/producers.hpp>

namespace fairstream::service {

/// The refusal of a producer's number.
struct RefusedNumber {
    std::uint64_t producer_sequence = 0;
    Reason reason = Reason::malformed;
    std::string text;
    std::uint64_t order = 0;  ///< number among all refusals of the recording
};

/// The refusals of producers whose messages were all refused, kept only in memory. A restarted engine judges such
/// messages again, which is equivalent, as none of their events was taken.
class RefusedNewcomers {
public:
    /// Largest number of refused numbers remembered, for all producers together; beyond it the oldest are forgotten.
    static constexpr std::size_t limit = 4096;

    struct Newcomer {
        log::ProducerMark mark;  ///< last used number
        std::map<std::uint64_t, RefusedNumber> refused;
    };

    [[nodiscard]] const Newcomer* find(std::string_view producer) const {
        const auto known = table_.find(producer);
        return known == table_.end() ? nullptr : &known->second;
    }
    /// Notes that a refused message has a number: the one after the newcomer's last, or any number if the newcomer or
    /// its epoch is new.
    void refuse(const std::string& producer, std::uint64_t epoch, RefusedNumber refused);
    /// Accepts a newcomer's claim that its numbers up to this one are used up.
    void resume(const std::string& producer, const log::ProducerMark& mark);
    /// Forgets a newcomer and returns its refusals, oldest first.
    [[nodiscard]] std::vector<RefusedNumber> take(std::string_view producer);

private:
    Newcomer& at(const std::string& producer, std::uint64_t epoch);
    void forget_oldest();

    std::map<std::string, Newcomer, std::less<>> table_;
    // Producers and their noted numbers (0: none), oldest first. Entries of forgotten producers stay until they are the
    // oldest.
    std::deque<std::pair<std::string, std::uint64_t>> order_;
};

}  // namespace fairstream::service
