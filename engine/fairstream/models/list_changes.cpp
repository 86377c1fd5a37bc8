#include <fairstream/models/list_changes.hpp>

#include <unordered_map>
#include <vector>

namespace fairstream {

namespace {

// Lists the changes of a window if some written slots no longer hold a point, or hold one that moved there.
template <class T> class MovedChanges {
public:
    MovedChanges(const Window& window, const WindowChange& change, const Journal<T>& journal)
        : window_(window), change_(change), before_(journal.before.begin(), journal.before.end()) {
        former_left_.assign(change.written.size(), 1);
        present_stayed_.assign(change.written.size(), 0);
        std::unordered_map<Slot, std::size_t> place;
        for (std::size_t i = 0; i < change.written.size(); ++i) place[change.written[i]] = i;
        for (std::size_t i = 0; i < change.written.size(); ++i) {
            const Slot slot = change.written[i];
            if (slot < window.size() && change.replaced.ids[i] == window.id(slot))
                former_left_[i] = 0, present_stayed_[i] = 1;
            if (change.replaced.ids[i] == no_point) former_left_[i] = 0;
        }
        replaced_outputs_ = before_;
        for (const SlotMove& move : change.moved) {
            const std::size_t from = place.at(move.from), to = place.at(move.to);
            former_left_[from] = 0;
            present_stayed_[to] = 1;
            before_[to] = journal.before[from];
        }
    }

    struct Counts {
        std::size_t arrived = 0, counted = 0;
    };
    // Sets `changes`, and returns how many points arrived and how many changes count in the churn.
    Counts list(const Journal<T>& journal, std::span<const T> outputs, std::span<const std::uint8_t> provisional,
                const ChurnRule<T>& rule, Changes<T>& changes) const {
        Counts counts;
        changes.clear();
        for (std::size_t i = 0; i < journal.slots.size(); ++i) {
            const Slot slot = journal.slots[i];
            const bool is_written = i < change_.written.size();
            if (is_written && former_left_[i] != 0 && replaced_outputs_[i] != absent<T>()) {
                changes.departed.push_back(change_.replaced.ids[i]);
                changes.departed_outputs.push_back(replaced_outputs_[i]);
            }
            if (slot >= window_.size()) continue;
            const bool is_new = is_written && present_stayed_[i] == 0;
            const T before = is_new ? absent<T>() : before_[i], after = outputs[slot];
            counts.arrived += is_new;
            counts.counted += !is_new && rule.counts(before, after);
            if (before == after) continue;
            changes.ids.push_back(window_.id(slot));
            changes.before.push_back(before);
            changes.after.push_back(after);
            if (!provisional.empty()) changes.provisional.push_back(provisional[slot]);
        }
        return counts;
    }

private:
    const Window& window_;
    const WindowChange& change_;
    // By journal entry: the former output of the point now in the slot, and of the point there before.
    std::vector<T> before_, replaced_outputs_;
    // By written slot: whether the point there before left, and whether the present point was retained before.
    std::vector<std::uint8_t> former_left_, present_stayed_;
};

}  // namespace

template <class T>
void list_changes(const Window& window, const WindowChange& change, const std::type_identity_t<Journal<T>>& journal,
                  std::type_identity_t<std::span<const T>> outputs, std::span<const std::uint8_t> provisional,
                  StepReport<T>& report, const ChurnRule<T>& rule) {
    const std::size_t listed = journal.slots.size(), written = change.written.size();
    Changes<T>& changes = report.changes;
    if (!change.moved.empty() || change.occupied_count(window.size()) < written) {
        const auto counts = MovedChanges<T>(window, change, journal).list(journal, outputs, provisional, rule, changes);
        const std::size_t stayed = window.size() - counts.arrived;
        report.churn = stayed == 0 ? 0 : static_cast<double>(counts.counted) / static_cast<double>(stayed);
        return;
    }
    changes.departed.resize(written);
    changes.departed_outputs.resize(written);
    changes.ids.resize(listed);
    changes.before.resize(listed);
    changes.after.resize(listed);
    changes.provisional.resize(provisional.empty() ? 0 : listed);
    // Every entry is written, and the index advances only for a change: a branch would be unpredictable.
    std::size_t arrived = 0, departed = 0, changed = 0, counted = 0;
    for (std::size_t i = 0; i < listed; ++i) {
        const Slot slot = journal.slots[i];
        const PointId id = window.id(slot);
        const T after = outputs[slot];
        T before = journal.before[i];
        if (i < written && change.replaced.ids[i] != id) {
            changes.departed[departed] = change.replaced.ids[i];
            changes.departed_outputs[departed] = before;
            departed += before != absent<T>();
            before = absent<T>();
            ++arrived;
        } else {
            counted += rule.counts(before, after);
        }
        changes.ids[changed] = id;
        changes.before[changed] = before;
        changes.after[changed] = after;
        if (!provisional.empty()) changes.provisional[changed] = provisional[slot];
        changed += before != after;
    }
    changes.departed.resize(departed);
    changes.departed_outputs.resize(departed);
    changes.ids.resize(changed);
    changes.before.resize(changed);
    changes.after.resize(changed);
    if (!provisional.empty()) changes.provisional.resize(changed);
    const std::size_t stayed = window.size() - arrived;
    report.churn = stayed == 0 ? 0 : static_cast<double>(counted) / static_cast<double>(stayed);
}

template <class T> void list_all_changes(const Window& window, const WindowChange& change,
                                         std::type_identity_t<std::span<const T>> before,
                                         std::type_identity_t<std::span<const T>> outputs, StepReport<T>& report,
                                         const ChurnRule<T>& rule) {
    std::vector<Slot> slots(change.written.begin(), change.written.end());
    std::vector<std::uint8_t> listed(window.capacity(), 0);
    for (const Slot slot : slots) listed[slot] = 1;
    for (Slot slot = 0; slot < window.size(); ++slot)
        if (listed[slot] == 0) slots.push_back(slot);
    std::vector<T> journalled;
    for (const Slot slot : slots) journalled.push_back(slot < before.size() ? before[slot] : absent<T>());
    list_changes<T>(window, change, {slots, journalled}, outputs, {}, report, rule);
}

template void list_changes(const Window&, const WindowChange&, const Journal<ClusterId>&, std::span<const ClusterId>,
                           std::span<const std::uint8_t>, StepReport<ClusterId>&, const ChurnRule<ClusterId>&);
template void list_changes(const Window&, const WindowChange&, const Journal<Score>&, std::span<const Score>,
                           std::span<const std::uint8_t>, StepReport<Score>&, const ChurnRule<Score>&);
template void list_all_changes(const Window&, const WindowChange&, std::span<const ClusterId>,
                               std::span<const ClusterId>, StepReport<ClusterId>&, const ChurnRule<ClusterId>&);
template void list_all_changes(const Window&, const WindowChange&, std::span<const Score>, std::span<const Score>,
                               StepReport<Score>&, const ChurnRule<Score>&);

void list_departures(const Window& window, const WindowChange& change, std::span<const ClusterId> labels,
                     Changes<ClusterId>& changes) {
    std::vector<std::uint8_t> is_written(labels.size(), 0);
    const auto depart = [&](PointId id, ClusterId from) {
        if (id == no_point || from == no_cluster) return;
        changes.departed.push_back(id);
        changes.departed_outputs.push_back(from);
    };
    for (std::size_t i = 0; i < change.written.size(); ++i) {
        const Slot slot = change.written[i];
        if (slot >= labels.size()) continue;
        is_written[slot] = 1;
        depart(change.replaced.ids[i], labels[slot]);
    }
    for (Slot slot = 0; slot < window.size() && slot < labels.size(); ++slot)
        if (is_written[slot] == 0) depart(window.id(slot), labels[slot]);
}

}  // namespace fairstream
