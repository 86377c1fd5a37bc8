#pragma once
/// `fairstream salvage`: writes the readable events of a damaged recording as CSV, and names the lost ones. It alone
/// reads recordings as files of SQLite, because damage is in the pages of the file.

#include <filesystem>

#include <fairstream/command/live/event_files.hpp>

namespace fairstream::command {

struct SalvageOptions : EventFiles {
    std::filesystem::path config;  ///< replaces a damaged configuration of the recording; empty: none
    bool json = false;
};

/// Returns 1 if all events are lost.
int run_salvage(const SalvageOptions& options);

/// Returns whether the configuration or an event of a recording that cannot be opened can be read.
[[nodiscard]] bool can_be_salvaged(const std::filesystem::path& path);

}  // namespace fairstream::command
