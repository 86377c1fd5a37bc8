#pragma once
/// The options of `fairstream fit`.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <fairstream/command/input/input.hpp>
#include <fairstream/data/window.hpp>

namespace fairstream::command {

inline constexpr std::size_t usual_batch = 1024;
inline constexpr const char* usual_curve = "0.01,0.02,0.05,0.1,0.15,0.2,0.3,0.5";

struct FitOptions {
    std::string model;
    InputOptions input;
    std::optional<config::StreamOptions> stream;  ///< of `input.config`; empty: the points say what they are
    std::vector<std::string> settings;            ///< "option=value"
    bool scans_tau = false;                       ///< of lord: tau is the one that fits the true classes best
    std::optional<std::uint64_t> clusters;        ///< the option of that name
    std::optional<std::uint64_t> seed;            ///< the option of that name, and the window's seed
    std::optional<std::string> affinity, solver;  ///< the options of those names
    std::optional<std::size_t> batch;        ///< points per event; empty: `usual_batch`, or all for a model that solves
    std::optional<std::uint64_t> passes;     ///< times the points are sent, under the same ids; empty: 1
    std::optional<std::int64_t> iterations;  ///< rounds of refinement; empty: until nothing improves
    int threads = 0;
    std::optional<Slot> window;         ///< points retained; empty: all
    std::filesystem::path labels;       ///< CSV of a clustering to write; empty: none
    std::filesystem::path memberships;  ///< CSV of how probable clusters are to write; empty: none
    std::filesystem::path scores;       ///< CSV of a model of scores to write; empty: none
    std::optional<std::string> curve;   ///< "kappa,...", each fitted too; without a value: `usual_curve`
    std::filesystem::path plot;         ///< HTML or SVG of the curve to write; empty: none
    std::filesystem::path report;       ///< JSON to write; empty: a summary on stdout
    bool json = false;                  ///< JSON on stdout
};

}  // namespace fairstream::command
