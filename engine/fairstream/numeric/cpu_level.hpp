#pragma once
/// The instruction set of the kernels.

#include <string_view>

namespace fairstream {

/// The instruction set the kernels use on this machine, e.g. "x86-64-v4": results are equal bit for bit only on equal
/// levels.
[[nodiscard]] std::string_view cpu_level() noexcept;

}  // namespace fairstream
