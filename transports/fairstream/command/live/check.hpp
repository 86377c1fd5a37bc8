#pragma once
/// `fairstream check`: is this configuration, or this recording, in order?

#include <filesystem>

namespace fairstream::command {

struct CheckOptions {
    std::filesystem::path config;
    std::filesystem::path recording;
    bool json = false;
};

int run_check(const CheckOptions& options);

}  // namespace fairstream::command
