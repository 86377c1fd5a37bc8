#pragma once
/// The request for a fit, and its result.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <fairstream/data/window.hpp>
#include <fairstream/files/written/output.hpp>
#include <fairstream/input/input.hpp>

namespace fairstream::fit {

inline constexpr std::size_t usual_batch = 1024;
inline constexpr const char* usual_curve = "0.01,0.02,0.05,0.1,0.15,0.2,0.3,0.5";  // values of kappa
inline constexpr const char* usual_means_curve = "1,0.3,0.1,0.03,0.01,0.001";

struct FitOptions {
    std::string model;
    files::InputOptions input;
    std::optional<files::InputStream> stream;     ///< stream of the points; nothing: generated points, or nodes
    std::vector<std::string> feature_names = {};  ///< from the file, once it was read
    std::vector<std::string> settings;            ///< "option=value"
    bool scans_tau = false;                       ///< for lord: use the tau whose labels fit the true classes best
    std::optional<std::uint64_t> clusters;        ///< option of that name
    std::optional<std::uint64_t> seed;            ///< option of that name, and the window's seed
    std::filesystem::path network;                ///< file for the option of that name; empty: none
    bool trains = false;                          ///< train a network, as happens anyway without a file
    /// Points per event. Nothing: `usual_batch`, or all points for a model that solves for the window or predicts.
    std::optional<std::size_t> batch;
    std::optional<std::uint64_t> passes;  ///< how often the points are sent, with the same ids; nothing: 1
    /// Rounds of refinement. Nothing: until nothing improves; for a model of predictions no rounds, as its training
    /// already runs to its end.
    std::optional<std::int64_t> iterations;
    std::uint64_t work = 300;  ///< limit on a refinement without `iterations`, in 10^9 multiply-adds; 0: no limit
    int threads = 0;
    std::optional<Slot> window;          ///< points retained; nothing: all
    std::filesystem::path labels;        ///< CSV of a clustering to write; empty: none
    std::filesystem::path clusters_csv;  ///< CSV of profiles of the clusters to write; empty: none
    std::filesystem::path memberships;   ///< CSV of cluster probabilities to write; empty: none
    std::filesystem::path scores;        ///< CSV of scores or predictions to write; empty: none
    std::filesystem::path save_network;  ///< file of the adjusted network to write; empty: none
    std::filesystem::path densities;     ///< HTML or SVG of the groups' predictions to write; empty: none
    /// Further values to fit, such as "0.1,0.2": of `kappa` for a model of scores, of `means` for a model of
    /// predictions. Empty text: the default values.
    std::optional<std::string> curve;
    std::filesystem::path plot;         ///< HTML or SVG of the curve to write; empty: none
    std::filesystem::path save_config;  ///< configuration of an engine process to write; empty: none
    std::filesystem::path save;         ///< recording of the fitted model to write; empty: none
    std::filesystem::path report;       ///< JSON to write; empty: a summary on stdout
    bool json = false;                  ///< print JSON on stdout

    /// Returns all output files, including those not given.
    [[nodiscard]] std::vector<files::OutputFile> outputs() const {
        return {{"--labels", labels},
                {"--clusters-csv", clusters_csv},
                {"--probabilities", memberships},
                {"--scores", scores},
                {"--report", report},
                {"--save-network", save_network},
                {"--plot", plot},
                {"--densities", densities},
                {"--save-config", save_config},
                {"--bad-rows-to", input.bad_rows_file},
                {"--save", save}};
    }
};

struct FitResult {
    /// The exit code: 0; `target_missed` if the clusters miss a target or a bounded figure left its bound;
    /// `met_in_part`; or `stopped_early`.
    int code = 0;
    std::string json;                      ///< the report
    std::string summary;                   ///< the report for people
    std::vector<std::string> missed = {};  ///< missed targets or bounds, a line each
};

}  // namespace fairstream::fit
