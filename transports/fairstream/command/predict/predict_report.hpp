#pragma once
/// The report of `fairstream predict`.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <fairstream/command/predict/fair_labels_report.hpp>
#include <fairstream/command/predict/predict.hpp>
#include <fairstream/files/columns/remarks.hpp>

namespace fairstream::command {

/// The results of a run. Fields that were not asked for stay empty.
struct Prediction {
    std::string model, kind;
    Sequence sequence = 0;                     ///< newest event the model had taken in
    std::uint64_t points = 0;                  ///< predicted points
    std::vector<std::uint64_t> counts;         ///< points of each cluster; empty: no labels were asked
    double least = 0, mean = 0, largest = 0;   ///< least, mean and largest score or prediction
    std::optional<FairLabelsReport> fairness;  ///< figures of fair labels
    files::Remarks remarks;                    ///< about the file
    std::vector<std::string> warnings;
};

/// Return the report as JSON, and as a summary for people.
[[nodiscard]] std::string prediction_json(const PredictOptions& options, const Prediction& prediction);
[[nodiscard]] std::string prediction_summary(const PredictOptions& options, const Prediction& prediction);

}  // namespace fairstream::command
