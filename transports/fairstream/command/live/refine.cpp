#include <fairstream/command/live/refine.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <fairstream/base/printable.hpp>
#include <fairstream/command/console/note.hpp>
#include <fairstream/command/console/print.hpp>
#include <fairstream/command/console/stop_signals.hpp>
#include <fairstream/command/live/activity_line.hpp>
#include <fairstream/command/live/described_engine.hpp>
#include <fairstream/figures/json.hpp>
#include <fairstream/figures/outcome_text.hpp>
#include <fairstream/figures/report_text.hpp>
#include <fairstream/files/written/output.hpp>
#include <fairstream/targets/figures_without_rare.hpp>
#include <fairstream/text/numbers.hpp>
#include <fairstream/zmq/control_client.hpp>

namespace fairstream::command {
namespace {

/// The figures of a model before a refinement and after it.
struct RefinementReport {
    Sequence sequence = 0;
    std::optional<wire::FairnessReport> before;  // nothing: the model had not started
    bool is_of_last_step = false;                // `before` describes the last step; points may have arrived since
    wire::FairnessReport after;
};

/// Returns whether a model is better than before: cheaper or more balanced, by more than rounding.
bool is_better(const wire::FairnessReport& now, const wire::FairnessReport& before) {
    constexpr double rounding = 1e-7;
    const auto balance = [](const wire::FairnessReport& report) {
        double sum = 0;
        for (const wire::AttributeReport& each : report.attributes()) sum += each.balance;
        return sum;
    };
    return now.cost < before.cost - rounding * std::abs(before.cost) || balance(now) > balance(before) + rounding;
}

/// Sends refinements until all rounds are made, or nothing improves. The engine ends each refinement at its
/// `step_work_limit`, so that points of other clients wait for one refinement at most.
void refine_until_done(zmq::ControlClient& client, const RefineOptions& options, RefinementReport& refined) {
    // Largest number of successive refinements without gain. A model may need a refinement for each of its starts, by
    // default 10, and one for the search of other basins.
    constexpr int most_without_gain = 12;
    std::int64_t left = options.rounds;
    for (int without_gain = 0; without_gain < most_without_gain;) {
        const std::optional<wire::FairnessReport> before =
            refined.sequence == 0 ? refined.before : std::optional(refined.after);
        refined.sequence = client.refine({options.model, left});
        refined.after = client.report(options.model).fairness;  // the engine answers this after the event
        if (refined.after.outcome != Outcome::iteration_limit) return;
        if (options.rounds > 0) {
            left -= std::max<std::int64_t>(1, refined.after.iterations);
            if (left <= 0) return;
        }
        without_gain = !before || is_better(refined.after, *before) ? 0 : without_gain + 1;
    }
}

RefinementReport refine(zmq::ControlClient& client, const RefineOptions& options) {
    try {
        RefinementReport refined;
        wire::FairnessReport before = client.report(options.model).fairness;
        if (before.outcome != Outcome::warming) refined.before = std::move(before);
        if (const auto engine = engine_description(client))
            refined.is_of_last_step = model_of(*engine, options.model).every > 0;
        refine_until_done(client, options, refined);
        return refined;
    } catch (const zmq::ControlRefused& refusal) {
        if (refusal.reason() == Reason::not_ready) throw std::runtime_error(refusal.what());
        throw InvalidInput(refusal.reason(), refusal.what());
    }
}

std::string as_json(const RefineOptions& options, const RefinementReport& refined) {
    const nlohmann::ordered_json json{
        {"model", options.model},
        {"rounds", options.rounds},
        {"sequence", refined.sequence},
        {"outcome", to_string(refined.after.outcome)},
        {"cost_before", refined.before ? nlohmann::ordered_json(refined.before->cost) : nullptr},
        {"cost", refined.after.cost},
        {"figures_before", refined.before ? figures::figures_json(*refined.before) : nullptr},
        {"figures", figures::figures_json(refined.after)}};
    return figures::report_text(json) + "\n";
}

/// Returns ", balance of sex 0.5360 before, 0.6000 after"; empty for a model without clusters.
std::string balances_text(const RefinementReport& refined) {
    std::string text;
    const std::vector<wire::AttributeReport>& after = refined.after.attributes();
    const std::vector<wire::AttributeReport>& before = refined.before ? refined.before->attributes() : after;
    for (std::size_t i = 0; i < after.size(); ++i)
        text += ", balance of " + printable(after[i].attribute) + " " +
                (refined.before && i < before.size() ? fixed(before[i].balance) + " before, " : "") +
                fixed(after[i].balance) + " after";
    if (const std::optional<double> now = refined.after.figure(balance_without_rare.name)) {
        const auto then = refined.before ? refined.before->figure(balance_without_rare.name) : std::nullopt;
        text += ", without rare groups " + (then ? fixed(*then) + " before, " : "") + fixed(*now) + " after";
    }
    return text;
}

constexpr const char* engine_continues_text =
    "the engine continues and records the refinement; fairstream status shows how far it is";

std::string as_text(const RefineOptions& options, const RefinementReport& refined) {
    if (refined.after.outcome == Outcome::warming)
        return printable(options.model) + " has too few points for a refinement, event " +
               std::to_string(refined.sequence) + "\n";
    return printable(options.model) + " refined " +
           (options.rounds == 0 ? "until nothing improved"
                                : "by " + counted(static_cast<std::uint64_t>(options.rounds), "round") + " at most") +
           ", event " + std::to_string(refined.sequence) + ": cost " +
           (refined.before ? cost_text(refined.before->cost) +
                                 (refined.is_of_last_step ? " before (on the window of its last step), " : " before, ")
                           : "unknown before, ") +
           cost_text(refined.after.cost) + " after" + balances_text(refined) + "; " +
           figures::outcome_text(refined.after) + "\n";
}

}  // namespace

int run_refine(const RefineOptions& options) {
    require_endpoint("--control", options.control);
    const zmq::ControlOptions control = control_options(options.control, options.timeout, options.keys);
    zmq::ControlClient client(control);
    if (const std::optional<wire::Description> engine = awaited_description(client, control))
        static_cast<void>(model_of(*engine, options.model));
    StopSignals signals;
    const RefinementReport refined = [&] {
        const auto handler = signals.on_stop([&] {
            std::fprintf(stderr, "\nfairstream refine: stopped waiting; %s\n", engine_continues_text);
            std::_Exit(signals.exit_code());
        });
        const ActivityLine line("refine", control);
        const EngineWatch watch(
            control,
            [] {
                std::fprintf(stderr,
                             "fairstream refine: the engine was started again meanwhile and no longer knows the "
                             "request; fairstream export --events shows whether the refinement is recorded\n");
                std::_Exit(1);
            },
            [] { print_note("the engine no longer answers; waiting for it"); });
        try {
            return refine(client, options);
        } catch (const zmq::ControlTimeout& timeout) {
            const std::string activity = activity_of(control);
            throw zmq::ControlTimeout(timeout.what() +
                                      (activity.empty()
                                           ? "; the refinement may or may not be made: fairstream status shows it"
                                           : ": the engine is " + printable(activity) +
                                                 "; to wait longer, raise --timeout; " + engine_continues_text));
        }
    }();
    print(options.json ? as_json(options, refined) : as_text(options, refined));
    return 0;
}

}  // namespace fairstream::command
