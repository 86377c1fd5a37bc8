#pragma once
/// The start of the exact solver on a graph of several connected parts.

#include <cstdint>

#include <fairstream/optimisation/detail/spectral/problem.hpp>

namespace fairstream {

/// Returns up to `width` orthonormal eigenvectors of eigenvalue 1 that meet the constraints, made from those of the
/// connected parts: E Y with QᵀE Y = 0, where E has a column for each part. If there are more than `width`, Y is
/// random.
[[nodiscard]] Matrix directions_of_parts(const NormalisedAffinity& m, const Matrix& q, std::size_t width,
                                         std::uint64_t seed);

}  // namespace fairstream
