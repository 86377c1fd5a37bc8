// Choice of the slots that a batch is written to, by the window's policy.

#include <algorithm>
#include <numeric>
#include <vector>

#include <fairstream/data/detail/window_parts.hpp>
#include <fairstream/data/window.hpp>

namespace fairstream {
namespace {

// Look-ups are prefetched this many points ahead, because they miss the near caches.
constexpr std::size_t lookahead = 32;

}  // namespace

// Chooses slots for the batch and updates the ids and the id table. Leaves the rows' slots in `written` and `source`,
// and the slots' former points in `old_ids`.
void Window::choose_slots(const PointBatch& batch) {
    Parts& p = *parts_;
    p.hashes.resize(batch.size());
    for (std::size_t i = 0; i < batch.size(); ++i) p.hashes[i] = p.table.hash(batch.ids[i]);
    p.gaps.clear();
    if (p.has_max_age()) p.ages.take_before(p.earliest_kept_time(p.now), size_, p.gaps);
    if (!replace_oldest(batch)) {
        if (p.keeps_order())
            choose_slots_in_order(batch);
        else
            choose_slots_by_number(batch);
    }
    if (p.has_max_age()) note_times(batch.event_time);
}

// Chooses slots in a window that keeps no order and whose points leave only to make room.
void Window::choose_slots_by_number(const PointBatch& batch) {
    Parts& p = *parts_;
    const std::size_t n = batch.size();
    p.written.resize(n);
    p.source.resize(n);
    p.old_ids.resize(n);
    std::size_t listed = 0;
    const auto list = [&](Slot slot, std::size_t row) {
        p.list(slot, ids_[slot], static_cast<std::uint32_t>(row), listed);
    };
    for (std::size_t i = 0; i < n; ++i) {
        if (i + lookahead < n) p.table.prefetch(p.hashes[i + lookahead]);
        const PointId id = batch.ids[i];
        Slot slot = p.table.find(p.hashes[i], id, ids_);
        const bool retained = slot != IdTable::none;
        if (!retained) {
            slot = slot_for_new_point();
            if (slot == IdTable::none) continue;
        }
        list(slot, i);
        if (retained) continue;
        if (ids_[slot] != no_point) p.table.erase(p.table.hash(ids_[slot]), slot);
        ids_[slot] = id;
        p.table.insert(p.hashes[i], slot);
    }
    p.written.resize(listed);
    p.source.resize(listed);
    p.old_ids.resize(listed);
}

// Chooses slots in a window that keeps the order of its points. The points in the slots of `gaps` are removed first.
// New points then fill these slots. Into slots that remain empty, points move from the last slots.
void Window::choose_slots_in_order(const PointBatch& batch) {
    Parts& p = *parts_;
    const std::size_t n = batch.size();
    // Each gap, each row of the batch, and each slot emptied at the end is listed at most once.
    const std::size_t most = n + 2 * p.gaps.size();
    p.written.resize(most);
    p.source.resize(most);
    p.old_ids.resize(most);
    std::size_t listed = 0;
    const auto list = [&](Slot slot, std::uint32_t row) { p.list(slot, ids_[slot], row, listed); };
    for (std::size_t i = 0; i < p.gaps.size(); ++i) {
        if (i + lookahead < p.gaps.size()) p.table.prefetch(p.table.hash(ids_[p.gaps[i + lookahead]]));
        const Slot slot = p.gaps[i];
        list(slot, no_row);
        p.table.erase(p.table.hash(ids_[slot]), slot);
        p.ages.remove(slot);
        ids_[slot] = no_point;
    }
    std::size_t filled = 0;  // number of gaps filled
    for (std::size_t i = 0; i < n; ++i) {
        if (i + lookahead < n) p.table.prefetch(p.hashes[i + lookahead]);
        const PointId id = batch.ids[i];
        Slot slot = p.table.find(p.hashes[i], id, ids_);
        if (slot == IdTable::none) {
            ++p.seen;
            slot = filled < p.gaps.size() ? p.gaps[filled++] : size_ < capacity_ ? size_++ : p.ages.oldest();
            list(slot, static_cast<std::uint32_t>(i));
            if (ids_[slot] != no_point) {
                p.table.erase(p.table.hash(ids_[slot]), slot);
                p.ages.remove(slot);
            }
            ids_[slot] = id;
            p.table.insert(p.hashes[i], slot);
            p.ages.append(slot);
        } else {
            list(slot, static_cast<std::uint32_t>(i));
        }
    }
    // New points have filled the first gaps; points of the last slots fill the remaining gaps.
    Slot gap_end = static_cast<Slot>(p.gaps.size());
    for (Slot next = static_cast<Slot>(filled); next < gap_end;) {
        const Slot last = size_ - 1;
        if (ids_[last] == no_point) {
            --size_, --gap_end;
            continue;
        }
        const Slot to = p.gaps[next++];
        const bool is_fresh = p.mark[last] < listed && p.written[p.mark[last]] == last;
        const std::uint32_t row = is_fresh ? p.source[p.mark[last]] : no_row;
        list(to, row);
        list(last, no_row);
        if (!is_fresh) p.moved.push_back({last, to});
        p.table.erase(p.table.hash(ids_[last]), last);
        ids_[to] = ids_[last];
        ids_[last] = no_point;
        p.table.insert(p.table.hash(ids_[to]), to);
        p.ages.move(last, to);
        --size_;
    }
    p.written.resize(listed);
    p.source.resize(listed);
    p.old_ids.resize(listed);
    put_emptied_last();
}

void Window::note_times(std::int64_t time) {
    Parts& p = *parts_;
    std::vector<Slot>& taken = p.gaps;
    taken.clear();
    for (std::size_t i = 0; i < p.written.size(); ++i)
        if (p.source[i] != no_row) taken.push_back(p.written[i]);
    p.ages.note_time(taken, time);
}

// Moves emptied slots to the end of the list, keeping the order.
void Window::put_emptied_last() {
    Parts& p = *parts_;
    const std::size_t n = p.written.size();
    if (std::ranges::all_of(p.written, [&](Slot slot) { return slot < size_; })) return;
    std::vector<std::size_t> order;
    for (const bool held : {true, false})
        for (std::size_t i = 0; i < n; ++i)
            if ((p.written[i] < size_) == held) order.push_back(i);
    const auto in_order = [&](auto& column) {
        auto sorted = column;
        for (std::size_t i = 0; i < n; ++i) sorted[i] = column[order[i]];
        column.swap(sorted);
    };
    in_order(p.written);
    in_order(p.source);
    in_order(p.old_ids);
    for (std::size_t i = 0; i < n; ++i) p.mark[p.written[i]] = static_cast<Slot>(i);
}

// Handles the usual case: a full sliding window without points too old, and a batch of new ids. The slots are then
// known beforehand. In any other case returns false and changes nothing.
bool Window::replace_oldest(const PointBatch& batch) {
    Parts& p = *parts_;
    const std::size_t n = batch.size();
    if (p.options.policy != WindowPolicy::sliding || size_ < capacity_ || !p.gaps.empty()) return false;
    for (std::size_t i = 0; i < n; ++i) {
        p.table.prefetch(p.hashes[std::min(i + lookahead, n - 1)]);
        if (p.table.find(p.hashes[i], batch.ids[i], ids_) != IdTable::none) return false;
    }
    p.written.resize(n);
    p.source.resize(n);
    p.old_ids.resize(n);
    std::iota(p.source.begin(), p.source.end(), 0U);
    if (p.keeps_order()) {
        p.ages.renew_oldest(p.written);
    } else {
        for (Slot& slot : p.written) {
            slot = p.oldest;
            p.oldest = p.oldest + 1 == capacity_ ? 0 : p.oldest + 1;
        }
    }
    for (std::size_t i = 0; i < n; ++i) {
        p.table.prefetch(p.table.hash(ids_[p.written[std::min(i + lookahead, n - 1)]]));
        PointId& id = ids_[p.written[i]];
        p.old_ids[i] = id;
        p.table.erase(p.table.hash(id), p.written[i]);
        id = batch.ids[i];
        p.table.insert(p.hashes[i], p.written[i]);
    }
    p.seen += n;
    return true;
}

// Returns the slot of the next new point by the window's policy; `none` if the reservoir passes it over.
Slot Window::slot_for_new_point() {
    Parts& p = *parts_;
    const std::uint64_t number = p.seen++;
    if (p.options.policy == WindowPolicy::sliding) {
        if (size_ < capacity_) return size_++;
        const Slot slot = p.oldest;
        p.oldest = slot + 1 == capacity_ ? 0 : slot + 1;
        return slot;
    }
    // Slots freed by removals are drawn like others.
    const std::uint64_t draw = number < capacity_ ? number : p.random.below_wide(number + 1);
    if (draw >= capacity_) return IdTable::none;
    return draw < size_ ? static_cast<Slot>(draw) : size_++;
}

}  // namespace fairstream
