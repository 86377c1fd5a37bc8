#pragma once
/// `fairstream fit`: one model over one file, through the engine that a service runs.

#include <fairstream/command/fit/fit_options.hpp>

namespace fairstream::command {

/// Runs the command; returns 0, or `target_missed` where the clusters miss a target or a monitored figure left its
/// bound, or `met_in_part`, or throws. A signal to stop ends the process before anything is written.
int run_fit(const FitOptions& options);

}  // namespace fairstream::command
