#pragma once
/// Texts with a given XXH64 of seed 0, as an attacker could make them: XXH64 is a permutation of the last 8 bytes.

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>

#include <fairstream/base/types.hpp>

namespace fairstream::test {

/// Returns the text of 16 bytes with this hash that begins with the 8 bytes `begin`.
inline std::string text_with_hash(std::uint64_t hash, const std::string& begin = "attacker") {
    constexpr std::uint64_t p1 = 0x9E3779B185EBCA87, p2 = 0xC2B2AE3D27D4EB4F, p3 = 0x165667B19E3779F9,
                            p4 = 0x85EBCA77C2B2AE63, p5 = 0x27D4EB2F165667C5;
    const auto inverse = [](std::uint64_t odd) {  // modulo 2^64; each step doubles the number of correct bits
        std::uint64_t found = odd;
        for (int step = 0; step < 6; ++step) found *= 2 - odd * found;
        return found;
    };
    const auto undo_shift = [](std::uint64_t x, int by) {
        std::uint64_t found = x;
        for (int done = by; done < 64; done += by) found = x ^ (found >> by);
        return found;
    };
    const auto lane = [&](std::uint64_t eight_bytes) { return std::rotl(eight_bytes * p2, 31) * p1; };
    std::uint64_t first = 0;
    std::memcpy(&first, begin.data(), sizeof first);
    const std::uint64_t after_first = std::rotl((p5 + 16) ^ lane(first), 27) * p1 + p4;
    std::uint64_t wanted = undo_shift(hash, 32) * inverse(p3);
    wanted = undo_shift(wanted, 29) * inverse(p2);
    wanted = undo_shift(wanted, 33);
    const std::uint64_t of_second = std::rotr((wanted - p4) * inverse(p1), 27) ^ after_first;
    const std::uint64_t second = std::rotr(of_second * inverse(p1), 31) * inverse(p2);
    std::string text = begin;
    text.append(reinterpret_cast<const char*>(&second), sizeof second);
    return text;
}

}  // namespace fairstream::test
