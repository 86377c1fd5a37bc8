#pragma once
/// What a fit is asked for, and what it returns.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <fairstream/data/window.hpp>
#include <fairstream/files/input/input.hpp>
#include <fairstream/files/written/output.hpp>

namespace fairstream::fit {

inline constexpr std::size_t usual_batch = 1024;
inline constexpr const char* usual_curve = "0.01,0.02,0.05,0.1,0.15,0.2,0.3,0.5";  // of kappa
inline constexpr const char* usual_means_curve = "1,0.3,0.1,0.03,0.01,0.001";

struct FitOptions {
    std::string model;
    files::InputOptions input;
    std::optional<files::InputStream> stream;     ///< that the points are of; empty: they are made up, or nodes
    std::vector<std::string> feature_names = {};  ///< of the file, once it was read
    std::vector<std::string> settings;            ///< "option=value"
    bool scans_tau = false;                       ///< of lord: tau is the one that fits the true classes best
    std::optional<std::uint64_t> clusters;        ///< the option of that name
    std::optional<std::uint64_t> seed;            ///< the option of that name, and the window's seed
    std::filesystem::path network;                ///< file of the option of that name; empty: none
    bool trains = false;                          ///< a network is trained, as it is without a file of one
    /// Points per event; empty: `usual_batch`, or all for a model that solves for the window or predicts.
    std::optional<std::size_t> batch;
    std::optional<std::uint64_t> passes;  ///< times the points are sent, under the same ids; empty: 1
    /// Rounds of refinement; empty: until nothing improves, or none for a model of predictions, which is trained to its
    /// end.
    std::optional<std::int64_t> iterations;
    int threads = 0;
    std::optional<Slot> window;          ///< points retained; empty: all
    std::filesystem::path labels;        ///< CSV of a clustering to write; empty: none
    std::filesystem::path clusters_csv;  ///< CSV of profiles of the clusters to write; empty: none
    std::filesystem::path memberships;   ///< CSV of how probable clusters are to write; empty: none
    std::filesystem::path scores;        ///< CSV of scores or predictions to write; empty: none
    std::filesystem::path save_network;  ///< file of the adjusted network to write; empty: none
    std::filesystem::path densities;     ///< HTML or SVG of groups' predictions to write; empty: none
    /// Values of kappa, or of means of a model of predictions, each fitted too: "0.1,0.2". Empty text: the usual ones.
    std::optional<std::string> curve;
    std::filesystem::path plot;         ///< HTML or SVG of the curve to write; empty: none
    std::filesystem::path save_config;  ///< configuration of an engine process to write; empty: none
    std::filesystem::path save;         ///< recording of the fitted model to write; empty: none
    std::filesystem::path report;       ///< JSON to write; empty: a summary on stdout
    bool json = false;                  ///< JSON on stdout

    /// Returns all files to write, those that are not given too.
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
    /// 0, `target_missed` where the clusters miss a target or a monitored figure left its bound, `met_in_part`, or
    /// `stopped_early`.
    int code = 0;
    std::string json;                      ///< the report
    std::string summary;                   ///< the same for people
    std::vector<std::string> missed = {};  ///< what is missed, a line each
};

}  // namespace fairstream::fit
