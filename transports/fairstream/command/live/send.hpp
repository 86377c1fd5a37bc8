#pragma once
/// `fairstream send`: sends the points of a file or a generator as a producer.

#include <cstddef>
#include <optional>
#include <string>

#include <fairstream/command/live/security.hpp>
#include <fairstream/config/config.hpp>
#include <fairstream/files/input/input.hpp>

namespace fairstream::command {

struct SendOptions {
    std::string ingest = config::WireOptions{}.ingest;  ///< ingest endpoint of the engine
    std::string control;  ///< its control endpoint; empty: the usual one, where `ingest` is
    files::InputOptions input;
    std::filesystem::path outcomes;  ///< CSV file of ids and outcomes to send in place of points; empty: points
    KeyOptions keys;
    std::string name;                  ///< of the producer; empty: a new one for each run
    std::optional<std::size_t> batch;  ///< points per event at most; empty: those of an event in the file, or else 1024
    double rate = 0;                   ///< points per second at most; 0: no limit
    bool future_times = false;         ///< whether times may be more than a day ahead of this machine's clock
    double timeout = 10;  ///< seconds to wait for an engine that does not answer, nor says that it is at work
    bool json = false;
};

/// Runs the command; returns 0 when every event is on disk, 1 when some were refused.
int run_send(const SendOptions& options);

}  // namespace fairstream::command
