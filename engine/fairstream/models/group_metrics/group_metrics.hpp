#pragma once
/// Figures by group of given predictions: a model that neither clusters nor learns.
///
/// A column of the stream's features has the predictions; the targets are the outcomes. The figures
/// (`fairness/group_metrics.hpp`) are of the retained points, updated as points come and go.

#include <cstdint>
#include <string>
#include <string_view>

#include <fairstream/base/one_or_more.hpp>
#include <fairstream/models/model_options.hpp>

namespace fairstream::group_metrics {

/// A column of the stream's features: its name or, if columns have no names, its index from 0.
struct ColumnName {
    std::string text = "prediction";
    bool operator==(const ColumnName&) const = default;
};
[[nodiscard]] std::string option_text(const ColumnName& value);
/// Returns false for an empty text, and for a text with a control character.
[[nodiscard]] bool read_option_text(std::string_view text, ColumnName& value);

struct Options {
    ColumnName prediction;  ///< the column with the predictions, which preparation must not change
    /// A prediction of at least this value, rounded to float32, selects its point; in [-1e15, 1e15].
    double threshold = 0.5;
    OneOrMore<int> attribute = -1;         ///< indices of the protected attributes, in [0, 255]; a single -1: all
    int intersections = 2;                 ///< largest number of attributes in an intersection, in [1, 8]; 1: none
    int bins = 10;                         ///< number of bins of the calibration, in [1, 100]
    std::int64_t least_points = 1;         ///< a rate of fewer points is given but not compared; in [1, 1e9]
    double parity_difference_at_most = 0;  ///< in [0, 1]; 0: no bound
    double odds_difference_at_most = 0;    ///< in [0, 1]; 0: no bound
    bool operator==(const Options&) const = default;
};
/// Returns the kind of model that these options belong to.
[[nodiscard]] const ModelKind& kind_of(const Options& options);

}  // namespace fairstream::group_metrics
