#pragma once
/// A network that predicts, in an engine, as it was adjusted once and as it is without an adjustment or with another.

#include <optional>
#include <string>
#include <vector>

#include <fairstream/fit/stages/fit_stream.hpp>
#include <fairstream/fit/stages/labelled_points.hpp>
#include <fairstream/models/esvd_fair/esvd_fair.hpp>

namespace fairstream::fit {

/// Returns an engine whose model was trained on these points, or has its network, and was adjusted. All points are
/// there when it starts, unless an option says otherwise. Throws `InvalidInput` (not_ready) where it did not start;
/// ends the process where that is because it was stopped.
[[nodiscard]] Engine adjusted_engine(const FitOptions& options, const ModelOptions& model, const files::Table& training,
                                     const FitStop& stop, const FitProgress& progress, FitFigures& figures);
/// Adjusts the network once more, as its options are, unless `progress` says not to go on; returns the seconds.
[[nodiscard]] double solve_again(Engine& engine, const std::string& model, const FitProgress& progress);
/// Leaves the model with the network as it was given or trained; what it was adjusted by is lost.
void undo_adjustment(Engine& engine, const std::string& model);

/// The figures of a network that is adjusted by one of several limits.
struct CurveNetwork {
    double means = 1;                        ///< the option
    std::optional<double> c_e;               ///< limit of the squared gap of means; empty: none
    files::PartPredictionFairness fairness;  ///< by part
    bool on_front = false;  ///< no other has as low an error and as low a distance, where they are chosen
};

/// The price of fairness: networks by rising `means`, and the one without adjustment.
struct NetworkCurve {
    std::vector<CurveNetwork> networks;
    CurveNetwork unadjusted;  ///< its `means` has no meaning
};

/// Parses "1,0.3" into rising values of means. Throws `InvalidInput` (bad_option) unless they are such, and for a model
/// whose limits are chosen by a wish.
[[nodiscard]] std::vector<double> read_means(const std::string& text, const ModelOptions& model);
/// Adjusts the network of the engine by each of `means`, and judges it on every part. All come from one training.
/// Leaves out the rest where `progress` says not to go on.
[[nodiscard]] std::vector<CurveNetwork> networks_by(const std::vector<double>& means, Engine& engine,
                                                    const std::string& model, const files::PartPoints& points,
                                                    const FitProgress& progress);
/// Finds out who is on the front.
void find_front(NetworkCurve& curve);

/// Adds the curve, and the part on which its networks would be chosen.
void add_curve(const NetworkCurve& curve, nlohmann::ordered_json& json);
/// Returns a table with a row for each network.
[[nodiscard]] std::string curve_table(const NetworkCurve& curve);
/// Returns the contents of the plot `file`: error over distance.
[[nodiscard]] std::string curve_plot(const std::filesystem::path& file, const std::string& title,
                                     const NetworkCurve& curve);

}  // namespace fairstream::fit
