#pragma once
/// The running hashes after the newest events, to compare with what clients were told.

#include <cstddef>
#include <cstdint>
#include <deque>

#include <fairstream/base/types.hpp>

namespace fairstream::recording {

class RecentHashes {
public:
    /// Those of so many events are kept, in 8 bytes each.
    static constexpr std::size_t most = std::size_t{1} << 20;

    /// `hash` is the running hash after event `sequence`, 0 where it is not known. Unless the event is the one after
    /// the last one added, what was added before is forgotten.
    void add(Sequence sequence, std::uint64_t hash) {
        if (sequence != last_ + 1) hashes_.clear();
        last_ = sequence;
        hashes_.push_back(hash);
        if (hashes_.size() > most) hashes_.pop_front();
    }
    /// The running hash after event `sequence`; 0 where it is not known, not kept, or of no event.
    [[nodiscard]] std::uint64_t after(Sequence sequence) const noexcept {
        if (sequence > last_ || last_ - sequence >= hashes_.size()) return 0;
        return hashes_[hashes_.size() - 1 - (last_ - sequence)];
    }

private:
    Sequence last_ = 0;
    std::deque<std::uint64_t> hashes_;  // the last one is of event `last_`
};

}  // namespace fairstream::recording
