#pragma once
/// `fairstream fit` and `fairstream front`: one model over one file.

#include <fairstream/fit/fit.hpp>
#include <fairstream/fit/front/front.hpp>

namespace fairstream::command {

/// Fits a model, writes the files and prints the report. Returns the exit code, or throws. A signal to stop ends the
/// process if there is no result yet; otherwise the best result so far is written.
int run_fit(const fit::FitOptions& options);

/// Finds a front, prints the report and writes the files. Returns 0; returns 1 when it was stopped, after it wrote the
/// points found so far. Throws on errors.
int run_front(const fit::FrontOptions& options);

}  // namespace fairstream::command
