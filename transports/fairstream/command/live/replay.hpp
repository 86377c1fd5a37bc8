#pragma once
/// `fairstream replay`: replays a recording, and compares it with a run under another configuration.

#include <filesystem>
#include <optional>

namespace fairstream::command {

struct ReplayOptions {
    std::filesystem::path recording;
    std::filesystem::path config;  ///< empty: the recorded one
    bool compare = false;          ///< run both
    bool without_changes = false;  ///< leave recorded changes of options out, of the other configuration if both run
    int threads = 0;
    std::filesystem::path updates;  ///< file to write the updates to; empty: none
    std::filesystem::path labels;   ///< CSV to write the final labels to; empty: none
    std::optional<double> speed;    ///< times the recorded pace; empty: as fast as possible
    bool verify = false;            ///< fail unless the updates are those that were published
    bool json = false;
};

int run_replay(const ReplayOptions& options);

}  // namespace fairstream::command
