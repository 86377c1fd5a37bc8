#pragma once
/// `fairstream front`: the whole trade-off between cost and balance, or parity, over one file or graph.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <fairstream/command/front/front_model.hpp>
#include <fairstream/command/input/input.hpp>
#include <fairstream/fairness/tally.hpp>
#include <fairstream/figures/json.hpp>
#include <fairstream/models/front.hpp>
#include <fairstream/options.hpp>

namespace fairstream::command {

struct FrontCommandOptions {
    std::string model{model_name(safairkm::Options{})};
    InputOptions input;
    // Empty: as the model's search has them.
    std::optional<std::uint64_t> clusters, starts, stages, rounds, iterations, limit, seed;
    std::optional<double> gap;
    std::vector<std::string> settings;    ///< "option=value", of the model
    std::vector<std::string> pairs;       ///< "n_a:n_b" of safairkm
    std::vector<std::string> attributes;  ///< columns to balance; empty: the first of `input.groups`
    std::string measure = "balance";      ///< or "parity"
    int threads = 0;
    std::string pick;                   ///< "knee", "balance>=X" or "parity>=X", "cost<=X" by the cost's name; or empty
    std::vector<std::string> overlays;  ///< JSON reports of other fronts, "FILE" or "NAME=FILE"
    std::filesystem::path report;       ///< JSON to write
    std::filesystem::path table;        ///< CSV to write
    std::filesystem::path plot;         ///< HTML or SVG to write, by the file's ending
    std::filesystem::path labels;       ///< CSV of the picked point's labels to write
    bool json = false;                  ///< JSON on stdout
};

/// Runs the command; returns 0, or 1 when it was stopped, after writing the points found so far; or throws.
int run_front(const FrontCommandOptions& options);

/// Returns the name, in reports, of what is weighed against cost: the measure, or "balance_share" where it is of
/// several attributes, each as a share of the best one.
[[nodiscard]] std::string weighed_name(const FrontCommandOptions& options);

/// Figures reported with a front.
struct FrontFigures {
    StreamFormat format;
    std::size_t points = 0;                 ///< n
    std::optional<std::size_t> edges = {};  ///< of a graph
    double seconds = 0;                     ///< of the search
    double cpu_seconds = 0;                 ///< of the process, in that time
    bool stopped = false;
    std::optional<std::size_t> picked = {};
    std::optional<FairnessTally> tally = {};  ///< of the picked point
    std::vector<LeftOutGroup> left_out = {};
    std::optional<InputStream> stream = {};  ///< that the points are of; empty: they are made up, or nodes
    PreparationFigures preparation = {};     ///< of that stream
};

/// What the reports are made from.
struct FrontReport {
    const FrontCommandOptions& options;
    const FrontModel& model;
    const Front& front;
    const FrontFigures& figures;
};

/// Returns the name of the measure traded against cost: "balance of sex".
[[nodiscard]] std::string fairness_name(const FrontReport& report);
[[nodiscard]] std::string front_json(const FrontReport& report);
/// Returns the front as CSV: "cost,balance" by the names of both and, for several attributes, theirs; a row per point.
[[nodiscard]] std::string front_csv(const FrontReport& report);
[[nodiscard]] std::string front_summary(const FrontReport& report);

}  // namespace fairstream::command
