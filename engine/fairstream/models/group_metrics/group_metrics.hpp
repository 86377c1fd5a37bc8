#pragma once
/// Group figures of someone else's predictions: a model that clusters nothing and learns nothing.
///
/// A column of the stream's features has the predictions, the targets are the outcomes. The figures
/// (`fairness/group_metrics.hpp`) are of the retained points, kept up by the points that come and go.

#include <cstdint>
#include <string>
#include <string_view>

#include <fairstream/base/one_or_more.hpp>
#include <fairstream/models/model_options.hpp>

namespace fairstream::group_metrics {

/// A column of the stream's features: its name or, where columns have no names, its index from 0.
struct ColumnName {
    std::string text = "prediction";
    bool operator==(const ColumnName&) const = default;
};
[[nodiscard]] std::string option_text(const ColumnName& value);
/// Returns false for an empty text, and for one with a control character.
[[nodiscard]] bool read_option_text(std::string_view text, ColumnName& value);

struct Options {
    ColumnName prediction;  ///< the column with the predictions, which [prepare] leaves as it is
    /// A prediction of at least this, as float32, selects its point; in [-1e15, 1e15].
    double threshold = 0.5;
    OneOrMore<int> attribute = -1;         ///< indices of the protected attributes, in [0, 255]; -1 alone: all
    int intersections = 2;                 ///< attributes in an intersection, at most, in [1, 8]; 1: there are none
    int bins = 10;                         ///< of the calibration, in [1, 100]
    std::int64_t least_points = 1;         ///< a rate of fewer points is given but not compared, in [1, 1e9]
    double parity_difference_at_most = 0;  ///< in [0, 1]; 0: no bound
    double odds_difference_at_most = 0;    ///< in [0, 1]; 0: no bound
    bool operator==(const Options&) const = default;
};
/// Returns the kind of model that these are options of.
[[nodiscard]] const ModelKind& kind_of(const Options& options);

}  // namespace fairstream::group_metrics
