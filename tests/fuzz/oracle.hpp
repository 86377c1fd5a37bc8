#pragma once
/// The common part of fuzzing targets: the entry point, and the check of promises.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>

/// Called with each input, by libFuzzer or by `replay_corpus.cpp`. An input that breaks a promise ends the process.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace fairstream::fuzz {

/// Ends the process with the text of the broken `promise`, so that the fuzzer keeps the input as a crash.
inline void require(bool holds, const std::string& promise) {
    if (holds) return;
    std::fprintf(stderr, "fuzz: does not hold: %s\n", promise.c_str());
    std::abort();
}

[[nodiscard]] inline std::span<const std::byte> bytes_of(const std::uint8_t* data, std::size_t size) {
    return std::as_bytes(std::span(data, size));
}

}  // namespace fairstream::fuzz
