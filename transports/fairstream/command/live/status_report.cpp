#include <fairstream/command/live/status_report.hpp>

#include <algorithm>
#include <array>

#include <fairstream/base/hexadecimal.hpp>
#include <fairstream/base/printable.hpp>
#include <fairstream/figures/condition.hpp>
#include <fairstream/figures/group_figures.hpp>
#include <fairstream/figures/outcome_text.hpp>
#include <fairstream/figures/score_figures.hpp>
#include <fairstream/figures/value_words.hpp>
#include <fairstream/fit/stages/fit_targets.hpp>
#include <fairstream/targets/figures_without_rare.hpp>
#include <fairstream/text/numbers.hpp>
#include <fairstream/text/table.hpp>
#include <fairstream/zmq/described_options.hpp>

namespace fairstream::command {
namespace {

std::string number_of(std::uint64_t value) {
    return counted(static_cast<std::int64_t>(value));
}
std::string number_of(std::uint64_t value, std::string_view thing) {
    return counted(value, thing);
}

/// Returns "12.3 MB", in the largest unit with a value of at least 1.
std::string bytes_text(std::uint64_t bytes) {
    constexpr std::array units{"kB", "MB", "GB", "TB"};
    double value = static_cast<double>(bytes) / 1e3;
    std::size_t unit = 0;
    for (; value >= 999.95 && unit + 1 < units.size(); ++unit) value /= 1e3;
    return fixed(value, 1) + " " + units[unit];
}

/// Returns "2 d 3 h", "3 h 5 min", "5 min 7 s" or "7 s".
std::string uptime_text(double seconds) {
    const auto whole = static_cast<std::int64_t>(seconds);
    const std::int64_t days = whole / 86400, hours = whole / 3600 % 24, minutes = whole / 60 % 60;
    if (days > 0) return counted(days) + " d " + std::to_string(hours) + " h";
    if (hours > 0) return std::to_string(hours) + " h " + std::to_string(minutes) + " min";
    if (minutes > 0) return std::to_string(minutes) + " min " + std::to_string(whole % 60) + " s";
    return std::to_string(whole) + " s";
}

/// Returns the attributes that a comparison of selection rates uses.
std::string attributes_of(const GroupMetrics& groups, const GroupComparison& comparison) {
    for (const AttributeMetrics& metrics : groups.attributes)
        if (&metrics.demographic_parity == &comparison) return printable(crossed(metrics.attributes));
    return "";
}

/// The targets of a model on its clusters.
struct TargetedAttributes {
    bool is_known = false;          ///< false for a kind of another library, whose targets are unknown here
    std::vector<int> attributes{};  ///< attributes with targets
    bool has_target = false;
};

TargetedAttributes targeted_attributes(const wire::ModelDescription& model, const StreamFormat& format) {
    const std::optional<ModelOptions> options = zmq::described_options(model, format);
    const std::optional<ClusterTargets> targets = options ? fit::targets_of(*options) : std::nullopt;
    if (!targets) return {};
    TargetedAttributes targeted{.is_known = true, .has_target = has_target(*targets, format.attributes.size())};
    if (targeted.has_target) targeted.attributes.assign(targets->attribute.begin(), targets->attribute.end());
    return targeted;
}

/// Returns the balance of each attribute. Attributes without a target come last, and are marked.
std::string balances(const std::vector<wire::AttributeReport>& attributes, const TargetedAttributes& targeted) {
    std::string with_target, others;
    for (std::size_t a = 0; a < attributes.size(); ++a) {
        const bool is_targeted = !targeted.is_known || std::ranges::count(targeted.attributes, static_cast<int>(a)) > 0;
        std::string& list = is_targeted ? with_target : others;
        list += (list.empty() ? "" : ", ") + fixed(attributes[a].balance) + " " + printable(attributes[a].attribute);
    }
    if (with_target.empty()) return others.empty() ? "" : "no target: balance " + others;
    return "balance " + with_target + (others.empty() ? "" : "; no target: " + others);
}

std::string main_fairness(const wire::FairnessReport& figures, const TargetedAttributes& targeted) {
    if (figures.outcome == Outcome::warming) return "";
    if (const ScoreFairness* scores = figures.scores())
        return "parity gap " + fixed(scores->sp) + ", accuracy " + fixed(scores->accuracy);
    if (const PredictionFairness* predictions = figures.predictions())
        return "KS distance " + fixed(predictions->ks) + " (chance " + fixed(predictions->ks_by_chance) + ")";
    if (const GroupMetrics* groups = figures.groups()) {
        const GroupComparison* largest = largest_comparison(*groups, &AttributeMetrics::demographic_parity);
        const std::int64_t all = groups->all.points;
        const double selected = groups->all.rate(GroupRate::selection).value;
        if (all > 0 && (selected == 0 || selected == 1))
            return (selected == 1 ? "all predictions are at least the threshold"
                                  : "all predictions are below the threshold") +
                   std::string(", so groups cannot differ");
        if (largest == nullptr) return "";
        return (is_complete(*groups, parity_comparison) ? "parity difference " : "parity difference at least ") +
               fixed(largest->difference) + " of " + attributes_of(*groups, *largest);
    }
    std::string text = balances(figures.attributes(), targeted);
    if (const std::optional<double> without_rare = figures.figure(balance_without_rare.name))
        text += ", " + fixed(*without_rare) + " without rare groups";
    return text;
}

/// Returns an explanation of a model's row when it contains bad news, or how the model's bounds are kept.
std::string explanation(const ModelStatus& model) {
    if (!model.figures) return "";
    if (const GroupMetrics* groups = model.figures->groups()) return figures::bounds_text(*groups);
    const Outcome outcome = model.figures->outcome;
    std::string text;
    if (outcome != Outcome::converged && outcome != Outcome::iteration_limit)
        text = std::string(to_string(outcome)) + ": " + std::string(figures::meaning_of(outcome));
    const auto add = [&](const std::string& part) {
        if (!part.empty()) text += (text.empty() ? "" : "; ") + part;
    };
    if (figures::leaves_out_rare_groups(*model.figures)) add("its targets leave out rare groups (rare_below)");
    if (const ScoreFairness* scores = model.figures->scores()) add(figures::missing_classes_text(*scores));
    return text;
}

std::string models_table(const EngineStatus& status) {
    std::vector<std::vector<std::string>> rows{
        {"model", "kind", "cost", "fairness", "step", "at event", "events since"}};
    for (const ModelStatus& model : status.models) {
        const wire::ModelDescription& of = model.description;
        const auto behind = events_behind(of, status.description->sequence);
        const auto& figures = model.figures;
        const TargetedAttributes targeted = targeted_attributes(of, status.description->format);
        const bool has_no_target = targeted.is_known && !targeted.has_target;
        const bool has_cost = figures && figures->outcome != Outcome::warming && figures->groups() == nullptr;
        rows.push_back({printable(of.name), printable(of.kind), has_cost ? cost_text(figures->cost) : "-",
                        figures ? main_fairness(*figures, targeted) : "",
                        !figures                       ? "no answer"
                        : figures->groups() != nullptr ? "-"
                        : has_no_target && figures->outcome == Outcome::iteration_limit
                            ? "done"
                            : figures::outcome_text(*figures),
                        of.stepped_at == 0 ? "-" : number_of(of.stepped_at), behind ? number_of(*behind) : "-"});
    }
    std::string text = table(rows, "llrllrr");
    // Explanations stand on separate lines, so that narrow terminals show them.
    for (const ModelStatus& model : status.models)
        if (const std::string what = explanation(model); !what.empty())
            text += "  " + printable(model.description.name) + ": " + what + "\n";
    return text;
}

/// Returns the items on lines of at most `widest` columns. Each line begins with two blanks; a comma follows all items
/// but the last.
std::string wrapped(const std::string& first, const std::vector<std::string>& items, std::size_t widest) {
    std::string text, line = "  " + first;
    for (std::size_t i = 0; i < items.size(); ++i) {
        const std::string item = " " + items[i] + (i + 1 < items.size() ? "," : "");
        if (width(line) + width(item) > widest) {
            text += line + "\n";
            line = std::string(2 + first.size(), ' ');
        }
        line += item;
    }
    return text + line + "\n";
}

/// Returns the options that may change. Options that differ from the configuration come first, and are marked.
std::string options_text(const EngineStatus& status, bool styled, std::size_t widest) {
    std::string changed, rest;
    for (const ModelStatus& model : status.models) {
        const std::string name = printable(model.description.name);
        std::vector<std::string> same;
        for (const wire::OptionState& option : model.description.options) {
            if (!option.live) continue;
            if (option.value == option.configured)
                same.push_back(printable(option.name) + "=" + printable(option.value));
            else
                changed += std::string(styled ? "\x1b[33m" : "") + "* " + name + "." + printable(option.name) + "=" +
                           printable(option.value) + "  (" + printable(option.configured) + " in the configuration)" +
                           (styled ? "\x1b[0m" : "") + "\n";
        }
        if (!same.empty()) rest += wrapped(name + ":", same, widest);
    }
    if (changed.empty() && rest.empty()) return "";
    return "\noptions that may change" + std::string(changed.empty() ? "" : "; * changed since the recording began") +
           "\n" + changed + rest;
}

std::string health_table(const EngineStatus& status) {
    const wire::Health& health = status.health;
    std::vector<std::vector<std::string>> rows;
    const auto& description = status.description;
    rows.push_back({"recording", (description ? printable(description->recording) + "  " : "") + "id " +
                                     hexadecimal(status.recording)});
    if (health.ready) {
        std::string taken;
        if (description)
            taken = "; since the start of the process " + number_of(description->events, "event") + " with " +
                    number_of(description->points, "point");
        rows.push_back({"newest event", number_of(health.sequence) + taken});
        if (health.running_hash != 0) rows.push_back({"running hash", hexadecimal(health.running_hash)});
        if (health.recording_bytes > 0)
            rows.push_back({"size", bytes_text(health.recording_bytes) + "; events from " +
                                        number_of(health.first_sequence) + " on are kept, " +
                                        (health.bytes_a_day ? bytes_text(*health.bytes_a_day) + " more a day"
                                                            : std::string("growth is known after an hour"))});
        const bool has_capacity = description && description->capacity > 0;
        rows.push_back({"retained", number_of(health.retained, "point") +
                                        (has_capacity ? ", at most " + number_of(description->capacity) : "")});
        rows.push_back({"producers", number_of(health.producers) + "; " + number_of(health.refused, "message") +
                                         " refused since the recording began"});
        rows.push_back({"subscribers", number_of(health.subscribers)});
    }
    rows.push_back({"activity", status.is_stuck()
                                    ? health.activity + " for " + uptime_text(health.uncommitted_seconds) +
                                          ": another program has locked the recording, or the disk does not answer"
                                : health.activity.empty() ? "waiting for events"
                                                          : printable(health.activity)});
    for (const std::string& line : {figures::late_text(health.condition), figures::drift_text(health.condition)})
        if (!line.empty()) rows.push_back({"", printable(line)});
    return table(rows, "ll");
}

}  // namespace

std::string status_text(const EngineStatus& status, bool styled, std::size_t widest) {
    const auto style = [&](const char* code, const std::string& text) {
        return styled ? std::string("\x1b[") + code + "m" + text + "\x1b[0m" : text;
    };
    if (!status.failure.empty())
        return status.endpoint + "  " + style("31", "no answer") + "\n  " + printable(status.failure) + "\n";
    const wire::Health& health = status.health;
    std::string text = status.endpoint + "  " +
                       (!health.ready       ? style("31", "not ready")
                        : status.is_stuck() ? style("31", "nothing can be recorded")
                                            : style("32", "healthy")) +
                       ", up " + uptime_text(health.uptime_seconds) + ", fairstream " + printable(health.version) +
                       " (" + printable(health.cpu_level) + ")\n\n" + health_table(status);
    if (!status.models.empty()) text += "\n" + models_table(status) + options_text(status, styled, widest);
    if (!status.missing.empty()) text += "\n" + style("33", printable(status.missing)) + "\n";
    return text;
}

}  // namespace fairstream::command
