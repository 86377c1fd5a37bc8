#pragma once
/// Training and held-out points of a model of scores or predictions: its outputs, and their accuracy and fairness.

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include <fairstream/engine.hpp>
#include <fairstream/fairness/prediction_fairness.hpp>
#include <fairstream/files/points/table.hpp>

namespace fairstream::files {

inline constexpr std::array<Part, 3> all_parts{Part::training, Part::validation, Part::test};
/// Returns the name of a part in reports: "train", "validation" or "test".
[[nodiscard]] std::string_view part_name(Part part);

/// One value for each part, indexed by `Part`.
template <class T> using ByPart = std::array<T, all_parts.size()>;
template <class T> [[nodiscard]] T& at(ByPart<T>& values, Part part) {
    return values[static_cast<std::size_t>(part)];
}
template <class T> [[nodiscard]] const T& at(const ByPart<T>& values, Part part) {
    return values[static_cast<std::size_t>(part)];
}

/// The points of each part; none for a part that does not exist.
using PartPoints = ByPart<PointColumns>;
/// Returns the points of each part. Throws `InvalidInput` (bad_option) if there is a split that leaves no row for
/// training or for the test.
[[nodiscard]] PartPoints points_of(const Table& table);

using PartScores = ByPart<std::vector<Score>>;
[[nodiscard]] PartScores scores_of(const Engine& engine, std::string_view model, const PartPoints& points);

/// The figures of each part; nothing for a part that does not exist.
template <class Fairness> using FairnessByPart = ByPart<std::optional<Fairness>>;
using PartFairness = FairnessByPart<ScoreFairness>;
using PartPredictionFairness = FairnessByPart<PredictionFairness>;
/// Returns the figures of each part for the scores of `model`, with the ranks and the threshold in its options.
/// `attributes` has a entries.
[[nodiscard]] PartFairness fairness_of(const ModelOptions& model, const std::vector<Attribute>& attributes,
                                       const PartPoints& points, const PartScores& scores);
/// Returns the figures of each part for the predictions of `model`.
[[nodiscard]] PartPredictionFairness prediction_fairness_of(const ModelOptions& model,
                                                            const std::vector<Attribute>& attributes,
                                                            const PartPoints& points, const PartScores& predictions);

/// Returns the last existing part, on which models are finally judged.
template <class Fairness> [[nodiscard]] Part last_part(const FairnessByPart<Fairness>& fairness) {
    return at(fairness, Part::test) ? Part::test : Part::training;
}
/// Returns the part on which models are chosen: validation; without it test; without both training.
template <class Fairness> [[nodiscard]] Part choosing_part(const FairnessByPart<Fairness>& fairness) {
    return at(fairness, Part::validation) ? Part::validation : last_part(fairness);
}

}  // namespace fairstream::files
