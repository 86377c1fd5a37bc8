#pragma once
/// `fairstream watch`: a subscriber that keeps a live view of one model.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include <fairstream/files/written/output.hpp>
#include <fairstream/command/live/security.hpp>
#include <fairstream/config/config.hpp>

namespace fairstream::command {

struct WatchOptions {
    std::string updates = config::WireOptions{}.updates;  ///< endpoints of the engine
    std::string control = config::WireOptions{}.control;
    std::string model;  ///< empty: the engine's only one
    KeyOptions keys;
    std::optional<std::uint64_t> until_sequence;  ///< end when the view is consistent at or after this event
    bool reconnect = false;                       ///< go on when the engine stops, until it is back
    double timeout = 0;                           ///< seconds without news before giving up; 0: never
    std::filesystem::path labels;                 ///< CSV to write the labels or scores to at the end; empty: none
    files::RowFile rows;                          ///< CSV of rows to write at the end, which are followed in place of
                                                  ///< labels then
    bool json = false;                            ///< JSON lines also on a terminal
};

/// Runs the command; returns 0 when it was stopped or the sequence was reached, 3 when the engine stopped before.
/// Throws when it gives up.
int run_watch(const WatchOptions& options);

}  // namespace fairstream::command
