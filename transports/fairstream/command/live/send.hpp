#pragma once
/// `fairstream send`: sends the points of a file or a generator as a producer.

#include <cstddef>
#include <optional>
#include <string>

#include <fairstream/command/live/security.hpp>
#include <fairstream/config/config.hpp>
#include <fairstream/input/input.hpp>

namespace fairstream::command {

struct SendOptions {
    std::string ingest = config::WireOptions{}.ingest;  ///< ingest endpoint of the engine
    std::string control;  ///< control endpoint of the engine; empty: the default one on the host of `ingest`
    files::InputOptions input;
    std::filesystem::path outcomes;  ///< CSV file of ids and outcomes to send instead of points; empty: points
    KeyOptions keys;
    std::string name;                  ///< name of the producer; empty: a new one for each run
    std::optional<std::size_t> batch;  ///< largest number of points in an event; empty: as in the file, or else 1024
    double rate = 0;                   ///< largest number of points per second; 0: no limit
    bool future_times = false;         ///< allow times more than a day ahead of this machine's clock
    double timeout = 10;  ///< seconds to wait for an engine that neither answers nor reports that it is busy
    bool json = false;
};

/// Runs the command. Returns 0 when every event is on disk, 1 when some were refused.
int run_send(const SendOptions& options);

}  // namespace fairstream::command
