#pragma once
/// One model over one file, through the engine that a service runs.

#include <fairstream/fit/request/fit_options.hpp>
#include <fairstream/text/listener.hpp>

namespace fairstream::fit {

/// Fits a model, and writes the files that the options name but for the report. Throws `InvalidInput`, what writing
/// throws, and `Interrupted` where the listener wanted no more before there was a result.
[[nodiscard]] FitResult fit(const FitOptions& options, Listener& listener);

}  // namespace fairstream::fit
