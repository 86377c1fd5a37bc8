#pragma once
/// The network of an engine that predicts: with its adjustment, without it, or with another adjustment.

#include <optional>
#include <string>
#include <vector>

#include <fairstream/fit/stages/fit_stream.hpp>
#include <fairstream/fit/stages/labelled_points.hpp>

namespace fairstream::fit {

/// Returns an engine whose network is trained on these points, or given, and then adjusted. The model starts when all
/// points have arrived, unless an option sets another start. If the model did not start, throws `Interrupted` after a
/// stop, otherwise `InvalidInput` (not_ready).
[[nodiscard]] Engine adjusted_engine(const FitOptions& options, const ModelOptions& model, const files::Table& training,
                                     const FitStop& stop, const FitProgress& progress, FitFigures& figures);
/// Adjusts the network once more with its current options, unless `progress` ends the work. Returns the seconds taken;
/// 0 for a model that never adjusts it.
[[nodiscard]] double solve_again(Engine& engine, const std::string& model, const FitProgress& progress);
/// Restores the network as given or trained. The options of its adjustment are lost.
void undo_adjustment(Engine& engine, const std::string& model);

/// The figures of the network for one limit of the gap.
struct CurveNetwork {
    double means = 1;                        ///< the option `means`
    std::optional<double> c_e;               ///< limit of the squared gap of means; nothing: none
    files::PartPredictionFairness fairness;  ///< by part
    bool on_front = false;                   ///< not dominated in error and distance, on the part that chooses
};

/// The price of fairness: networks by rising `means`, and the network without adjustment.
struct NetworkCurve {
    std::vector<CurveNetwork> networks;
    CurveNetwork unadjusted;  ///< its `means` has no meaning
};

/// Parses "1,0.3" into rising values of `means`. Throws `InvalidInput` (bad_option) for other text, and for a model
/// whose limits `ks_at_most` chooses.
[[nodiscard]] std::vector<double> read_means(const std::string& text, const ModelOptions& model);
/// Adjusts the network of the engine for each of `means`, and judges it on every part. All adjustments share one
/// training. Leaves out the rest if `progress` ends the work.
[[nodiscard]] std::vector<CurveNetwork> networks_by(const std::vector<double>& means, Engine& engine,
                                                    const std::string& model, const files::PartPoints& points,
                                                    const FitProgress& progress);
/// Sets `on_front` of all networks.
void find_front(NetworkCurve& curve);

/// Adds the curve, and the part on which its networks would be chosen.
void add_curve(const NetworkCurve& curve, nlohmann::ordered_json& json);
/// Returns a table with a row for each network.
[[nodiscard]] std::string curve_table(const NetworkCurve& curve);
/// Returns the contents of the plot `file`: error over distance.
[[nodiscard]] std::string curve_plot(const std::filesystem::path& file, const std::string& title,
                                     const NetworkCurve& curve);

}  // namespace fairstream::fit
