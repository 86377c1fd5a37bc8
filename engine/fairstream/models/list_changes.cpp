#include <fairstream/models/list_changes.hpp>

namespace fairstream {

void list_changes(const Window& window, const WindowChange& change, const Journal& journal,
                  std::span<const ClusterId> labels, std::span<const std::uint8_t> provisional,
                  StepReport<ClusterId>& report) {
    const std::size_t listed = journal.slots.size(), written = change.written.size();
    Changes<ClusterId>& changes = report.changes;
    changes.departed.resize(written);
    changes.departed_from.resize(written);
    changes.ids.resize(listed);
    changes.before.resize(listed);
    changes.after.resize(listed);
    changes.provisional.resize(provisional.empty() ? 0 : listed);
    // Every place is written and only a change moves on: what changed is anyone's guess, and a branch would be, too.
    std::size_t arrived = 0, departed = 0, changed = 0, relabelled = 0;
    for (std::size_t i = 0; i < listed; ++i) {
        const Slot slot = journal.slots[i];
        const PointId id = window.id(slot);
        const ClusterId after = labels[slot];
        ClusterId before = journal.before[i];
        if (i < written && change.replaced.ids[i] != id) {
            changes.departed[departed] = change.replaced.ids[i];
            changes.departed_from[departed] = before;
            departed += before != no_cluster;
            before = no_cluster;
            ++arrived;
        } else {
            relabelled += before != after;
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
    report.churn = stayed == 0 ? 0 : static_cast<double>(relabelled) / static_cast<double>(stayed);
}

}  // namespace fairstream
