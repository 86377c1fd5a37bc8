#pragma once
/// `fairstream fit`: one model over one file, through the engine that a service runs.

#include <string>
#include <vector>

#include <fairstream/command/fit/fit_options.hpp>
#include <fairstream/text/listener.hpp>

namespace fairstream::command {

struct FitResult {
    /// 0, `target_missed` where the clusters miss a target or a monitored figure left its bound, `met_in_part`, or
    /// `stopped_early`.
    int code = 0;
    std::string json;                      ///< the report
    std::string summary;                   ///< the same for people
    std::vector<std::string> missed = {};  ///< what is missed, a line each
};

/// Fits a model, and writes the files that the options name but for the report. Throws `InvalidInput`, what writing
/// throws, and `Interrupted` where the listener wanted no more before there was a result.
[[nodiscard]] FitResult fit(const FitOptions& options, Listener& listener);

/// Runs the command: fits, writes and prints the report; returns the code, or throws. A signal to stop ends the process
/// before anything is written.
int run_fit(const FitOptions& options);

}  // namespace fairstream::command
