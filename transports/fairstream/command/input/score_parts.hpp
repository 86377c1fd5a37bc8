#pragma once
/// Points that a model of scores learned from, and those held back from it: what it scores them, and how good and fair
/// those scores are.

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include <fairstream/csv/table.hpp>
#include <fairstream/engine.hpp>

namespace fairstream::command {

inline constexpr std::array<csv::Part, 3> all_parts{csv::Part::training, csv::Part::validation, csv::Part::test};
/// As reports call it: "train", "validation" or "test".
[[nodiscard]] std::string_view part_name(csv::Part part);

/// One value for each part, indexed by `csv::Part`.
template <class T> using ByPart = std::array<T, all_parts.size()>;
template <class T> [[nodiscard]] T& at(ByPart<T>& values, csv::Part part) {
    return values[static_cast<std::size_t>(part)];
}
template <class T> [[nodiscard]] const T& at(const ByPart<T>& values, csv::Part part) {
    return values[static_cast<std::size_t>(part)];
}

/// The points of each part; those of a part that is not there are none.
using PartPoints = ByPart<PointColumns>;
/// Throws `InvalidInput` (bad_option) when there is a split, and no row for training or for the test is left.
[[nodiscard]] PartPoints points_of(const csv::Table& table);

using PartScores = ByPart<std::vector<Score>>;
[[nodiscard]] PartScores scores_of(const Engine& engine, std::string_view model, const PartPoints& points);

/// Of a part that is not there: nothing.
using PartFairness = ByPart<std::optional<ScoreFairness>>;
/// By the ranks and the threshold of `model`, which gives scores; `attributes` is a.
[[nodiscard]] PartFairness fairness_of(const ModelOptions& model, const std::vector<Attribute>& attributes,
                                       const PartPoints& points, const PartScores& scores);

/// The last part there is: what a model is judged by in the end.
[[nodiscard]] csv::Part last_part(const PartFairness& fairness);
/// Where models are chosen: validation, without it the test part, without that training.
[[nodiscard]] csv::Part choosing_part(const PartFairness& fairness);

}  // namespace fairstream::command
