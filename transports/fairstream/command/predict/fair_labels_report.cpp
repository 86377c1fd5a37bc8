#include <fairstream/command/predict/fair_labels_report.hpp>

#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include <fairstream/command/console/terminal.hpp>
#include <fairstream/command/fit/fit_targets.hpp>
#include <fairstream/command/report/figures_json.hpp>
#include <fairstream/fairness/measures.hpp>
#include <fairstream/models/safairkm/figures_without_rare.hpp>
#include <fairstream/models/safairkm/target_notes.hpp>
#include <fairstream/models/safairkm/targets_among.hpp>

namespace fairstream::command {

FairLabelsReport::FairLabelsReport(const AskedModel& model, const StreamFormat& format, std::span<const int> attributes,
                                   std::size_t clusters, safairkm::GroupMasses of_window)
    : options_(targets_of(model.options).value_or(safairkm::Options{.parity_at_least = 0})),
      of_window_(std::move(of_window)) {
    for (const int attribute : attributes)
        format_.attributes.push_back(format.attributes[static_cast<std::size_t>(attribute)]);
    tally_ = empty_tally(static_cast<int>(clusters), format_);
}

void FairLabelsReport::add(std::span<const ClusterId> labels, std::span<const GroupId> groups) {
    tally_.add(labels, groups.data());
}

safairkm::Options FairLabelsReport::targets() const {
    return safairkm::targets_among(options_, of_window_, safairkm::group_masses(tally_));
}

std::vector<std::string> FairLabelsReport::missed_targets() const {
    std::vector<std::string> missed;
    for (const safairkm::TargetNote& note : safairkm::missed_targets(targets(), format_, tally_))
        missed.push_back(note.text);
    return missed;
}

void FairLabelsReport::add_to(nlohmann::ordered_json& json) const {
    json["attributes"] = nlohmann::ordered_json::array();
    for (std::size_t a = 0; a < format_.attributes.size(); ++a)
        json["attributes"].push_back(attribute_json(tally_, format_.attributes[a], static_cast<int>(a)));
    json["missed_targets"] = missed_targets();
    json["left_out_groups"] = left_out_json(format_, left_out_groups(targets(), safairkm::group_masses(tally_)));
}

std::string FairLabelsReport::summary() const {
    std::string text;
    for (std::size_t a = 0; a < format_.attributes.size(); ++a) {
        const AttributeFairness fairness = attribute_fairness(tally_, static_cast<int>(a));
        text += "  " + format_.attributes[a].name + ": balance " + fixed(fairness.balance) + " of " +
                fixed(fairness.best_balance) + " that is possible, parity " + fixed(fairness.parity) + "\n";
    }
    std::vector<Figure> without_rare;
    safairkm::add_figures_without_rare(targets(), tally_, 1, without_rare);
    if (!without_rare.empty())
        text += "  without the groups that the targets leave out, " +
                groups_text(left_out_groups(targets(), safairkm::group_masses(tally_)), format_) + ": balance " +
                fixed(without_rare[0].value) + ", parity " + fixed(without_rare[1].value) + "\n";
    return text;
}

}  // namespace fairstream::command
