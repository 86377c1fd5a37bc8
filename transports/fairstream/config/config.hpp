#pragma once
/// The configuration of an engine process: one TOML file, and the text by which a recording remembers its engine.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <fairstream/engine.hpp>

namespace fairstream::config {

/// [recording]
struct RecordingOptions {
    std::filesystem::path path;              ///< empty: it must come from the command line
    std::uint64_t keep_events = 0;           ///< events kept before the older of the two kept checkpoints; 0: all
    std::uint64_t checkpoint_events = 4096;  ///< events between two checkpoints, at least 1; higher: longer recovery
    std::uint64_t checkpoint_bytes = std::uint64_t{256} << 20;  ///< or bytes of them, at least 1
    std::uint64_t refused_rows = 1000;                          ///< newest refused messages kept
    std::uint64_t refused_bytes = 64 << 10;                     ///< of each of them kept
    bool any_cpu_level = false;  ///< replay events that another CPU level took in: labels may differ
    bool operator==(const RecordingOptions&) const = default;
};

/// [ingest], [updates] and [control]
struct WireOptions {
    std::string ingest = "tcp://127.0.0.1:7400";   ///< endpoint that takes events
    std::string updates = "tcp://127.0.0.1:7401";  ///< endpoint that publishes
    std::string control = "tcp://127.0.0.1:7402";  ///< endpoint that answers requests
    std::uint32_t credit = 64;                     ///< events a producer may have unanswered, in [1, 65536]
    std::uint32_t commit_events = 64;              ///< events per commit while more are waiting, in [1, 65536]
    std::uint64_t max_message_bytes = std::uint64_t{4} << 20;  ///< of an event or a request, in [4096, 256 MiB]
    std::uint32_t ingest_connections = 64;                     ///< open at a time, in [1, 65536], as are the next two
    std::uint32_t updates_connections = 128;
    std::uint32_t control_connections = 128;
    std::uint32_t update_queue = 1000;                   ///< publications that may wait for a subscriber, in [1, 10^6]
    std::uint64_t ring_messages = 1024;                  ///< newest publications of each topic kept for repair
    std::uint64_t ring_bytes = std::uint64_t{16} << 20;  ///< and their bytes, at most 128 MiB
    /// Events after which a producer that sent none of them is forgotten, at least 1; and how many are known at most,
    /// at least 1. A forgotten one must come with a new epoch.
    std::uint64_t producer_idle_events = 100'000'000;
    std::uint64_t producers = 10'000;
    bool operator==(const WireOptions&) const = default;
};

/// A client that may send events: "KEY", or "NAME=KEY" for one that may do so only as the producer of that name, and no
/// other key may.
struct ProducerKey {
    std::string key;
    std::string name;  ///< empty: any that is bound to no key
    bool operator==(const ProducerKey&) const = default;
};

/// [security]. With keys every connection is encrypted, and only those who are listed may connect. Without, only
/// loopback and ipc endpoints are bound unless `allow_plain_network`. All lists are of public keys, 40 characters of
/// Z85 each.
struct SecurityOptions {
    std::filesystem::path keys;            ///< file of this process's key pair; empty: none
    std::vector<std::string> clients;      ///< may do all that follows
    std::vector<ProducerKey> producers;    ///< may send events
    std::vector<std::string> subscribers;  ///< may follow updates, and ask for what changes nothing
    std::vector<std::string> controllers;  ///< may ask for everything, a stop included
    bool allow_plain_network = false;
    bool operator==(const SecurityOptions&) const = default;
};

struct ProcessOptions {
    EngineOptions engine;
    int threads = 0;  ///< tasks of the engine, in [0, 1024]; 0: as many as there are cores
    RecordingOptions recording;
    WireOptions wire;
    SecurityOptions security;
    bool operator==(const ProcessOptions&) const = default;
};

/// Throws `InvalidInput` for text that is not TOML, keys and options that do not exist, and values out of range:
/// "SOURCE:LINE:COLUMN: what is wrong".
[[nodiscard]] ProcessOptions parse(std::string_view text, const std::string& source);
/// Reads a text by `write_toml` as a recording keeps it: an option that it does not mention means what it meant before
/// there was that option, where `parse` takes the default. What was taken in once is not refused for its work again:
/// without an `event_work_limit`.
[[nodiscard]] EngineOptions parse_recorded(std::string_view text, const std::string& source);
/// The same for a file.
[[nodiscard]] ProcessOptions load(const std::filesystem::path& path);

/// The part of a configuration that decides an engine's results, in one fixed form: equal options, equal text.
/// `parse_recorded` reads it back to equal options, but for the limit of work. Throws `InvalidInput` (bad_option) for
/// names that are not UTF-8.
[[nodiscard]] std::string write_toml(const EngineOptions& options);
/// The same part as a configuration file has it, every option said: `parse` reads it back to equal options.
[[nodiscard]] std::string write_config(const EngineOptions& options);

/// The lines in which two such texts differ, "- " before those of `recorded` and "+ " before those of `given`, each
/// with its section in front. None for equal texts only.
[[nodiscard]] std::vector<std::string> differences(const std::string& recorded, const std::string& given);

}  // namespace fairstream::config
