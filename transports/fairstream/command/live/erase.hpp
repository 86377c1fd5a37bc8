#pragma once
/// `fairstream erase`: writes a new recording without some points.

#include <filesystem>

namespace fairstream::command {

struct EraseOptions {
    std::filesystem::path recording;
    std::filesystem::path ids;  ///< file with one id a line; "-": standard input
    std::filesystem::path to;   ///< the new recording
    int threads = 0;
    bool json = false;
};

/// Runs the command; returns 0, or throws.
int run_erase(const EraseOptions& options);

}  // namespace fairstream::command
