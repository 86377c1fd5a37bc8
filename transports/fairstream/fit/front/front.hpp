#pragma once
/// The trade-off between cost and balance, or parity, for one file or graph.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fairstream/fairness/tally.hpp>
#include <fairstream/figures/json.hpp>
#include <fairstream/files/written/output.hpp>
#include <fairstream/fit/front/front_model.hpp>
#include <fairstream/input/input.hpp>
#include <fairstream/models/front.hpp>
#include <fairstream/options.hpp>
#include <fairstream/plots/front_plot.hpp>
#include <fairstream/text/listener.hpp>

namespace fairstream::fit {

struct FrontOptions {
    std::string model{model_name(safairkm::Options{})};
    files::InputOptions input;
    // Nothing: the default of the model's search.
    std::optional<std::uint64_t> clusters, starts, stages, rounds, iterations, limit, seed;
    std::optional<double> gap;
    std::vector<std::string> settings;    ///< "option=value" of the model
    std::vector<std::string> pairs;       ///< "n_a:n_b", for safairkm
    std::vector<std::string> attributes;  ///< columns to balance; empty: the first of `input.groups`
    std::string measure = "balance";      ///< or "parity"
    int threads = 0;
    std::string pick;                   ///< "knee", "balance>=X", "parity>=X", "cost<=X" (by the cost's name), or empty
    std::vector<std::string> overlays;  ///< JSON reports of other fronts, "FILE" or "NAME=FILE"
    std::filesystem::path report;       ///< JSON to write
    std::filesystem::path table;        ///< CSV to write
    std::filesystem::path plot;         ///< HTML or SVG to write, by the file's ending
    std::filesystem::path labels;       ///< CSV of the picked point's labels to write
    bool json = false;                  ///< print JSON on stdout

    /// Returns all output files, including those not given.
    [[nodiscard]] std::vector<files::OutputFile> outputs() const {
        return {{"--report", report},
                {"--csv", table},
                {"--plot", plot},
                {"--labels", labels},
                {"--bad-rows-to", input.bad_rows_file}};
    }
};

/// Returns the name that reports use for the figure traded against cost: the measure; for several attributes
/// "balance_share", where each attribute counts as a share of its best value.
[[nodiscard]] std::string traded_measure_name(const FrontOptions& options);

/// Figures reported with a front.
struct FrontFigures {
    StreamFormat format;
    std::size_t points = 0;                 ///< n
    std::optional<std::size_t> edges = {};  ///< number of edges of a graph
    double seconds = 0;                     ///< duration of the search
    double cpu_seconds = 0;                 ///< processor time of the process during the search
    bool stopped = false;
    std::optional<std::size_t> picked = {};
    std::optional<FairnessTally> tally = {};  ///< tally of the picked point
    std::vector<LeftOutGroup> left_out = {};
    std::optional<files::InputStream> stream = {};  ///< stream of the points; nothing: generated points, or nodes
    PreparationFigures preparation = {};            ///< figures of that stream
};

/// The contents of the reports.
struct FrontReport {
    const FrontOptions& options;
    const FrontModel& model;
    const Front& front;
    const FrontFigures& figures;
};

/// Returns the name of the measure traded against cost, with the rare groups that it leaves out: "balance of sex
/// without 'x'".
[[nodiscard]] std::string fairness_name(const FrontReport& report);
[[nodiscard]] std::string front_json(const FrontReport& report);
/// Returns the front as CSV: a heading "cost,balance", with a further column for each attribute if there are several,
/// and a row for each point.
[[nodiscard]] std::string front_csv(const FrontReport& report);
[[nodiscard]] std::string front_summary(const FrontReport& report);

/// A front for the points or the graph that options name, and its outputs.
class FrontJob {
public:
    /// Reads the input and finds the front, until the listener ends the search. Throws `InvalidInput`.
    FrontJob(FrontOptions options, Listener& listener);

    [[nodiscard]] std::string json() const { return front_json(report()) + "\n"; }
    [[nodiscard]] std::string summary() const { return front_summary(report()); }
    /// Writes the files that the options name.
    void write() const;
    /// Returns why the requested point could not be picked.
    [[nodiscard]] const std::optional<InvalidInput>& missing_pick() const noexcept { return missing_pick_; }
    /// Returns whether the search was stopped before its end.
    [[nodiscard]] bool is_stopped() const noexcept { return figures_.stopped; }

private:
    [[nodiscard]] FrontReport report() const { return {options_, *model_, front_, figures_}; }

    FrontOptions options_;
    std::unique_ptr<FrontModel> model_;
    std::vector<plots::NamedFront> drawn_;  // other fronts to draw beside this one
    FrontInput input_;
    Front front_;
    FrontFigures figures_;
    std::optional<InvalidInput> missing_pick_;
};

}  // namespace fairstream::fit
