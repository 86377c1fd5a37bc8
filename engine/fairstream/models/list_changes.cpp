#include <fairstream/models/list_changes.hpp>

#include <vector>

namespace fairstream {

template <class T>
void list_changes(const Window& window, const WindowChange& change, const std::type_identity_t<Journal<T>>& journal,
                  std::type_identity_t<std::span<const T>> outputs, std::span<const std::uint8_t> provisional,
                  StepReport<T>& report, const ChurnRule<T>& rule) {
    const std::size_t listed = journal.slots.size(), written = change.written.size();
    Changes<T>& changes = report.changes;
    changes.departed.resize(written);
    changes.departed_from.resize(written);
    changes.ids.resize(listed);
    changes.before.resize(listed);
    changes.after.resize(listed);
    changes.provisional.resize(provisional.empty() ? 0 : listed);
    // Every entry is written and the index moves on only past a change: a branch on what changed could not be
    // predicted.
    std::size_t arrived = 0, departed = 0, changed = 0, counted = 0;
    for (std::size_t i = 0; i < listed; ++i) {
        const Slot slot = journal.slots[i];
        const PointId id = window.id(slot);
        const T after = outputs[slot];
        T before = journal.before[i];
        if (i < written && change.replaced.ids[i] != id) {
            changes.departed[departed] = change.replaced.ids[i];
            changes.departed_from[departed] = before;
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
    changes.departed_from.resize(departed);
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
    std::vector<std::uint8_t> listed(window.size(), 0);
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

}  // namespace fairstream
