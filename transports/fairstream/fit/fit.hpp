#pragma once
/// Fits one model to one file, with the same engine that a service runs.

#include <fairstream/fit/request/fit_options.hpp>
#include <fairstream/text/listener.hpp>

namespace fairstream::fit {

/// Fits a model, and writes the files that the options name, except the report. Throws `InvalidInput`, errors of
/// writing, and `Interrupted` if the listener ended the work before there was a result.
[[nodiscard]] FitResult fit(const FitOptions& options, Listener& listener);

}  // namespace fairstream::fit
