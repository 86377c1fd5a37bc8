#include <fairstream/command/predict/fair_labels_report.hpp>

#include <algorithm>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include <fairstream/fairness/measures.hpp>
#include <fairstream/figures/json.hpp>
#include <fairstream/figures/target_report.hpp>
#include <fairstream/files/cells/shown.hpp>
#include <fairstream/fit/stages/fit_targets.hpp>
#include <fairstream/targets/figures_without_rare.hpp>
#include <fairstream/targets/target_notes.hpp>
#include <fairstream/targets/targets_among.hpp>
#include <fairstream/text/numbers.hpp>

namespace fairstream::command {

FairLabelsReport::FairLabelsReport(const AskedModel& model, const StreamFormat& format, std::span<const int> attributes,
                                   std::size_t clusters, AskedEngine::Retained retained)
    : stream_format_(format),
      attributes_(attributes.begin(), attributes.end()),
      options_(fit::targets_of(model.options).value_or(ClusterTargets{{.parity_at_least = 0}})),
      window_masses_(std::move(retained.masses)),
      weight_unit_(retained.weight_unit),
      with_retained_(std::move(retained.labelled)) {
    for (const int attribute : attributes_)
        format_.attributes.push_back(format.attributes[static_cast<std::size_t>(attribute)]);
    tally_ = nearest_ = empty_tally(static_cast<int>(clusters), format_);
}

void FairLabelsReport::add(std::span<const ClusterId> labels, std::span<const GroupId> groups,
                           std::span<const ClusterId> nearest) {
    tally_.add(labels, groups.data());
    nearest_.add(nearest, groups.data());
    points_ += labels.size();
    std::vector<GroupId> all(stream_format_.attributes.size());  // attributes that stay 0 are in no figure
    for (std::size_t i = 0; i < labels.size(); ++i) {
        not_nearest_ += labels[i] != nearest[i] ? 1 : 0;
        for (std::size_t a = 0; a < attributes_.size(); ++a)
            all[static_cast<std::size_t>(attributes_[a])] = groups[i * attributes_.size() + a];
        if (with_retained_ && labels[i] < with_retained_->clusters())
            with_retained_->add(labels[i], all.data(), weight_unit_);
    }
}

bool FairLabelsReport::has_enough_points() const {
    return can_meet_among(options_, window_masses_, group_masses(tally_));
}

std::vector<TargetNote> FairLabelsReport::missed_targets(const ClusterTargets& targets) const {
    return fairstream::missed_targets(targets, format_, tally_.without_empty_clusters());
}

ClusterTargets FairLabelsReport::targets() const {
    const GroupMasses masses = group_masses(tally_);
    ClusterTargets of_all = targets_among(options_, window_masses_, masses, GroupsAmong::all);
    if (missed_targets(of_all).empty()) return of_all;
    ClusterTargets kept = targets_among(options_, window_masses_, masses, GroupsAmong::common);
    if (!missed_targets(kept).empty()) return kept;
    for (const int group : of_all.named_groups) {
        if (std::ranges::count(kept.named_groups, group) > 0) continue;
        ClusterTargets with = with_group(kept, group);
        if (missed_targets(with).empty()) kept = std::move(with);
    }
    return kept;
}

std::vector<TargetNote> FairLabelsReport::missed_targets() const {
    if (has_enough_points()) return missed_targets(targets());
    if (!with_retained_) return {};
    return fairstream::missed_targets(options_, stream_format_, *with_retained_, weight_unit_);
}

bool FairLabelsReport::has_no_known_group() const {
    const GroupMasses masses = group_masses(tally_);
    for (std::size_t a = 0; a < format_.attributes.size(); ++a)
        if (std::ranges::any_of(masses.of(a), [](double mass) { return mass > 0; })) return false;
    return true;
}

void FairLabelsReport::add_to(nlohmann::ordered_json& json) const {
    json["assignment"] = has_enough_points() ? "together" : "one by one";
    json["not_nearest"] = not_nearest_;
    json["attributes"] = nlohmann::ordered_json::array();
    const FairnessTally of_used = tally_.without_empty_clusters();
    for (std::size_t a = 0; a < format_.attributes.size(); ++a) {
        const int index = static_cast<int>(a);
        nlohmann::ordered_json figures = figures::attribute_json(of_used, format_.attributes[a], index);
        const nlohmann::ordered_json all = figures::attribute_json(tally_, format_.attributes[a], index);
        for (const char* const by_cluster : {"cluster_balances", "cluster_group_counts"})
            figures[by_cluster] = all[by_cluster];
        const AttributeFairness nearest = attribute_fairness(nearest_.without_empty_clusters(), index);
        figures["nearest_balance"] = nearest.balance;
        figures["nearest_parity"] = nearest.parity;
        json["attributes"].push_back(std::move(figures));
    }
    for (const Figure& figure : without_rare_figures()) json[std::string(figure.name)] = figure.value;
    json["missed_targets"] = figures::missed_json(missed_targets());
    json["left_out_groups"] = figures::left_out_json(has_enough_points() ? format_ : stream_format_, left_out());
}

std::vector<LeftOutGroup> FairLabelsReport::left_out() const {
    return has_enough_points() ? left_out_groups(targets(), group_masses(tally_))
                               : left_out_groups(options_, window_masses_);
}

std::vector<Figure> FairLabelsReport::without_rare_figures() const {
    std::vector<Figure> figures;
    if (!has_enough_points()) return figures;
    add_figures_without_rare(targets(), tally_.without_empty_clusters(), 1, figures);
    return figures;
}

std::string FairLabelsReport::summary_with_retained() const {
    std::string text;
    for (std::size_t a = 0; a < attributes_.size() && with_retained_; ++a) {
        const AttributeFairness fairness = attribute_fairness(*with_retained_, attributes_[a]);
        text += "  " + format_.attributes[a].name + ": balance " + fixed_down(fairness.balance) + ", parity " +
                fixed_down(fairness.parity) + " together with the model's own points\n";
    }
    return text;
}

std::string FairLabelsReport::summary() const {
    std::string text = "  " + counted(static_cast<std::int64_t>(not_nearest_)) + " of " + counted(points_, "point") +
                       " not in the nearest cluster\n";
    if (!has_enough_points()) return text + summary_with_retained();
    const FairnessTally of_used = tally_.without_empty_clusters();
    if (of_used.clusters() < tally_.clusters())
        text += "  " + counted(of_used.clusters()) + " of " + counted(tally_.clusters(), "cluster") +
                " have a point; the figures describe these clusters\n";
    for (std::size_t a = 0; a < format_.attributes.size(); ++a) {
        const AttributeFairness fairness = attribute_fairness(of_used, static_cast<int>(a));
        const AttributeFairness nearest = attribute_fairness(nearest_.without_empty_clusters(), static_cast<int>(a));
        text += "  " + format_.attributes[a].name + ": balance " + fixed_down(fairness.balance) + " of " +
                fixed_down(fairness.best_balance) + " possible, parity " + fixed_down(fairness.parity) +
                "; in the nearest clusters balance " + fixed_down(nearest.balance) + ", parity " +
                fixed_down(nearest.parity) + "\n";
    }
    if (const std::vector<Figure> without_rare = without_rare_figures(); !without_rare.empty())
        text += "  without the groups that the targets leave out, " + figures::groups_text(left_out(), format_) +
                ": balance " + fixed(without_rare[0].value) + ", parity " + fixed(without_rare[1].value) + "\n";
    return text;
}

}  // namespace fairstream::command
