#pragma once
/// `fairstream replay`: replays a recording, and compares it with a run under another configuration.

#include <filesystem>
#include <optional>

namespace fairstream::command {

struct ReplayOptions {
    std::filesystem::path recording;
    std::filesystem::path config;  ///< empty: the recorded configuration
    bool compare = false;          ///< run both configurations
    bool without_changes = false;  ///< leave out recorded changes of options; with `compare`, only in the other run
    int threads = 0;
    std::filesystem::path updates;  ///< file to write the updates to; empty: none
    std::filesystem::path labels;   ///< CSV to write the final labels to; empty: none
    std::optional<double> speed;    ///< multiple of the recorded pace; empty: as fast as possible
    bool verify = false;            ///< fail unless the updates equal the published ones
    bool json = false;
};

int run_replay(const ReplayOptions& options);

}  // namespace fairstream::command
