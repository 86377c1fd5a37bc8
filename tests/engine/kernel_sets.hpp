#pragma once
/// Every compiled set of kernels that this machine can run, and values to run them on.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <fairstream/numeric/detail/kernels.hpp>

#include "support/streams.hpp"

namespace fairstream {
extern const Kernels kernels_base;
extern const Kernels kernels_v3;
extern const Kernels kernels_v4;
}  // namespace fairstream

namespace fairstream::test {

inline constexpr float infinity = std::numeric_limits<float>::infinity();

inline std::vector<const Kernels*> runnable() {
    std::vector<const Kernels*> all{&kernels_base};
#if defined(__x86_64__)
    if (__builtin_cpu_supports("x86-64-v3")) all.push_back(&kernels_v3);
    if (__builtin_cpu_supports("x86-64-v4")) all.push_back(&kernels_v4);
#endif
    return all;
}

/// Values of many magnitudes and both signs; about one in eight is 0.
inline std::vector<float> values(std::size_t n, std::uint64_t seed) {
    Random random(seed);
    std::vector<float> x(n);
    for (float& v : x)
        v = random.below(8) == 0 ? 0 : normal(random) * std::ldexp(1.0F, static_cast<int>(random.below(20)) - 10);
    return x;
}

class KernelSets : public ::testing::TestWithParam<const Kernels*> {
protected:
    const Kernels& kernels = *GetParam();
};

inline std::string level_of(const ::testing::TestParamInfo<const Kernels*>& info) {
    std::string level = info.param->level;
    std::erase_if(level, [](char c) { return c == '-'; });
    return level;
}

}  // namespace fairstream::test
