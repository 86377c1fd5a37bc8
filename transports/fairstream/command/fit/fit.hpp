#pragma once
/// `fairstream fit`: one model over one file, through the engine that a service runs.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <fairstream/command/input/input.hpp>
#include <fairstream/engine.hpp>

namespace fairstream::command {

inline constexpr std::size_t usual_batch = 1024;
inline constexpr const char* usual_curve = "0.01,0.02,0.05,0.1,0.15,0.2,0.3,0.5";

struct FitOptions {
    std::string model;
    InputOptions input;
    std::vector<std::string> settings;            ///< "option=value"
    std::optional<std::uint64_t> clusters;        ///< the option of that name
    std::optional<std::uint64_t> seed;            ///< the option of that name, and the window's seed
    std::optional<std::string> affinity, solver;  ///< the options of those names
    std::optional<std::size_t> batch;        ///< points per event; empty: `usual_batch`, or all for a model that solves
    std::optional<std::uint64_t> passes;     ///< times the points are sent, under the same ids; empty: 1
    std::optional<std::int64_t> iterations;  ///< rounds of refinement; empty: until nothing improves
    int threads = 0;
    std::optional<Slot> window;        ///< points retained; empty: all
    std::filesystem::path labels;      ///< CSV of a clustering to write; empty: none
    std::filesystem::path scores;      ///< CSV of a model of scores to write; empty: none
    std::optional<std::string> curve;  ///< "kappa,...", each fitted too; without a value: `usual_curve`
    std::filesystem::path plot;        ///< HTML or SVG of the curve to write; empty: none
    std::filesystem::path report;      ///< JSON to write; empty: a summary on stdout
    bool json = false;                 ///< JSON on stdout
};

/// Measurements of a fit that are not in the engine's state.
struct FitFigures {
    std::size_t batch = 0;      ///< points per event
    std::uint64_t points = 0;   ///< sent, each pass counted
    std::uint64_t steps = 0;    ///< events that stepped the model
    double churn = 0;           ///< mean over these events
    double ingest_seconds = 0;  ///< in `Engine::ingest` of batches
    double refine_seconds = 0;  ///< in `Engine::ingest` of the refinement
    double refine_churn = 0;
    Solve refinement;  ///< how it ended; untouched without one
    bool refined = false;
    std::vector<Figure> totals;  ///< the model's figures that add up, over all events that stepped it
};

/// Runs the command; returns 0, or `target_missed` where the clusters miss a target, or throws. A signal to stop ends
/// the process before anything is written.
int run_fit(const FitOptions& options);

/// Return the report as JSON, and as a summary for people. `engine` has one model.
[[nodiscard]] std::string fit_json(const FitOptions& options, const Engine& engine, const FitFigures& figures);
[[nodiscard]] std::string fit_summary(const FitOptions& options, const Engine& engine, const FitFigures& figures);

}  // namespace fairstream::command
