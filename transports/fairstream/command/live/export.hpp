#pragma once
/// `fairstream export`: writes the events of a recording as CSV, which `send` and `fit` read, and its configuration.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include <fairstream/base/types.hpp>

namespace fairstream::command {

struct ExportOptions {
    std::filesystem::path recording;
    std::filesystem::path points;       ///< CSV of the points; "-": standard output, the default without other outputs
    std::filesystem::path events;       ///< CSV of the other events; "-": standard output; empty: not written
    std::filesystem::path outcomes;     ///< CSV of the outcomes; "-": standard output; empty: not written
    std::filesystem::path save_config;  ///< configuration file; "-": standard output; empty: not written
    std::optional<Sequence> from;       ///< first event; empty: the oldest kept
    std::optional<Sequence> to;         ///< last event; empty: the newest
    bool leave_out_ahead = false;       ///< leave out points whose times are far ahead of the clock
    bool damaged = false;               ///< skip damaged parts, which are refused otherwise
    std::filesystem::path config;       ///< replaces a damaged configuration of the recording; empty: none
};

/// Returns the help text on the columns.
[[nodiscard]] std::string export_help();

int run_export(const ExportOptions& options);

}  // namespace fairstream::command
