#pragma once
/// The running hashes after the newest events, for comparison with the hashes that clients know.

#include <cstddef>
#include <cstdint>
#include <deque>

#include <fairstream/base/types.hpp>

namespace fairstream::log {

class RecentHashes {
public:
    /// The number of hashes kept, 8 bytes each.
    static constexpr std::size_t most = std::size_t{1} << 20;

    /// Adds the running hash after event `sequence`; 0: unknown. Drops all earlier hashes unless `sequence` directly
    /// follows the last one added.
    void add(Sequence sequence, std::uint64_t hash) {
        if (sequence != last_ + 1) hashes_.clear();
        last_ = sequence;
        hashes_.push_back(hash);
        if (hashes_.size() > most) hashes_.pop_front();
    }
    /// Returns the running hash after event `sequence`; 0 if it is unknown, not kept, or there is no such event.
    [[nodiscard]] std::uint64_t after(Sequence sequence) const noexcept {
        if (sequence > last_ || last_ - sequence >= hashes_.size()) return 0;
        return hashes_[hashes_.size() - 1 - (last_ - sequence)];
    }

private:
    Sequence last_ = 0;
    std::deque<std::uint64_t> hashes_;  // the last one belongs to event `last_`
};

}  // namespace fairstream::log
