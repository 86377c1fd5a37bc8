#pragma once
/// Names what the bits of results depend on beside the program.

#include <string_view>

namespace fairstream {

/// The instruction set that the kernels use on this machine and the files that LAPACK and BLAS come from, e.g.
/// "x86-64-v4 liblapack.so.3.11.0 libblas.so.3.11.0": results are equal bit for bit only on equal levels.
[[nodiscard]] std::string_view cpu_level() noexcept;

}  // namespace fairstream
