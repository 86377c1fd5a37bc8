#include <fairstream/command/fit/fit_scores.hpp>

#include <algorithm>
#include <utility>

#include <fairstream/command/console/note.hpp>
#include <fairstream/command/console/output.hpp>
#include <fairstream/command/console/plot.hpp>
#include <fairstream/command/console/terminal.hpp>
#include <fairstream/command/fit/fit_targets.hpp>
#include <fairstream/command/fit/labelled_points.hpp>
#include <fairstream/command/fit/missed_wishes.hpp>
#include <fairstream/command/fit/model_report.hpp>
#include <fairstream/csv/shown.hpp>
#include <fairstream/models/partial_fair_scorer/partial_fair_scorer.hpp>
#include <fairstream/text/numbers.hpp>

namespace fairstream::command {
namespace {

/// Refuses bad options before a long file is read.
void check_scores_use(const FitOptions& options, const ModelOptions& model) {
    check_labelled_input(options);
    if (options.curve) (void)read_curve(*options.curve, model);
    if (!options.plot.empty()) check_plot_file("--plot", options.plot);
}

void require_both_classes(const csv::Table& training) {
    const auto positives = std::ranges::count_if(training.targets, [](double target) { return target > 0; });
    const auto n = static_cast<std::ptrdiff_t>(training.size());
    if (positives > 0 && positives < n) return;
    throw InvalidInput(Reason::not_ready, "the targets of all " + counted(n) + " training points are " +
                                              (positives == 0 ? "0 or below, so that none is positive"
                                                              : "above 0, so that none is negative") +
                                              ": a model of scores learns from both; --positive VALUE says which "
                                              "value of the target means yes");
}

/// Says where all points of the part that judges get the same decision.
void note_one_decision(const ModelOptions& model, const FittedScorer& scorer) {
    const auto* const options = model.get_if<partial_fair_scorer::Options>();
    if (options == nullptr) return;
    const double threshold = options->threshold;
    const csv::Part part = last_part(scorer.fairness);
    const std::vector<Score>& scores = at(scorer.scores, part);
    const auto above = std::ranges::count_if(scores, [&](Score score) { return score > threshold; });
    if (above > 0 && above < static_cast<std::ptrdiff_t>(scores.size())) return;
    const auto [least, most] = std::ranges::minmax(scores);
    print_note("all " + counted(scores.size(), "score") + " of " + std::string(part_name(part)) + ", from " +
               brief(least) + " to " + brief(most) + ", are " + (above == 0 ? "at most" : "above") +
               " threshold=" + brief(threshold) + ", so that every decision is " + (above == 0 ? "no" : "yes") +
               ": figures at the threshold say nothing; --set threshold=X moves it");
}

/// Names the groups that lack a class in the part that judges.
void note_missing_classes(const PartFairness& fairness, const Attribute& compared) {
    const csv::Part part = last_part(fairness);
    const auto note = [&](const std::vector<std::string>& groups, const char* what) {
        for (const std::string& group : groups)
            print_note("no point of " + csv::shown(group) + " of " + csv::shown(compared.name) + " in " +
                       std::string(part_name(part)) + " is " + what + " nothing of it");
    };
    note(at(fairness, part)->without_positives, "positive: eop and eod say");
    note(at(fairness, part)->without_negatives, "negative: eod says");
}

/// Says whether kappa bounds a figure that lacks a class among the training points.
bool bounds_missing_class(const ModelOptions& model, const std::optional<ScoreFairness>& training) {
    const auto* const options = model.get_if<partial_fair_scorer::Options>();
    if (options == nullptr || !training) return false;
    const bool lacks_positives = !training->without_positives.empty();
    const bool lacks_a_class = lacks_positives || !training->without_negatives.empty();
    return (is_of_classes(options->metric) && lacks_a_class) || (is_of_positives(options->metric) && lacks_positives);
}

}  // namespace

int fit_scores(const FitOptions& given, const ModelOptions& model, StopSignals& signals) {
    check_scores_use(given, model);
    FitOptions options = given;
    options.input.split_seed = given.seed.value_or(options.input.split_seed);
    const LabelledPoints points = load_labelled_points(options, model);
    FitStop stop(signals);
    require_both_classes(points.training);
    ScoreFit fit;
    fit.attributes = points.attributes;
    fit.dimensions = points.dimensions;
    SavedFit saved;
    {
        Progress progress("fitting " + options.input.name());
        FitFigures figures;
        if (!options.save.empty()) figures.saved = &saved;
        Engine engine = trained(options, model, points.training, stop, stop.shown_by(progress), figures);
        fit.retained = engine.window().size();
        fit.window = engine.window().capacity();
        fit.preparation = engine.preparation();
        fit.scorer = fitted(options, engine, points.parts, figures);
        if (!options.save.empty()) saved.keep_state(engine, stop.stopped());
    }
    if (options.curve) {
        Progress progress("curve of " + options.input.name());
        fit.curve = fit_curve(options, model, read_curve(*options.curve, model), points.training, points.parts, stop,
                              stop.shown_by(progress));
    }
    fit.scorer.figures.stopped = stop.stopped();
    const auto writing = signals.poll_for_stop();
    if (!options.plot.empty())
        write_file(options.plot,
                   curve_plot(options.plot,
                              plot_title(options, size_of(points.parts), "accuracy and fairness of " + options.model),
                              *fit.curve));
    if (!options.scores.empty()) write_part_scores(options.scores, "score", points.parts, fit.scorer.scores);
    write_config(options, model, static_cast<Slot>(fit.window));
    if (!options.save.empty()) saved.write(options);
    write_report(options, scores_json(options, model, fit), scores_summary(options, model, fit));
    note_one_decision(model, fit.scorer);
    note_missing_classes(fit.scorer.fairness, compared(model, fit));
    if (const int judged = judge_wish(missed_kappa(options, model, fit.scorer)); stop.stopped() || judged != 0)
        return stop.stopped() ? stopped_early : judged;
    return bounds_missing_class(model, at(fit.scorer.fairness, csv::Part::training)) ? met_in_part : 0;
}

}  // namespace fairstream::command
