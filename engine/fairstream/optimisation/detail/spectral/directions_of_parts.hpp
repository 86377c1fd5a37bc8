#pragma once
/// The start of the exact solver on a graph in parts.

#include <cstdint>

#include <fairstream/optimisation/detail/spectral/problem.hpp>

namespace fairstream {

/// Returns eigenvectors of 1 that keep the constraints, as many as there are up to `width`, orthonormal, made from
/// those of the connected parts: E Y with QᵀE Y = 0, E having a column for each part. Where they are too many, Y is
/// random.
[[nodiscard]] Matrix directions_of_parts(const NormalisedAffinity& m, const Matrix& q, std::size_t width,
                                         std::uint64_t seed);

}  // namespace fairstream
