#pragma once
/// What `serve` and `check` say of a recording that its last writer did not close.

#include <string>

#include <fairstream/recording/recording.hpp>

namespace fairstream::command {

/// Empty where it was closed, or is being written.
[[nodiscard]] std::string told_of_unclosed_log(const recording::Recording& recording);

}  // namespace fairstream::command
