#pragma once
/// `fairstream check`: verifies a configuration or a recording.

#include <filesystem>

namespace fairstream::command {

struct CheckOptions {
    std::filesystem::path config;
    std::filesystem::path recording;
    bool json = false;
};

int run_check(const CheckOptions& options);

}  // namespace fairstream::command
