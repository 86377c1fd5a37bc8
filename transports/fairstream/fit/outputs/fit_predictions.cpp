#include <fairstream/fit/outputs/fit_predictions.hpp>

#include <algorithm>
#include <utility>

#include <fairstream/files/network_file.hpp>
#include <fairstream/files/written/output.hpp>
#include <fairstream/fit/outputs/fit_job.hpp>
#include <fairstream/fit/stages/missed_bounds.hpp>
#include <fairstream/fit/stages/model_report.hpp>
#include <fairstream/models/model_kind.hpp>
#include <fairstream/plots/density_plot.hpp>
#include <fairstream/text/numbers.hpp>

namespace fairstream::fit {
namespace {

constexpr std::size_t most_drawn_groups = plots::colours.size();

/// Refuses bad options before reading a long file.
void check_predictions_use(const FitOptions& options, const ModelOptions& model) {
    check_labelled_input(options);
    const bool is_given = model.kind().network_use(model)->given != nullptr;
    if (options.trains && is_given)
        throw InvalidInput(Reason::bad_option, "--train: a network is given already; remove --train or the network");
    if (options.iterations.value_or(0) != 0 && is_given)
        throw InvalidInput(Reason::bad_option,
                           "--refine-rounds trains a network further, but a given network is not trained: remove "
                           "--refine-rounds or the network");
    if (options.curve) (void)read_means(*options.curve, model);
    if (!options.plot.empty()) plots::check_plot_file("--plot", options.plot);
    if (!options.densities.empty()) plots::check_plot_file("--densities", options.densities);
}

const Attribute& compared_attribute(const ModelOptions& model, const std::vector<Attribute>& attributes,
                                    std::size_t& index) {
    index = static_cast<std::size_t>(model.kind().protected_attributes(model)[0]);
    return attributes.at(index);
}

/// Returns the predictions of each group of a part; if there are many groups, only the predictions of the largest.
std::vector<plots::DensityGroup> density_groups(const ModelOptions& model, const PredictionFit& fit,
                                                const files::PartPoints& points, files::Part part) {
    std::size_t index = 0;
    const Attribute& attribute = compared_attribute(model, fit.attributes, index);
    const PointColumns& of_part = at(points, part);
    std::vector<plots::DensityGroup> groups(attribute.known_groups());
    for (std::size_t i = 0; i < of_part.ids.size(); ++i) {
        const GroupId group = of_part.groups[i * fit.attributes.size() + index];
        if (group >= groups.size()) continue;
        groups[group].numbers[0].push_back(at(fit.unadjusted_predictions, part)[i]);
        groups[group].numbers[1].push_back(at(fit.predictions, part)[i]);
        if (!of_part.weights.empty()) groups[group].weights.push_back(of_part.weights[i]);
    }
    for (std::size_t g = 0; g < groups.size(); ++g) groups[g].name = attribute.name + " " + attribute.groups[g];
    if (groups.size() > most_drawn_groups)
        std::ranges::stable_sort(groups, std::ranges::greater(),
                                 [](const plots::DensityGroup& group) { return group.numbers[0].size(); });
    groups.resize(std::min(groups.size(), most_drawn_groups));
    std::erase_if(groups, [](const plots::DensityGroup& group) { return group.numbers[0].empty(); });
    return groups;
}

std::string densities_text(const FitOptions& options, const ModelOptions& model, const PredictionFit& fit,
                           const files::PartPoints& points) {
    const files::Part part = files::last_part(fit.after);
    const auto named = [&](const std::string& when, const PredictionFairness& figures) {
        return when + ": MSE " + brief(figures.mse.value_or(0)) + ", KS " + fixed(figures.ks, 3) + " (" +
               fixed(figures.ks_by_chance, 3) + " by chance)";
    };
    std::size_t index = 0;
    const std::size_t known = compared_attribute(model, fit.attributes, index).known_groups();
    const std::string name = plot_title(
        options, at(points, part).ids.size(),
        "predictions of " + options.model + " on the " + std::string(files::part_name(part)) + " part" +
            (known > most_drawn_groups ? " for the " + std::to_string(most_drawn_groups) + " largest groups" : ""));
    return plots::density_plot_text(options.densities, {name,
                                                        "Groups are treated alike where their curves coincide. "
                                                        "Dashed: their means.",
                                                        "prediction",
                                                        {named("network before its adjustment", *at(fit.before, part)),
                                                         named("after", *at(fit.after, part))},
                                                        density_groups(model, fit, points, part)});
}

PredictionFit fitted_network(const FitOptions& options, const ModelOptions& model, const LabelledPoints& points,
                             SavedFit* saved, FitStop& stop) {
    const FitProgress show = stop.progress_of("fitting " + options.input.name());
    PredictionFit fit;
    fit.attributes = points.attributes;
    fit.dimensions = points.dimensions;
    fit.figures.saved = saved;
    Engine engine = adjusted_engine(options, model, points.training, stop, show, fit.figures);
    if (saved != nullptr) saved->save_state(engine, stop.stopped());  // before the next solution changes it
    fit.retained = engine.window().size();
    fit.window = engine.window().capacity();
    fit.preparation = engine.preparation();
    const ModelReport report = engine.report(options.model);
    fit.solve = report.solve;
    fit.own = report.figures;
    fit.predictions = files::scores_of(engine, options.model, points.parts);
    fit.network = files::network_text(*engine.network(options.model));
    fit.solve_seconds = solve_again(engine, options.model, show);
    if (options.curve)
        fit.curve.emplace().networks =
            networks_by(read_means(*options.curve, model), engine, options.model, points.parts, show);
    undo_adjustment(engine, options.model);
    fit.unadjusted_predictions = files::scores_of(engine, options.model, points.parts);
    fit.after = files::prediction_fairness_of(model, points.attributes, points.parts, fit.predictions);
    fit.before = files::prediction_fairness_of(model, points.attributes, points.parts, fit.unadjusted_predictions);
    if (fit.curve) {
        fit.curve->unadjusted.fairness = fit.before;
        find_front(*fit.curve);
    }
    fit.figures.stopped = stop.stopped();
    return fit;
}

/// Notes if the adjustment raised the distance between groups, on the points for which it was solved, by more than
/// chance does.
void note_widened_gap(const PredictionFit& fit, const ModelOptions& model, Listener& listener) {
    const auto& before = at(fit.before, files::Part::training);
    const auto& after = at(fit.after, files::Part::training);
    if (!before || !after || !(after->ks > std::max(before->ks, after->ks_by_chance))) return;
    listener.note(
        "the adjustment raised ks from " + fixed(before->ks, 3) + " to " + fixed(after->ks, 3) +
        " on the points it was solved for (" + fixed(after->ks_by_chance, 3) +
        " is expected by chance): it brings the means of groups together, not their whole distributions" +
        (model.kind().network_use(model)->ks_at_most < 1 ? "" : "; --set ks_at_most=X chooses the limits by ks"));
}

class PredictionJob final : public FitJob {
public:
    using FitJob::FitJob;

protected:
    void check() const override { check_predictions_use(options_, model_); }
    void load() override {
        points_ = load_labelled_points(options_, model_, listener_);
        files::require_target_resolution(points_.training);
    }
    void fit(FitStop& stop) override {
        saved_ = new_saved();
        fit_ = fitted_network(options_, model_, points_, saved_.get(), stop);
        note_widened_gap(fit_, model_, listener_);
    }
    [[nodiscard]] std::optional<Slot> capacity() const override { return static_cast<Slot>(fit_.window); }
    void write() const override {
        if (!options_.plot.empty())
            files::write_file(options_.plot, curve_plot(options_.plot,
                                                        plot_title(options_, size_of(points_.parts),
                                                                   "error and fairness of " + options_.model),
                                                        *fit_.curve));
        if (!options_.densities.empty())
            files::write_file(options_.densities, densities_text(options_, model_, fit_, points_.parts));
        if (!options_.scores.empty()) write_part_scores(options_.scores, "prediction", points_.parts, fit_.predictions);
        if (!options_.save_network.empty()) files::write_file(options_.save_network, fit_.network);
    }
    [[nodiscard]] std::string json() const override { return predictions_json(options_, model_, fit_); }
    [[nodiscard]] std::string summary() const override { return predictions_summary(options_, model_, fit_); }
    [[nodiscard]] Judgement judge() const override {
        return judge_missed_bound(missed_distance(options_, model_, fit_.own));
    }

private:
    LabelledPoints points_;
    PredictionFit fit_;
};

}  // namespace

std::unique_ptr<FitJob> prediction_job(FitOptions options, ModelOptions model, Listener& listener) {
    return std::make_unique<PredictionJob>(std::move(options), std::move(model), listener);
}

}  // namespace fairstream::fit
