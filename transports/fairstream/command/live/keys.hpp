#pragma once
/// `fairstream keys`: a key pair for an engine or a client.

#include <filesystem>

namespace fairstream::command {

struct KeysOptions {
    std::filesystem::path file;
};

int run_keys(const KeysOptions& options);

}  // namespace fairstream::command
