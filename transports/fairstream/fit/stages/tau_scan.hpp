#pragma once
/// `fit lord --set tau=scan`: an oracle, which takes the tau whose labels agree best with the true classes. Objectives
/// of different tau cannot be compared, so that without the classes nothing says which is best. Whoever clusters has no
/// classes: it shows what tau could give, as papers do, and is no way to choose one.

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
    double accuracy = 0;  ///< of the labels, by the true classes
};
using TauScan = std::vector<TriedTau>;  ///< by rising tau

/// Takes tau=scan out of the settings of a fit of lord, and notes it in `scans_tau`. Throws `InvalidInput` where tau is
/// given a value too.
void take_tau_scan(FitOptions& options);
/// Throws `InvalidInput` where there are no true classes, and for a method that has no tau.
void check_tau_scan(const FitOptions& options, const ModelOptions& model);

/// Fits a model, and returns the accuracy of its labels. It ends early where `progress` says so.
using FitOfTau = std::function<double(const ModelOptions&, const FitProgress& progress)>;
/// Tries tau = 0, 0.01, ..., 1. Where `progress` says not to go on, it ends with those that were fitted to the end, or
/// with the first.
[[nodiscard]] TauScan scan_tau(const ModelOptions& model, const FitOfTau& accuracy, const FitProgress& progress);
/// Returns the model with the tau of the most accurate labels, and of equal ones the lowest.
[[nodiscard]] ModelOptions with_best_tau(ModelOptions model, const TauScan& scan);

/// Adds `tau_oracle` and `tau_scanned`.
void add_tau_scan(const TauScan& scan, nlohmann::ordered_json& json);
[[nodiscard]] TextRows tau_scan_rows(const TauScan& scan);

}  // namespace fairstream::fit
