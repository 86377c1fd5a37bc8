#include <algorithm>
#include <array>
#include <stdexcept>

#include <fairstream/fairness/group_metrics.hpp>
#include <fairstream/fairness/measures.hpp>
#include <fairstream/fairness/prediction_fairness.hpp>
#include <fairstream/fairness/score_figures.hpp>
#include <fairstream/figures/words.hpp>
#include <fairstream/models.hpp>
#include <fairstream/models/model_kind.hpp>

namespace fairstream::figures {
namespace {

// A word that begins with * stands for all figures in a table of the engine; one with & stands for the keys of another
// shape.
constexpr auto shapes = std::to_array<Shape>({
    // Parts of reports.
    {"setup", "options input feature_names? threads cpu_level version stopped?"},
    {"preparation", "shape? rows_without? bad_rows? prepare?"},
    {"condition", "late_points scale_renewals drift drift_column"},
    {"attribute",
     "attribute groups? *clusters? cluster_balances? group_shares? cluster_group_counts? cluster_group_weights? "
     "cluster_weights? counts? weights? nearest_balance? nearest_parity?"},
    {"agreement", "class_column class_use classes accuracy nmi ari purity f1 tau_oracle? tau_scanned?"},
    {"scanned_tau", "tau accuracy"},
    {"left_out_group", "attribute group points"},
    {"profile",
     "cluster? points weight? share? balances? shares_by_group? feature_means? feature_dates? feature_deviations? "
     "level_shares? missing_shares? apart?"},
    {"distinction", "column level? statistic here of_all difference"},
    {"clustering",
     "clusters attribute? groups? cost balance? average_balance? best_balance? parity? best_parity? cluster_sizes "
     "cluster_group_counts? cluster_weights? cluster_group_weights? outcome &agreement? missed_targets? "
     "default_target? left_out_groups? attributes? profiles profile_of_all"},
    {"ingest", "churn steps sent ingest_seconds refine_seconds &preparation batch passes window"},
    {"part_figures", "*scores? sampling_intervals? mse? *predictions?"},
    {"part", "points &part_figures before? after? missing_rates?"},
    {"parts", "train? validation? test?"},
    {"split", "column? fractions? seed?"},
    {"curve_point", "kappa? means? c_e? &parts cost? loss? *models? outcome? seconds? on_front"},
    {"curves", "curve_chosen_on? curve? unconstrained? unadjusted?"},
    {"group_rates",
     "group_names? known? points without_outcome weight *rates calibration_error calibration_gap "
     "calibration_gap_interval"},
    {"missing_rate", "rate group_names"},
    {"comparison", "attribute_names *comparisons parity_bound odds_bound by_group"},
    {"groups", "all *largest parity_bound odds_bound comparisons"},
    {"input",
     "file? standardise? unit_range? unit_rows? rows_file? edges_file? nodes_file? generate? points? seed? config?"},
    {"prepare", "columns unit_rows renew_every scale_renewals drift drift_column"},
    {"column",
     "column levels? encoding? hash? dates? date_order? clip? log? scale? mean? deviation? range? missing fill?"},
    {"front_point",
     "cost? normalised_cut? balance? parity? balance_share? parity_share? by_attribute? kmeans_updates? swaps? "
     "balance_at_least? published?"},
    {"picked", "index cost? normalised_cut? balance? parity? balance_share? parity_share? by_attribute? attributes?"},
    {"published",
     "cost? churn outcome iterations *models? points &part_figures? missing_rates? all? *largest? parity_bound? "
     "odds_bound? "
     "comparisons? moves? swaps? rare_groups_left_out? attributes?"},
    {"sample", "sequence sent &published"},
    {"option_state", "value configured live changed"},
    {"model",
     "model kind? every? stepped_at? events_since_step? figures? option_states? mean_churn? steps? moves? swaps? "
     "options? final? samples?"},
    {"run",
     "config events left_out changes_left_out sent seconds points_per_second digest updates update_bytes "
     "from_checkpoint running_hash verified? compared_events? not_recorded_events? differs_from? published_by? models "
     "&condition"},
    {"refusal", "producer reason text"},
    {"unlisted_cells", "column taken_for? cells first"},

    // Reports.
    {"fit clusters",
     "model points features different_points parted_points &clustering points_per_second seconds iterations &ingest "
     "refine_churn moves swaps *models? "
     "front? centres? &setup"},
    {"fit graph", "model points edges &clustering seconds iterations *models? &setup"},
    {"fit scores",
     "model points features attribute groups judged_on seconds cost outcome &parts &curves &ingest *models? split "
     "&setup"},
    {"fit predictions",
     "model points features attribute groups judged_on network solve_seconds seconds outcome &parts &curves &ingest "
     "*models? split &setup"},
    {"fit groups", "model points &groups &setup"},
    {"front",
     "model points edges? features? clusters attribute? groups? attributes? measure left_out_groups front hypervolume "
     "reference_cost? reference_normalised_cut? rounds outcome stopped seconds cpu_seconds picked? &preparation pairs? "
     "iterations_per_pair? rounds_limit stages point_limit gap &setup"},
    {"check configuration", "config valid features models"},
    {"check failed", "recording? config? valid failure"},
    {"check recording",
     "recording valid cpu_level first_sequence last_sequence events batches sent option_changes refinements outcomes "
     "removals bytes events_by_producer checkpoint refused running_hash events_of_unclosed_log recoveries erasures "
     "models "
     "refusals"},
    {"recovery", "version cpu_level differs_from own_updates_from"},
    {"erasure", "from_recording erased erased_at"},
    {"remove", "removed not_retained sequence"},
    {"erase", "recording erased unknown_ids outcomes removals refusals_cleared first_sequence last_sequence"},
    {"salvage", "recording events sent outcomes lost lost_after"},
    {"send",
     "ingest stopped sent answered events acked refused sent_again last_sequence seconds points_per_second late_points "
     "late_before not_retained replaced outcomes_dropped shape unlisted missing_values rows_without bad_rows warnings "
     "failure"},
    {"status",
     "healthy control failure recording recording_id sequence? running_hash? first_sequence? recording_bytes? "
     "bytes_a_day? retained? window? producers? refused? "
     "events_since_start "
     "sent_since_start subscribers activity uncommitted_seconds uptime_seconds version cpu_level &condition "
     "missing_answers models"},
    {"status without an answer", "healthy control failure"},
    {"predict",
     "by model kind sequence fair input points cluster_sizes? score_least? score_mean? score_largest? assignment? "
     "not_nearest? "
     "attributes? balance_without_rare? parity_without_rare? missed_targets? left_out_groups? shape unlisted "
     "missing_values "
     "rows_without bad_rows warnings version"},
    {"refine", "model rounds sequence outcome cost_before cost figures_before figures"},
    {"set", "model option value sequence"},
    {"producer", "producer client epoch producer_sequence last_sequence"},
    {"producer forgotten", "producer sequence"},
    {"replay", "recording recorded_cpu_level cpu_level runs costs_in_one_measure?"},
    {"watch outputs", "line sequence topic_sequence snapshot changes departed model"},
    {"watch fairness", "line sequence &published model"},
    {"watch clusters", "line sequence cluster_sizes centres model"},
    {"watch front", "line sequence front model"},
    {"watch consistency", "line sequence consistent model"},
    {"watch lost events", "line known_until model"},
    {"watch connected", "line sequence recording groups_by_attribute model"},
    {"watch ended", "line sequence in_order model"},
    {"watch condition", "line &condition model"},
});

constexpr auto all_reports = std::to_array<Report>({
    {"fit", "fit clusters", "clustering of points"},
    {"fit", "fit graph", "clustering of a graph"},
    {"fit", "fit scores", "model that gives scores"},
    {"fit", "fit predictions", "model that gives predictions"},
    {"fit", "fit groups", "monitor of groups"},
    {"front", "front", "trade-off between cost and fairness"},
    {"check", "check configuration", "valid configuration"},
    {"check", "check recording", "valid recording"},
    {"check", "check failed", "fault of a configuration or recording"},
    {"send", "send", "totals of the points or outcomes that were sent"},
    {"status", "status", "running engine"},
    {"status", "status without an answer", "engine that does not answer"},
    {"predict", "predict", "summary of the predictions"},
    {"refine", "refine", "cost and figures before and after a refinement"},
    {"set", "set", "changed option, one line each"},
    {"producers", "producer", "producer, one line each"},
    {"producers", "producer forgotten", "forgotten producer"},
    {"remove", "remove", "points removed from the window"},
    {"erase", "erase", "recording made without the erased points"},
    {"replay", "replay", "recording that was run again"},
    {"salvage", "salvage", "readable events of a damaged recording"},
    {"watch", "watch outputs", "line = labels, scores, memberships: changed outputs of points"},
    {"watch", "watch fairness", "line = fairness: figures of the model"},
    {"watch", "watch clusters", "line = clusters: sizes and centres of the clusters"},
    {"watch", "watch front", "line = front: operating points"},
    {"watch", "watch consistency", "line = consistency: the view became exact, or is no longer exact"},
    {"watch", "watch lost events", "line = lost_events: the recording lacks events that were on disk"},
    {"watch", "watch connected", "line = connected: recording of the engine"},
    {"watch", "watch ended", "line = ended: the engine stopped"},
    {"watch", "watch condition", "line = condition: late points and drift"},
});

std::vector<std::string> names_of_figures(std::string_view table) {
    std::vector<std::string> names;
    const auto add = [&](std::string_view name, std::initializer_list<const char*> endings) {
        for (const char* ending : endings) names.push_back(std::string(name) + ending);
    };
    const auto add_all = [&](const auto& figures) {
        for (const auto& figure : figures) add(figure.name, {""});
    };
    if (table == "clusters") add_all(cluster_figures);
    if (table == "scores") add_all(score_figures);
    if (table == "predictions") add_all(prediction_figures);
    if (table == "models")
        for (const ModelKind* kind : model_kinds())
            for (const FigureText& figure : kind->about().figures) add(figure.name, {""});
    if (table == "rates")
        for (const std::string_view name : group_rate_names) add(name, {"", "_interval", "_of"});
    if (table == "comparisons")
        for (const NamedComparison& of : group_comparisons)
            add(of.name, {"_difference", "_interval", "_ratio", "_groups", "_missing"});
    if (table == "largest")
        for (const NamedComparison& of : group_comparisons)
            add("largest_" + std::string(of.name), {"_difference", "_complete"});
    if (names.empty()) throw std::logic_error("no table of figures is called " + std::string(table));
    return names;
}

/// Adds a key. The key is required if at least one mention of it is without `?`.
void add_key(std::vector<ShapeKey>& all, const ShapeKey& key) {
    const auto found = std::ranges::find(all, key.name, &ShapeKey::name);
    if (found == all.end())
        all.push_back(key);
    else
        found->may_be_missing = found->may_be_missing && key.may_be_missing;
}

}  // namespace

std::vector<ShapeKey> keys_of(std::string_view shape) {
    const auto found = std::ranges::find(shapes, shape, &Shape::name);
    if (found == shapes.end()) throw std::logic_error("no shape is called " + std::string(shape));
    std::vector<ShapeKey> keys;
    for (std::size_t from = 0; from < found->keys.size();) {
        const std::size_t end = std::min(found->keys.find(' ', from), found->keys.size());
        std::string_view key = found->keys.substr(from, end - from);
        from = end + 1;
        const bool may_be_missing = key.ends_with('?');
        if (may_be_missing) key.remove_suffix(1);
        if (key.starts_with('*')) {
            for (const std::string& name : names_of_figures(key.substr(1))) add_key(keys, {name, may_be_missing});
            if (key == "*rates")
                for (const std::string_view name : group_rate_names)
                    add_key(keys, {std::string(name) + "_compared", true});
        } else if (key.starts_with('&')) {
            for (const ShapeKey& inner : keys_of(key.substr(1)))
                add_key(keys, {inner.name, may_be_missing || inner.may_be_missing});
        } else {
            add_key(keys, {std::string(key), may_be_missing});
        }
    }
    return keys;
}

std::span<const Report> reports() {
    return all_reports;
}

}  // namespace fairstream::figures
