#pragma once
/// Producers that have said nothing but what was refused: nothing of them is on disk, and here only the newest.

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fairstream/recording/recording.hpp>

namespace fairstream::service {

/// What a number was refused with.
struct RefusedNumber {
    std::uint64_t producer_sequence = 0;
    Reason reason = Reason::malformed;
    std::string text;
    std::uint64_t order = 0;  ///< among all refusals of the recording
};

/// In memory alone: an engine that starts again judges such numbers anew, which is as good, for no event of theirs was
/// taken.
class RefusedNewcomers {
public:
    /// The newest numbers that are remembered, of all together. Then the oldest are forgotten, whoever's they are.
    static constexpr std::size_t limit = 4096;

    struct Newcomer {
        recording::ProducerMark mark;  ///< the last number used
        std::map<std::uint64_t, RefusedNumber> refused;
    };

    [[nodiscard]] const Newcomer* find(std::string_view producer) const {
        const auto known = table_.find(producer);
        return known == table_.end() ? nullptr : &known->second;
    }
    /// Uses a number up, the one after the newcomer's last, or any of a new one or a new epoch.
    void refuse(const std::string& producer, std::uint64_t epoch, RefusedNumber refused);
    /// Believes a newcomer that its numbers up to this one are used up.
    void resume(const std::string& producer, const recording::ProducerMark& mark);
    /// Forgets it; what it was refused with comes back, oldest first.
    [[nodiscard]] std::vector<RefusedNumber> take(std::string_view producer);

private:
    Newcomer& at(const std::string& producer, std::uint64_t epoch);
    void forget_oldest();

    std::map<std::string, Newcomer, std::less<>> table_;
    // Names by the number last noted for them, 0 for none; those that are gone stay until they are the oldest.
    std::deque<std::pair<std::string, std::uint64_t>> order_;
};

}  // namespace fairstream::service
