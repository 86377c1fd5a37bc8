#pragma once
/// Points of a fit that learns targets, split into the part for learning and the parts for judging.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <fairstream/fit/request/fit_options.hpp>
#include <fairstream/fit/stages/fit_stream.hpp>
#include <fairstream/input/score_parts.hpp>

namespace fairstream::fit {

struct LabelledPoints {
    std::vector<Attribute> attributes;  ///< a
    std::uint32_t dimensions = 0;       ///< d
    files::Table training;              ///< with at least two groups of each attribute
    files::PartPoints parts;
};

/// Throws `InvalidInput` (bad_option), before a long file is read, for a missing target or an impossible split.
void check_labelled_input(const FitOptions& options);
/// Loads the points, splits them by the seed of the fit, and reports notes (`notes_on_points`). Throws `InvalidInput`
/// for points without targets, or of a single group.
[[nodiscard]] LabelledPoints load_labelled_points(FitOptions& options, const ModelOptions& model, Listener& listener);

/// Writes rows "id,part,HEADING" by rising id.
void write_part_scores(const std::filesystem::path& path, const std::string& heading, const files::PartPoints& points,
                       const files::PartScores& scores);
/// Adds how the engine took in the training points.
void add_ingest(const FitOptions& options, const FitFigures& figures, const PreparationFigures& preparation,
                std::size_t window, nlohmann::ordered_json& json);
/// Returns the kind of split: null, {"column"} or {"fractions", "seed"}.
[[nodiscard]] nlohmann::ordered_json split_json(const files::InputOptions& input);
/// Returns "700 train, 300 test" for the parts that exist.
[[nodiscard]] std::string part_sizes_text(const files::ByPart<std::int64_t>& sizes);
/// Returns the number of points of all parts.
[[nodiscard]] std::size_t size_of(const files::PartPoints& points);
/// Returns the title of a plot of `points` points: "a.csv: 1,000 points, " followed by `what`.
[[nodiscard]] std::string plot_title(const FitOptions& options, std::size_t points, const std::string& what);

}  // namespace fairstream::fit
