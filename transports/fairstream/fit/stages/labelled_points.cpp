#include <fairstream/fit/stages/labelled_points.hpp>

#include <algorithm>
#include <tuple>

#include <nlohmann/json.hpp>

#include <fairstream/files/points/detail/split.hpp>
#include <fairstream/files/written/output.hpp>
#include <fairstream/fit/stages/fit_notes.hpp>
#include <fairstream/fit/stages/fit_stream.hpp>
#include <fairstream/fit/stages/preparation_report.hpp>
#include <fairstream/input/groups_of_points.hpp>
#include <fairstream/text/numbers.hpp>

namespace fairstream::fit {

void check_labelled_input(const FitOptions& options) {
    const files::InputOptions& input = options.input;
    if (input.target.empty() && !input.input.empty())
        throw InvalidInput(Reason::bad_option, options.model + " learns from targets: name their column with --target");
    if (!input.generate.empty() && !input.split.empty() && !files::splits_by_fractions(input))
        throw InvalidInput(
            Reason::bad_option,
            "--split " + input.split + ": made-up points have no such column; give shares, such as 0.7,0.3");
    if (files::splits_by_fractions(input)) (void)files::read_fractions(input.split);
}

LabelledPoints load_labelled_points(FitOptions& options, const ModelOptions& model, Listener& listener) {
    options.input.split_seed = options.seed.value_or(options.input.split_seed);
    files::Table table = load_points(options, listener);
    if (!table.format.has_targets)
        throw InvalidInput(Reason::bad_option, options.model + " learns from targets: " + options.input.name() +
                                                   " has none, loan_decisions has");
    files::require_groups(table.format.attributes);
    LabelledPoints points{table.format.attributes, table.format.dimensions, rows_of(table, files::Part::training),
                          points_of(table)};
    files::require_two_groups(points.training, "training points");
    listener.notes(notes_on_points(options, model, table));
    return points;
}

void write_part_scores(const std::filesystem::path& path, const std::string& heading, const files::PartPoints& points,
                       const files::PartScores& scores) {
    std::vector<std::tuple<std::string_view, PointId, files::Part, Score>> rows;
    for (const files::Part part : files::all_parts)
        for (std::size_t i = 0; i < at(scores, part).size(); ++i)
            rows.emplace_back(at(points, part).id_texts.empty() ? std::string_view() : at(points, part).id_texts[i],
                              at(points, part).ids[i], part, at(scores, part)[i]);
    std::ranges::sort(rows);
    std::string text = "id,part," + heading + "\n";
    for (const auto& [id_text, id, part, score] : rows)
        text += files::id_cell(id, id_text) + "," + std::string(files::part_name(part)) + "," +
                files::score_text(score) + "\n";
    files::write_file(path, text);
}

void add_ingest(const FitOptions& options, const FitFigures& figures, const PreparationFigures& preparation,
                std::size_t window, nlohmann::ordered_json& json) {
    json["churn"] = figures.churn;
    json["steps"] = figures.steps;
    json["sent"] = figures.points;
    json["ingest_seconds"] = figures.ingest_seconds;
    json["refine_seconds"] = figures.refine_seconds;
    add_preparation(options.stream, preparation, json);
    json["batch"] = figures.batch;
    json["passes"] = options.passes.value_or(1);
    json["window"] = window;
}

nlohmann::ordered_json split_json(const files::InputOptions& input) {
    if (input.split.empty()) return nullptr;
    if (!files::splits_by_fractions(input)) return {{"column", input.split}};
    return {{"fractions", files::read_fractions(input.split)}, {"seed", input.split_seed}};
}

std::string part_sizes_text(const files::ByPart<std::int64_t>& sizes) {
    std::string text;
    for (const files::Part part : files::all_parts)
        if (at(sizes, part) > 0)
            text += (text.empty() ? "" : ", ") + counted(at(sizes, part)) + " " + std::string(files::part_name(part));
    return text;
}

std::size_t size_of(const files::PartPoints& points) {
    std::size_t size = 0;
    for (const files::Part part : files::all_parts) size += at(points, part).ids.size();
    return size;
}

std::string plot_title(const FitOptions& options, std::size_t points, const std::string& what) {
    const std::filesystem::path& file = options.input.input;
    return (file.empty() ? options.input.generate : file.filename().string()) + ": " + counted(points, "point") + ", " +
           what;
}

}  // namespace fairstream::fit
