#pragma once
/// `fit lord --set tau=scan`: takes the tau whose labels agree best with the true classes. Only the classes tell which
/// tau is best, as objectives of different tau are not comparable. The scan shows how good the best tau is, as papers
/// do. It is no method to choose tau in practice, where no classes are known.

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include <fairstream/fit/request/fit_options.hpp>
#include <fairstream/fit/stages/fit_stop.hpp>
#include <fairstream/fit/stages/model_report.hpp>
#include <fairstream/models/model_options.hpp>

namespace fairstream::fit {

struct TriedTau {
    double tau = 0;
    double accuracy = 0;  ///< accuracy of the labels against the true classes
};
using TauScan = std::vector<TriedTau>;  ///< by rising tau

/// Takes tau=scan out of the settings of a fit of lord, and sets `scans_tau`. Throws `InvalidInput` if tau is also
/// given a value.
void take_tau_scan(FitOptions& options);
/// Throws `InvalidInput` if there are no true classes, and for a method without tau.
void check_tau_scan(const FitOptions& options, const ModelOptions& model);

/// Fits a model, and returns the accuracy of its labels. Ends early if `progress` asks for it.
using FitOfTau = std::function<double(const ModelOptions&, const FitProgress& progress)>;
/// Tries tau = 0, 0.01, ..., 1. If `progress` ends the work, returns the completed fits, and always the first.
[[nodiscard]] TauScan scan_tau(const ModelOptions& model, const FitOfTau& accuracy, const FitProgress& progress);
/// Returns the model with the tau of the most accurate labels; of equally accurate ones the lowest.
[[nodiscard]] ModelOptions with_best_tau(ModelOptions model, const TauScan& scan);

/// Adds `tau_oracle` and `tau_scanned`.
void add_tau_scan(const TauScan& scan, nlohmann::ordered_json& json);
[[nodiscard]] TextRows tau_scan_rows(const TauScan& scan);

}  // namespace fairstream::fit
