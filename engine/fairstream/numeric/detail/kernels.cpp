#include <limits>
#include <string>

#include <fairstream/numeric/cpu_level.hpp>
#include <fairstream/numeric/detail/kernels.hpp>
#include <fairstream/numeric/detail/linear_algebra.hpp>

namespace fairstream {

extern const Kernels kernels_base;
extern const Kernels kernels_v3;
extern const Kernels kernels_v4;

const Kernels& kernels() noexcept {
#if defined(__x86_64__)
    static const Kernels& best = __builtin_cpu_supports("x86-64-v4")   ? kernels_v4
                                 : __builtin_cpu_supports("x86-64-v3") ? kernels_v3
                                                                       : kernels_base;
    return best;
#else
    return kernels_base;
#endif
}

std::string_view cpu_level() noexcept {
    static const std::string level = std::string(kernels().level) + ' ' + linear_algebra_libraries();
    return level;
}

void pack_centres(const float* centres, std::size_t k, std::size_t d, float* packed) noexcept {
    // The square of the padding overflows to infinity, above any distance of features within `feature_limit`.
    constexpr float far_away = std::numeric_limits<float>::max();
    for (std::size_t l = 0; l < k; ++l)
        for (std::size_t j = 0; j < d; ++j) packed[packed_offset(l, d) + j * centre_lanes] = centres[l * d + j];
    for (std::size_t l = k; l % centre_lanes != 0; ++l)
        for (std::size_t j = 0; j < d; ++j) packed[packed_offset(l, d) + j * centre_lanes] = far_away;
}

}  // namespace fairstream
