#pragma once
/// The parts of a machine on which the bits of results depend.

#include <string_view>

namespace fairstream {

/// Returns the kernels' instruction set on this machine and the files of LAPACK and BLAS, e.g. "x86-64-v4
/// liblapack.so.3.11.0 libblas.so.3.11.0". Results are equal bit for bit only on equal levels.
[[nodiscard]] std::string_view cpu_level() noexcept;

}  // namespace fairstream
