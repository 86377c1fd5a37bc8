#pragma once
/// `fairstream watch`: a subscriber that keeps a live view of one model.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include <fairstream/command/live/security.hpp>
#include <fairstream/config/config.hpp>
#include <fairstream/files/written/output.hpp>

namespace fairstream::command {

struct WatchOptions {
    std::string updates = config::WireOptions{}.updates;  ///< endpoints of the engine
    std::string control = config::WireOptions{}.control;
    std::string model;  ///< empty: the engine's only model
    KeyOptions keys;
    std::optional<std::uint64_t> until_sequence;  ///< end once the view is consistent at this event or a later one
    bool reconnect = false;                       ///< after a stop of the engine, wait for its return
    double timeout = 0;                           ///< seconds without news before giving up; 0: never
    std::filesystem::path labels;                 ///< CSV to write the labels or scores to at the end; empty: none
    files::RowFile rows;                          ///< CSV of rows to write at the end; the watch then follows rows
                                                  ///< instead of labels
    bool json = false;                            ///< print JSON lines, even on a terminal
};

/// Runs the command. Returns 0 when it was stopped or reached the sequence, 3 when the engine stopped first. Throws
/// when it gives up.
int run_watch(const WatchOptions& options);

}  // namespace fairstream::command
