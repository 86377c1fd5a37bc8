#pragma once
/// `fairstream front`: the whole trade-off between cost and balance, or parity, over one file.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <fairstream/command/input/input.hpp>
#include <fairstream/models/safairkm/front.hpp>

namespace fairstream::command {

struct FrontCommandOptions {
    InputOptions input;
    safairkm::FrontOptions front;
    std::vector<std::string> settings;    ///< "option=value", of safairkm
    std::vector<std::string> pairs;       ///< "n_a:n_b"; empty: as `front` has them
    std::vector<std::string> attributes;  ///< columns to balance; empty: the first of `input.groups`
    std::string measure = "balance";      ///< or "parity"
    int threads = 0;
    std::string pick;                   ///< "knee", "balance>=X" or "parity>=X", "cost<=X"; empty: none
    std::vector<std::string> overlays;  ///< JSON reports of other fronts, "FILE" or "NAME=FILE"
    std::filesystem::path report;       ///< JSON to write
    std::filesystem::path table;        ///< CSV to write
    std::filesystem::path plot;         ///< HTML or SVG to write, by the file's ending
    std::filesystem::path labels;       ///< CSV of the picked point's labels to write
    bool json = false;                  ///< JSON on stdout
};

/// Runs the command; returns 0, or 1 when it was stopped, after writing the points found so far; or throws.
int run_front(const FrontCommandOptions& options);

/// Figures reported with a front.
struct FrontFigures {
    StreamFormat format;
    std::size_t points = 0;  ///< n
    double seconds = 0;      ///< of the search
    double cpu_seconds = 0;  ///< of the process, in that time
    bool stopped = false;
    std::optional<std::size_t> picked = {};
    std::optional<FairnessTally> tally = {};  ///< of the picked point
    std::vector<safairkm::LeftOutGroup> left_out = {};
};

/// Returns the name of the measure traded against cost: "balance of sex".
[[nodiscard]] std::string fairness_name(const FrontCommandOptions& options, const StreamFormat& format);
[[nodiscard]] std::string front_json(const FrontCommandOptions& options, const Front& front,
                                     const FrontFigures& figures);
/// Returns the front as CSV: "cost,balance" or "cost,parity" and, for several attributes, their names; a row per point.
[[nodiscard]] std::string front_csv(const FrontCommandOptions& options, const Front& front,
                                    const FrontFigures& figures);
[[nodiscard]] std::string front_summary(const FrontCommandOptions& options, const Front& front,
                                        const FrontFigures& figures);

}  // namespace fairstream::command
