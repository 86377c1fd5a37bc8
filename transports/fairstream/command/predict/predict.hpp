#pragma once
/// `fairstream predict`: labels, scores or probabilities for the points of a file, from a fitted or a running model.
/// The points are not taken in: the model stays unchanged.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <fairstream/command/live/security.hpp>
#include <fairstream/files/written/output.hpp>
#include <fairstream/input/input.hpp>

namespace fairstream::command {

struct PredictOptions {
    std::string by;     ///< a recording (also from `fit --save`), or the control endpoint of an engine
    std::string model;  ///< name; empty: the only one
    files::InputOptions input;
    bool fair = false;             ///< labels must keep the targets; if false, model and file decide
    bool nearest = false;          ///< labels are the nearest clusters
    std::filesystem::path labels;  ///< CSV of labels to write; empty: none
    std::filesystem::path scores;  ///< CSV of scores or predictions to write; empty: none
    files::RowFile rows;           ///< CSV of rows of numbers to write; empty: none
    std::filesystem::path report;  ///< JSON to write; empty: none
    bool json = false;             ///< print the report as JSON instead of a summary
    double timeout = 10;           ///< seconds to wait for each answer of a running engine
    KeyOptions keys;
    int threads = 0;

    /// Returns whether `by` is an endpoint and not a file.
    [[nodiscard]] bool asks_engine() const { return by.find("://") != std::string::npos; }
    /// Returns all output files, including those not given.
    [[nodiscard]] std::vector<files::OutputFile> outputs() const {
        return {{"--labels", labels},
                {"--scores", scores},
                {rows.words().option, rows.path},
                {"--report", report},
                {"--bad-rows-to", input.bad_rows_file}};
    }
};

/// Returns the help text on the input and the outputs.
[[nodiscard]] std::string predict_help();

/// Runs the command; returns 0, or throws.
int run_predict(const PredictOptions& options);

}  // namespace fairstream::command
