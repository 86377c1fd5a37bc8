#pragma once
/// `fairstream export`: writes the events of a recording as CSV, which `send` and `fit` read, and its configuration.

#include <optional>

#include <fairstream/command/live/event_files.hpp>

namespace fairstream::command {

struct ExportOptions : EventFiles {
    std::optional<Sequence> from;  ///< first event; empty: the oldest kept
    std::optional<Sequence> to;    ///< last event; empty: the newest
    bool leave_out_ahead = false;  ///< leave out points whose times are far ahead of the clock
};

int run_export(const ExportOptions& options);

}  // namespace fairstream::command
