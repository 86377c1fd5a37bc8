#pragma once
/// `fairstream fit` and `fairstream front`: one model over one file.

#include <fairstream/fit/fit.hpp>
#include <fairstream/fit/front/front.hpp>

namespace fairstream::command {

/// Fits, writes and prints the report; returns the code, or throws. A signal to stop ends the process before anything
/// is written.
int run_fit(const fit::FitOptions& options);

/// Finds a front, prints the report and writes the files; returns 0, or 1 when it was stopped, after writing the points
/// found so far; or throws.
int run_front(const fit::FrontOptions& options);

}  // namespace fairstream::command
