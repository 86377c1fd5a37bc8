#pragma once
/// Training and held-out points of a model of scores: their scores, and the accuracy and fairness of these.

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include <fairstream/csv/table.hpp>
#include <fairstream/engine.hpp>

namespace fairstream::command {

inline constexpr std::array<csv::Part, 3> all_parts{csv::Part::training, csv::Part::validation, csv::Part::test};
/// Returns the name of a part in reports: "train", "validation" or "test".
[[nodiscard]] std::string_view part_name(csv::Part part);

/// One value for each part, indexed by `csv::Part`.
template <class T> using ByPart = std::array<T, all_parts.size()>;
template <class T> [[nodiscard]] T& at(ByPart<T>& values, csv::Part part) {
    return values[static_cast<std::size_t>(part)];
}
template <class T> [[nodiscard]] const T& at(const ByPart<T>& values, csv::Part part) {
    return values[static_cast<std::size_t>(part)];
}

/// The points of each part; no points for a part that does not exist.
using PartPoints = ByPart<PointColumns>;
/// Returns the points of each part. Throws `InvalidInput` (bad_option) when there is a split, and no row is left for
/// training or for the test.
[[nodiscard]] PartPoints points_of(const csv::Table& table);

using PartScores = ByPart<std::vector<Score>>;
[[nodiscard]] PartScores scores_of(const Engine& engine, std::string_view model, const PartPoints& points);

/// The figures of each part; empty for a part that does not exist.
using PartFairness = ByPart<std::optional<ScoreFairness>>;
/// Returns the figures of each part by the ranks and the threshold of `model`, which gives scores; `attributes` is a.
[[nodiscard]] PartFairness fairness_of(const ModelOptions& model, const std::vector<Attribute>& attributes,
                                       const PartPoints& points, const PartScores& scores);

/// Returns the last existing part, which models are finally judged by.
[[nodiscard]] csv::Part last_part(const PartFairness& fairness);
/// Returns the part on which models are chosen: validation, without it the test part, without that training.
[[nodiscard]] csv::Part choosing_part(const PartFairness& fairness);

}  // namespace fairstream::command
