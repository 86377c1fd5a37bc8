#include <fairstream/fit/outputs/fit_scores.hpp>

#include <algorithm>
#include <utility>

#include <fairstream/files/cells/shown.hpp>
#include <fairstream/files/written/output.hpp>
#include <fairstream/fit/outputs/fit_job.hpp>
#include <fairstream/fit/stages/labelled_points.hpp>
#include <fairstream/fit/stages/missed_bounds.hpp>
#include <fairstream/fit/stages/model_report.hpp>
#include <fairstream/models/partial_fair_scorer/partial_fair_scorer.hpp>
#include <fairstream/plots/plot.hpp>
#include <fairstream/text/numbers.hpp>

namespace fairstream::fit {
namespace {

/// Refuses bad options before reading a long file.
void check_scores_use(const FitOptions& options, const ModelOptions& model) {
    check_labelled_input(options);
    if (options.curve) (void)read_curve(*options.curve, model);
    if (!options.plot.empty()) plots::check_plot_file("--plot", options.plot);
}

void require_both_classes(const files::Table& training) {
    const auto positives = std::ranges::count_if(training.targets, [](double target) { return target > 0; });
    const auto n = static_cast<std::ptrdiff_t>(training.size());
    if (positives > 0 && positives < n) return;
    throw InvalidInput(Reason::not_ready,
                       "the targets of all " + counted(n) + " training points are " +
                           (positives == 0 ? "0 or below, so none is positive" : "above 0, so none is negative") +
                           ": a model of scores needs both, positives and negatives; --positive VALUE names the value "
                           "of the target that means yes");
}

/// Notes that all points of the part that judges get the same decision.
void note_one_decision(const ModelOptions& model, const FittedScorer& scorer, Listener& listener) {
    const auto* const options = model.get_if<partial_fair_scorer::Options>();
    if (options == nullptr) return;
    const double threshold = options->threshold;
    const files::Part part = files::last_part(scorer.fairness);
    const std::vector<Score>& scores = at(scorer.scores, part);
    const auto above = std::ranges::count_if(scores, [&](Score score) { return score > threshold; });
    if (above > 0 && above < static_cast<std::ptrdiff_t>(scores.size())) return;
    const auto [least, most] = std::ranges::minmax(scores);
    listener.note("all " + counted(scores.size(), "score") + " of " + std::string(files::part_name(part)) + ", from " +
                  brief(least) + " to " + brief(most) + ", are " + (above == 0 ? "at most" : "above") +
                  " threshold=" + brief(threshold) + ", so every decision is " + (above == 0 ? "no" : "yes") +
                  ": figures at the threshold mean nothing; --set threshold=X moves it");
}

/// Names the groups that lack a class in the part that judges.
void note_missing_classes(const files::PartFairness& fairness, const Attribute& compared, Listener& listener) {
    const files::Part part = files::last_part(fairness);
    const auto note = [&](const std::vector<std::string>& groups, const char* what) {
        for (const std::string& group : groups)
            listener.note("no point of " + files::shown(group) + " of " + files::shown(compared.name) + " in " +
                          std::string(files::part_name(part)) + " is " + what + " this group");
    };
    note(at(fairness, part)->without_positives, "positive: eop and eod do not cover");
    note(at(fairness, part)->without_negatives, "negative: eod does not cover");
}

/// Returns whether kappa bounds a figure that leaves out groups without training points of a class.
bool bounds_missing_class(const ModelOptions& model, const std::optional<ScoreFairness>& training) {
    const auto* const options = model.get_if<partial_fair_scorer::Options>();
    if (options == nullptr || !training) return false;
    const bool lacks_positives = !training->without_positives.empty();
    const bool lacks_a_class = lacks_positives || !training->without_negatives.empty();
    return (is_of_classes(options->metric) && lacks_a_class) || (is_of_positives(options->metric) && lacks_positives);
}

class ScoreJob final : public FitJob {
public:
    using FitJob::FitJob;

protected:
    void check() const override { check_scores_use(options_, model_); }
    void load() override {
        points_ = load_labelled_points(options_, model_, listener_);
        require_both_classes(points_.training);
    }
    void fit(FitStop& stop) override {
        fit_.attributes = points_.attributes;
        fit_.dimensions = points_.dimensions;
        saved_ = new_saved();
        FitFigures figures;
        figures.saved = saved_.get();
        {
            Engine engine = trained(options_, model_, points_.training, stop,
                                    stop.progress_of("fitting " + options_.input.name()), figures);
            fit_.retained = engine.window().size();
            fit_.window = engine.window().capacity();
            fit_.preparation = engine.preparation();
            fit_.scorer = fitted(options_, engine, points_.parts, figures);
            if (saved_) saved_->save_state(engine, stop.stopped());
        }
        if (options_.curve)
            fit_.curve = fit_curve(options_, model_, read_curve(*options_.curve, model_), points_.training,
                                   points_.parts, stop, stop.progress_of("curve of " + options_.input.name()));
        fit_.scorer.figures.stopped = stop.stopped();
        note_one_decision(model_, fit_.scorer, listener_);
        note_missing_classes(fit_.scorer.fairness, compared(model_, fit_), listener_);
    }
    [[nodiscard]] std::optional<Slot> capacity() const override { return static_cast<Slot>(fit_.window); }
    void write() const override {
        if (!options_.plot.empty())
            files::write_file(options_.plot, curve_plot(options_.plot,
                                                        plot_title(options_, size_of(points_.parts),
                                                                   "accuracy and fairness of " + options_.model),
                                                        *fit_.curve));
        if (!options_.scores.empty()) write_part_scores(options_.scores, "score", points_.parts, fit_.scorer.scores);
    }
    [[nodiscard]] std::string json() const override { return scores_json(options_, model_, fit_); }
    [[nodiscard]] std::string summary() const override { return scores_summary(options_, model_, fit_); }
    [[nodiscard]] Judgement judge() const override {
        Judgement judgement = judge_missed_bound(missed_kappa(options_, model_, fit_.scorer));
        if (judgement.code == 0 && bounds_missing_class(model_, at(fit_.scorer.fairness, files::Part::training)))
            judgement.code = met_in_part;
        return judgement;
    }

private:
    LabelledPoints points_;
    ScoreFit fit_;
};

}  // namespace

std::unique_ptr<FitJob> score_job(FitOptions options, ModelOptions model, Listener& listener) {
    return std::make_unique<ScoreJob>(std::move(options), std::move(model), listener);
}

}  // namespace fairstream::fit
