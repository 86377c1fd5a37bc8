#include <numeric>
#include <span>
#include <vector>

#include <fairstream/models/safairkm/fair_labels.hpp>
#include <fairstream/models/safairkm/safairkm.hpp>
#include <fairstream/models/safairkm/target_notes.hpp>
#include <fairstream/models/safairkm/targets_among.hpp>

namespace fairstream::safairkm {

void Model::assign_together(const Options& options, const State& state, const StreamFormat& format, ConstRows rows,
                            std::span<const GroupId> groups, std::span<ClusterId> out) {
    if (!state.started || out.empty() || format.attributes.empty()) return predict(options, state, rows, out);
    StreamFormat of_points{.dimensions = static_cast<std::uint32_t>(rows.size() / out.size())};
    for (const int attribute : options.attribute)
        of_points.attributes.push_back(format.attributes[static_cast<std::size_t>(attribute)]);
    Window window(of_points, {.capacity = static_cast<Slot>(out.size())});
    std::vector<PointId> ids(out.size());
    std::iota(ids.begin(), ids.end(), PointId{0});
    window.apply({.ids = ids, .features = rows, .groups = groups});
    const GroupMasses of_window = group_masses(state.tally, state.weight_unit()), masses = group_masses(window);
    const Options of_all = targets_among(options, of_window, masses, GroupsAmong::all);
    if (!has_target(of_all, of_points.attributes.size())) return predict(options, state, rows, out);
    const FairLabels fair(of_all, window);
    const std::vector<ClusterId> labels =
        fair.as_far_as_possible(state.centres, targets_among(options, of_window, masses, GroupsAmong::common));
    for (Slot slot = 0; slot < window.size(); ++slot) out[window.id(slot)] = labels[slot];
}

}  // namespace fairstream::safairkm
