/// Net changes of an event that came in pieces, against a model that keeps the outputs before and after.

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <rapidcheck/gtest.h>  // needs the first

#include <map>
#include <ostream>
#include <vector>

#include <fairstream/core/detail/merge_changes.hpp>

namespace fairstream::core {
namespace {

struct Output {
    int value = 0;
    bool provisional = false;
    friend std::ostream& operator<<(std::ostream& out, const Output& output) {
        return out << output.value << (output.provisional ? "?" : "");
    }
};
/// The outputs of the retained points. Few ids and values, so that points leave, come back and change back.
using View = std::map<PointId, Output>;

rc::Gen<View> view() {
    constexpr std::size_t ids = 6;
    constexpr int gone = 0;  // what outputs shrink to
    const auto output = rc::gen::build<Output>(rc::gen::set(&Output::value, rc::gen::inRange(gone, 4)),
                                               rc::gen::set(&Output::provisional, rc::gen::arbitrary<bool>()));
    return rc::gen::map(rc::gen::container<std::vector<Output>>(ids, output), [](const std::vector<Output>& outputs) {
        View retained;
        for (std::size_t id = 0; id < outputs.size(); ++id)
            if (outputs[id].value != gone) retained[id] = outputs[id];
        return retained;
    });
}

template <class T> T output_at(const View& view, PointId id) {
    const auto at = view.find(id);
    return at == view.end() ? absent<T>() : static_cast<T>(at->second.value);
}

template <class T> Changes<T> difference(const View& before, const View& after, bool with_marks) {
    Changes<T> changes;
    for (const auto& [id, output] : before)
        if (!after.contains(id)) {
            changes.departed.push_back(id);
            changes.departed_outputs.push_back(static_cast<T>(output.value));
        }
    for (const auto& [id, output] : after)
        if (output_at<T>(before, id) != static_cast<T>(output.value)) {
            changes.ids.push_back(id);
            changes.before.push_back(output_at<T>(before, id));
            changes.after.push_back(static_cast<T>(output.value));
            if (with_marks) changes.provisional.push_back(output.provisional);
        }
    return changes;
}

/// A row of changes; for a departed point `after` is absent.
template <class T> struct Row {
    T before, after;
    bool provisional;
    bool operator==(const Row&) const = default;
};
template <class T> std::map<PointId, Row<T>> rows(const Changes<T>& changes) {
    RC_ASSERT(changes.departed.size() == changes.departed_outputs.size());
    RC_ASSERT(changes.ids.size() == changes.before.size() && changes.ids.size() == changes.after.size());
    RC_ASSERT(changes.provisional.empty() || changes.provisional.size() == changes.ids.size());
    std::map<PointId, Row<T>> all;
    for (std::size_t i = 0; i < changes.departed.size(); ++i)
        RC_ASSERT(all.try_emplace(changes.departed[i], Row<T>{changes.departed_outputs[i], absent<T>(), false}).second);
    for (std::size_t i = 0; i < changes.ids.size(); ++i) {
        const bool mark = !changes.provisional.empty() && changes.provisional[i] != 0;
        RC_ASSERT(all.try_emplace(changes.ids[i], Row<T>{changes.before[i], changes.after[i], mark}).second);
    }
    return all;
}

template <class T> void merged_pieces_are_the_net_change() {
    const auto views = *rc::gen::nonEmpty(rc::gen::container<std::vector<View>>(view()));
    const auto with_marks = *rc::gen::container<std::vector<bool>>(views.size(), rc::gen::arbitrary<bool>());
    Changes<T> total;
    std::map<PointId, bool> marks;  // from the last piece that lists the point
    for (std::size_t i = 1; i < views.size(); ++i) {
        const Changes<T> piece = difference<T>(views[i - 1], views[i], with_marks[i]);
        for (const auto& [id, row] : rows(piece)) marks[id] = row.provisional;
        merge_changes(total, piece);
    }
    auto expected = rows(difference<T>(views.front(), views.back(), false));
    for (auto& [id, row] : expected) row.provisional = marks[id];
    RC_ASSERT((rows(total) == expected));
}

RC_GTEST_PROP(MergeChanges, OfLabelsGiveTheNetChange, ()) {
    merged_pieces_are_the_net_change<ClusterId>();
}
RC_GTEST_PROP(MergeChanges, OfScoresGiveTheNetChange, ()) {
    merged_pieces_are_the_net_change<Score>();
}

}  // namespace
}  // namespace fairstream::core
