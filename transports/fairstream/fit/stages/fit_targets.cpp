#include <fairstream/fit/stages/fit_targets.hpp>

#include <algorithm>
#include <deque>
#include <nlohmann/json.hpp>
#include <numeric>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

#include <fairstream/base/option_fields.hpp>
#include <fairstream/figures/target_report.hpp>
#include <fairstream/files/cells/shown.hpp>
#include <fairstream/input/input.hpp>
#include <fairstream/models/lord/lord.hpp>
#include <fairstream/models/model_kind.hpp>
#include <fairstream/options.hpp>
#include <fairstream/targets/demands.hpp>
#include <fairstream/targets/figures_without_rare.hpp>
#include <fairstream/text/numbers.hpp>

namespace fairstream::fit {
namespace {

/// Returns the note as text. For a default target, the text says so.
std::string target_note_text(const TargetNote& note, const ClusterTargets& options, const StreamFormat& format) {
    const std::string by_default = figures::default_target_text(options, format);
    return note.text + (note.option == "parity_at_least" && !by_default.empty() ? " (" + by_default + ")" : "");
}

/// Returns the rows of the table that a sliding window retains. A repeated id replaces its point in place.
std::vector<std::size_t> retained_rows(const files::Table& table, std::size_t capacity) {
    std::unordered_map<PointId, std::size_t> row_of;
    std::deque<PointId> oldest_first;
    for (std::size_t row = 0; row < table.size(); ++row) {
        const auto [there, is_new] = row_of.insert_or_assign(table.ids[row], row);
        if (!is_new) continue;
        oldest_first.push_back(there->first);
        if (row_of.size() <= capacity) continue;
        row_of.erase(oldest_first.front());
        oldest_first.pop_front();
    }
    std::vector<std::size_t> rows;
    for (const auto& [id, row] : row_of) rows.push_back(row);
    return rows;
}

}  // namespace

std::optional<ClusterTargets> targets_of(const ModelOptions& model) {
    return model.kind().targets(model);
}

void require_groups_for(const ModelOptions& model, const std::vector<Attribute>& attributes) {
    const std::string_view option = model.kind().group_option(model);
    if (!attributes.empty() || option == attribute_option) return files::require_groups(attributes);
    if (!option.empty())
        throw InvalidInput(Reason::bad_option, std::string(option) + " needs groups: name their column with --group");
}

GroupTotals retained_totals(const files::Table& table, std::size_t capacity) {
    GroupTotals totals;
    for (const Attribute& attribute : table.format.attributes) totals.emplace_back(attribute.groups.size());
    const std::size_t a = totals.size();
    for (const std::size_t row : retained_rows(table, capacity))
        for (std::size_t i = 0; i < a; ++i) ++totals[i][table.groups[row * a + i]];
    return totals;
}

std::vector<TargetNote> warn_of_targets(const ClusterTargets& options, const StreamFormat& format,
                                        const GroupTotals& totals, std::int64_t points, Listener& listener) {
    std::vector<TargetNote> notes = unattainable_targets(options, format, totals, points);
    for (const TargetNote& note : notes) listener.warn(target_note_text(note, options, format));
    const auto groups = left_out_groups(options, group_masses(totals, format.attributes));
    if (!groups.empty()) listener.note(figures::left_out_text(options, format, groups));
    return notes;
}

std::vector<TargetNote> warn_of_targets(const ClusterTargets& options, const files::Table& table, std::size_t capacity,
                                        Listener& listener) {
    // The check counts points, which proves nothing about weights. Targets missed by weight are reported after the
    // clustering.
    if (table.format.has_weights) return {};
    return warn_of_targets(options, table.format, retained_totals(table, capacity),
                           static_cast<std::int64_t>(retained_rows(table, capacity).size()), listener);
}

namespace {

/// Notes that points of small and unknown groups are counted with the largest group, if they are too few for fair
/// shares of their own.
void note_joined_groups(const lord::Options& options, const StreamFormat& format, const GroupTotals& totals,
                        const std::vector<LeftOutGroup>& small, Listener& listener) {
    const auto a = static_cast<std::size_t>(options.targets.attribute[0]);
    const Attribute& attribute = format.attributes[a];
    const std::span<const std::int64_t> known = std::span(totals[a]).first(attribute.known_groups());
    std::int64_t left = std::accumulate(totals[a].begin() + static_cast<std::ptrdiff_t>(known.size()), totals[a].end(),
                                        std::int64_t{0});
    for (const LeftOutGroup& group : small) left += group.points;
    const auto largest = std::ranges::max_element(known);
    if (left == 0 || static_cast<double>(left) >= options.small_below ||
        static_cast<double>(*largest) < options.small_below)
        return;
    listener.note(counted(left, "point") + " of small or unknown groups " + (left == 1 ? "is" : "are") +
                  " counted with " + files::shown(attribute.groups[static_cast<std::size_t>(largest - known.begin())]) +
                  ", the largest group of " + files::shown(attribute.name) +
                  ", so fair shares of this group alone are met only approximately: --set small_below=0 gives each "
                  "group fair shares of its own");
}

}  // namespace

void note_groups_without_shares(const ModelOptions& model, const StreamFormat& format, const FairnessTally& tally,
                                Listener& listener) {
    const auto* const options = model.get_if<lord::Options>();
    if (options == nullptr || options->fair != lord::Fair::proportional || format.attributes.empty()) return;
    const GroupTotals totals = group_totals(tally);
    std::vector<LeftOutGroup> small;
    for (const int attribute : options->targets.attribute) {
        const auto a = static_cast<std::size_t>(attribute);
        for (std::size_t g = 0; g < format.attributes[a].known_groups(); ++g)
            if (totals[a][g] > 0 && static_cast<double>(totals[a][g]) < options->small_below)
                small.push_back({attribute, static_cast<GroupId>(g), totals[a][g]});
    }
    if (!small.empty())
        listener.note("groups without fair shares of their own, with fewer than " + number_text(options->small_below) +
                      " points (small_below): " + figures::groups_text(small, format));
    if (options->targets.attribute.size() == 1) note_joined_groups(*options, format, totals, small, listener);
}

void note_empty_clusters(const FairnessTally& tally, Listener& listener) {
    constexpr std::size_t most_named = 6;
    std::vector<std::string> empty;
    for (ClusterId l = 0; l < static_cast<ClusterId>(tally.clusters()); ++l)
        if (tally.size(l) == 0) empty.push_back(std::to_string(l));
    if (!empty.empty())
        listener.note((empty.size() == 1 ? "cluster " : "clusters ") + files::first_few(empty, most_named) +
                      (empty.size() == 1 ? " has no point" : " have no points"));
}

void warn_of_nearly_equal_memberships(const ModelOptions& model, std::span<const Figure> figures, Listener& listener) {
    constexpr double nearly = 0.01;  // part of the way from equal probabilities to certain ones
    const std::optional<double> diagonal = value_of(figures, "block_diagonality"), tau = value_of(figures, "tau");
    const double level = 1 / static_cast<double>(std::max<std::size_t>(cluster_count(model), 1));
    if (!has_memberships(model) || !diagonal || level == 1 || *diagonal - level >= nearly * (1 - level)) return;
    const std::string remedy =
        tau && *tau < 1 ? "; a larger tau makes probabilities sharper; tau is " + fixed(*tau, 3) : std::string();
    listener.warn("labels mean little: for each point all clusters are almost equally probable (block_diagonality " +
                  fixed(*diagonal, 4) + ", where " + fixed(level, 4) +
                  " means equal probabilities and 1 means certain ones)" + remedy);
}

std::vector<std::string> targets_row(const ModelOptions& model, const StreamFormat& format,
                                     const FairnessTally& tally) {
    const std::optional<ClusterTargets> options = targets_of(model);
    if (!options || !has_target(*options, format.attributes.size())) return {};
    const auto rare = left_out_groups(*options, group_masses(tally));
    std::string about = figures::default_target_text(*options, format);
    // The figures above in the report include these groups, and could look like a missed target.
    if (!rare.empty()) about = "left out: " + figures::groups_text(rare, format) + (about.empty() ? "" : "; ") + about;
    const std::string met = rare.empty() ? "met" : "met without rare groups";
    return {"targets", missed_targets(*options, format, tally).empty() ? met : "missed", about};
}

void note_price_of_fairness(const ModelOptions& model, const StreamFormat& format, const std::vector<Figure>& figures,
                            Listener& listener) {
    const std::optional<ClusterTargets> options = targets_of(model);
    const Figure* const price = find_named(figures, std::string_view("price_of_fairness"));
    if (!options || price == nullptr) return;
    constexpr int few = 3;
    const auto starts_of = [](const ModelOptions& of) { return find_option(list_options(of), "starts")->value; };
    if (const int starts = std::stoi(starts_of(model)); starts <= few)
        listener.note("plain_cost and price_of_fairness come from " + counted(starts, "start") +
                      ", and both costs may be far above the minimum: more than " + std::to_string(few) +
                      " starts make them comparable (default " + starts_of(default_options(model.kind().name())) + ")");
    if (!(price->value > 1)) return;
    const std::optional<double> parity = default_parity(*options, format);
    if (!parity) return;
    listener.note("the default target parity_at_least=" + number_text(*parity) + " makes the cost " +
                  (price->value < 1e6 ? fixed(1 + price->value, 1) : brief(1 + price->value)) +
                  " times the cost without a target: fairstream front shows the cost of lower targets, and --set "
                  "parity_at_least=0 sets no target");
}

int exit_code_of_met_targets(const std::vector<LeftOutGroup>& left_out) {
    // A group without points misses nothing.
    const bool has_points = std::ranges::any_of(left_out, [](const LeftOutGroup& group) { return group.points > 0; });
    return has_points ? met_in_part : 0;
}

Judgement judge_targets(const ClusterTargets& options, const StreamFormat& format, const FairnessTally& tally,
                        const std::vector<TargetNote>& warned) {
    Judgement judgement;
    const std::vector<TargetNote> missed = missed_targets(options, format, tally);
    for (const TargetNote& note : missed) {
        const bool was_noted = std::ranges::any_of(warned, [&](const TargetNote& earlier) {
            return earlier.option == note.option && earlier.attribute == note.attribute;
        });
        if (!was_noted) judgement.missed.push_back("target missed: " + target_note_text(note, options, format));
    }
    judgement.code =
        missed.empty() ? exit_code_of_met_targets(left_out_groups(options, group_masses(tally))) : target_missed;
    return judgement;
}

void add_figures_without_targets(const ModelOptions& model, const FairnessTally& tally, std::vector<Figure>& figures) {
    std::optional<ClusterTargets> options = targets_of(model);
    if (!options || tally.attributes() == 0 || !demanded_attributes(*options, group_masses(tally)).empty()) return;
    options->parity_at_least = 1;  // a group is too rare only for a target, so this sets one
    add_figures_without_rare(*options, tally, 1, figures);
}

void add_targets(const ModelOptions& model, const StreamFormat& format, const FairnessTally& tally,
                 nlohmann::ordered_json& json) {
    const std::optional<ClusterTargets> options = targets_of(model);
    if (!options) return;
    json["missed_targets"] = figures::missed_json(missed_targets(*options, format, tally));
    const std::optional<double> by_default = default_parity(*options, format);
    json["default_target"] =
        by_default ? nlohmann::ordered_json("parity_at_least=" + number_text(*by_default)) : nlohmann::ordered_json();
    json["left_out_groups"] = figures::left_out_json(format, left_out_groups(*options, group_masses(tally)));
}

}  // namespace fairstream::fit
