#pragma once
/// The number of repetitions of a randomised test.

#include <cstdint>
#include <cstdlib>

namespace fairstream::test {

/// Reads the number from an environment variable, for longer runs by hand; `usual` if it is not set.
inline std::uint64_t repetitions(const char* variable, std::uint64_t usual) {
    const char* const said = std::getenv(variable);
    return said == nullptr ? usual : std::strtoull(said, nullptr, 10);
}

}  // namespace fairstream::test
