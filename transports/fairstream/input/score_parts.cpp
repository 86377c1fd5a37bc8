#include <fairstream/input/score_parts.hpp>

#include <concepts>
#include <string>

#include <fairstream/files/points/detail/split.hpp>
#include <fairstream/models/model_kind.hpp>

namespace fairstream::files {
namespace {

ScoreTally tally_of(const PointColumns& points, const std::vector<Score>& scores,
                    const std::vector<Attribute>& attributes, std::size_t index) {
    const Attribute& attribute = attributes.at(index);
    ScoreTally tally(attribute.groups.size(), attribute.known_groups());
    for (std::size_t i = 0; i < scores.size(); ++i)
        tally.add(scores[i], points.groups[i * attributes.size() + index], points.targets[i],
                  points.weights.empty() ? 1 : points.weights[i]);
    tally.settle();
    return tally;
}

template <class Fairness> FairnessByPart<Fairness> judged(const ModelOptions& model,
                                                          const std::vector<Attribute>& attributes,
                                                          const PartPoints& points, const PartScores& scores) {
    FairnessByPart<Fairness> fairness;
    const auto attribute = static_cast<std::size_t>(model.kind().protected_attributes(model).at(0));
    for (const Part part : all_parts) {
        if (at(scores, part).empty()) continue;
        const ScoreTally tally = tally_of(at(points, part), at(scores, part), attributes, attribute);
        Fairness& judged = at(fairness, part).emplace(std::get<Fairness>(model.kind().judge(model, tally)));
        if constexpr (std::same_as<Fairness, ScoreFairness>)
            name_groups_without(tally, attributes[attribute].groups, judged);
    }
    return fairness;
}

}  // namespace

std::string_view part_name(Part part) {
    constexpr ByPart<std::string_view> names{"train", "validation", "test"};
    return at(names, part);
}

PartPoints points_of(const Table& table) {
    PartPoints points;
    for (const Part part : all_parts) {
        const Table rows = rows_of(table, part);
        copy_points(rows, 0, rows.size(), at(points, part));
        if (rows.size() == 0 && !table.parts.empty() && part != Part::validation)
            throw InvalidInput(
                Reason::bad_option,
                "--rows and --split leave no row for " + std::string(part_name(part)) +
                    (table.remarks.repeated_ids > 0 ? ", since later rows replace rows with the same id" : ""));
    }
    return points;
}

PartScores scores_of(const Engine& engine, std::string_view model, const PartPoints& points) {
    PartScores scores;
    for (const Part part : all_parts) {
        at(scores, part).resize(at(points, part).ids.size());
        engine.score(model, at(points, part).features, at(points, part).groups, at(scores, part));
    }
    return scores;
}

PartFairness fairness_of(const ModelOptions& model, const std::vector<Attribute>& attributes, const PartPoints& points,
                         const PartScores& scores) {
    return judged<ScoreFairness>(model, attributes, points, scores);
}

PartPredictionFairness prediction_fairness_of(const ModelOptions& model, const std::vector<Attribute>& attributes,
                                              const PartPoints& points, const PartScores& predictions) {
    return judged<PredictionFairness>(model, attributes, points, predictions);
}

}  // namespace fairstream::files
