#include <fairstream/command/fit/fit_scores.hpp>

#include <algorithm>
#include <tuple>
#include <utility>

#include <fairstream/command/console/output.hpp>
#include <fairstream/command/console/plot.hpp>
#include <fairstream/command/console/terminal.hpp>
#include <fairstream/command/fit/model_report.hpp>
#include <fairstream/csv/detail/split.hpp>

namespace fairstream::command {
namespace {

/// Refuses bad options before a long file is read.
void check_use(const FitOptions& options, const ModelOptions& model) {
    const InputOptions& input = options.input;
    if (input.target.empty() && !input.input.empty())
        throw InvalidInput(Reason::bad_option, options.model + " learns from targets: name their column with --target");
    if (!input.generate.empty() && !input.split.empty() && !splits_by_fractions(input))
        throw InvalidInput(Reason::bad_option, "--split " + input.split +
                                                   ": made-up points have no such column; name shares, as in 0.7,0.3");
    if (splits_by_fractions(input)) (void)csv::read_fractions(input.split);
    if (options.curve) (void)read_curve(*options.curve, model);
    if (options.plot.empty()) return;
    check_plot_file(options.plot);
    if (!options.curve) throw InvalidInput(Reason::bad_option, "--plot needs --curve: that is what is drawn");
}

void require_both_classes(const csv::Table& training) {
    const auto positives = std::ranges::count_if(training.targets, [](double target) { return target > 0; });
    const auto n = static_cast<std::ptrdiff_t>(training.size());
    if (positives > 0 && positives < n) return;
    throw InvalidInput(Reason::not_ready, "the targets of all " + counted(n) + " training points are " +
                                              (positives == 0 ? "0 or below, so that none is positive"
                                                              : "above 0, so that none is negative") +
                                              ": a model of scores learns from both");
}

/// Returns the names of the known groups of attribute `index` that have points.
std::vector<std::string> groups_of(const csv::Table& training, std::size_t index) {
    const Attribute& attribute = training.format.attributes[index];
    std::vector<bool> is_there(attribute.groups.size());
    for (std::size_t i = index; i < training.groups.size(); i += training.format.attributes.size())
        is_there[training.groups[i]] = true;
    std::vector<std::string> names;
    for (std::size_t group = 0; group < attribute.known_groups(); ++group)
        if (is_there[group]) names.push_back(attribute.groups[group]);
    return names;
}

void require_two_groups(const csv::Table& training) {
    for (std::size_t a = 0; a < training.format.attributes.size(); ++a) {
        const std::vector<std::string> names = groups_of(training, a);
        if (names.size() > 1) continue;
        throw InvalidInput(Reason::not_ready, "all " + counted(static_cast<std::int64_t>(training.size())) +
                                                  " training points are of " +
                                                  (names.empty() ? "no known group" : "one group, " + names[0]) +
                                                  ": there is nothing to compare");
    }
}

void write_part_scores(const std::filesystem::path& path, const PartPoints& points, const PartScores& scores) {
    std::vector<std::tuple<PointId, csv::Part, Score>> rows;
    for (const csv::Part part : all_parts)
        for (std::size_t i = 0; i < at(scores, part).size(); ++i)
            rows.emplace_back(at(points, part).ids[i], part, at(scores, part)[i]);
    std::ranges::sort(rows);
    std::string text = "id,part,score\n";
    for (const auto& [id, part, score] : rows)
        text += std::to_string(id) + "," + std::string(part_name(part)) + "," + score_text(score) + "\n";
    write_file(path, text);
}

std::string plot_title(const FitOptions& options, const ScoreFit& fit) {
    std::size_t points = 0;
    for (const csv::Part part : all_parts) points += at(fit.scorer.scores, part).size();
    const std::filesystem::path& file = options.input.input;
    return (file.empty() ? options.input.generate : file.filename().string()) + ": " +
           counted(static_cast<std::int64_t>(points)) + " points, accuracy and fairness of " + options.model;
}

}  // namespace

int fit_scores(const FitOptions& given, const ModelOptions& model, StopSignals& signals) {
    check_use(given, model);
    FitOptions options = given;
    options.input.split_seed = given.seed.value_or(options.input.split_seed);
    csv::Table table = load_points(options);
    if (!table.format.has_targets)
        throw InvalidInput(Reason::bad_option, options.model + " learns from targets: " + options.input.name() +
                                                   " has none, loan_decisions has");
    require_groups(table.format.attributes);
    const PartPoints points = points_of(table);
    const csv::Table training = rows_of(table, csv::Part::training);
    ScoreFit fit;
    fit.attributes = table.format.attributes;
    fit.dimensions = table.format.dimensions;
    table = {};
    require_both_classes(training);
    require_two_groups(training);
    {
        Progress progress("fitting " + options.input.name());
        const auto show = [&](double share, std::string_view done) { progress.show(share, done); };
        FitFigures figures;
        const Engine engine = trained(options, model, training, show, figures);
        fit.retained = engine.window().size();
        fit.window = engine.window().capacity();
        fit.preparation = engine.preparation();
        fit.scorer = fitted(options, engine, points, figures);
    }
    if (options.curve) {
        Progress progress("curve of " + options.input.name());
        const auto show = [&](double share, std::string_view done) { progress.show(share, done); };
        fit.curve = fit_curve(options, model, read_curve(*options.curve, model), training, points, show);
    }
    const auto writing = signals.poll_for_stop();
    if (!options.plot.empty()) write_file(options.plot, curve_plot(options.plot, plot_title(options, fit), *fit.curve));
    if (!options.scores.empty()) write_part_scores(options.scores, points, fit.scorer.scores);
    write_report(options, scores_json(options, model, fit), scores_summary(options, model, fit));
    return 0;
}

}  // namespace fairstream::command
