#pragma once
/// What `fairstream predict` says of what it did.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <fairstream/command/predict/fair_labels_report.hpp>
#include <fairstream/command/predict/predict.hpp>
#include <fairstream/files/columns/remarks.hpp>

namespace fairstream::command {

/// The results of a run, but for what was asked.
struct Prediction {
    std::string model, kind;
    Sequence sequence = 0;                     ///< the event that the model was as of
    std::uint64_t points = 0;                  ///< that were predicted
    std::vector<std::uint64_t> counts;         ///< points of each cluster; empty: no labels were asked
    double least = 0, mean = 0, largest = 0;   ///< of scores or predictions
    std::optional<FairLabelsReport> fairness;  ///< of fair labels
    files::Remarks remarks;                    ///< of the file
    std::vector<std::string> warnings;
};

/// Return the report as JSON, and as a summary for people.
[[nodiscard]] std::string prediction_json(const PredictOptions& options, const Prediction& prediction);
[[nodiscard]] std::string prediction_summary(const PredictOptions& options, const Prediction& prediction);

}  // namespace fairstream::command
