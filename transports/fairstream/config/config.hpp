#pragma once
/// The configuration of an engine process: one TOML file, and the canonical text of it that a recording keeps.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <fairstream/engine.hpp>
#include <fairstream/files/reader_settings.hpp>

namespace fairstream::config {

/// [recording]
struct RecordingOptions {
    std::filesystem::path path;  ///< empty: it must come from the command line
    // See log::sqlite::Settings: an event before the older of the two kept checkpoints is deleted where one is against
    // it.
    std::uint64_t keep_events = 0;           ///< events kept before that checkpoint; 0: all
    std::int64_t keep_for = 0;               ///< microseconds, since an event came, that it is kept for; 0: for ever
    std::uint64_t keep_bytes = 0;            ///< bytes of the newest events that are kept; 0: any number
    std::uint64_t checkpoint_events = 4096;  ///< events between two checkpoints, at least 1; higher: longer recovery
    std::uint64_t checkpoint_bytes = std::uint64_t{256} << 20;  ///< or this many bytes of events, at least 1
    std::uint64_t checkpoint_work = 10'000'000'000;  ///< or multiply-adds that they took, counted, at least 1
    std::uint64_t refused_rows = 1000;               ///< newest refused messages kept
    std::uint64_t refused_bytes = 64 << 10;          ///< kept of each such message
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
    std::uint64_t max_message_bytes = std::uint64_t{4} << 20;  ///< longest event or request, in [4096, 256 MiB]
    std::uint32_t ingest_connections = 64;                     ///< open at a time, in [1, 65536], as are the next two
    std::uint32_t updates_connections = 128;
    std::uint32_t control_connections = 128;
    std::uint32_t update_queue = 1000;                   ///< publications that may wait for a subscriber, in [1, 10^6]
    std::uint64_t ring_messages = 1024;                  ///< newest publications of each topic kept for repair
    std::uint64_t ring_bytes = std::uint64_t{16} << 20;  ///< bytes of these publications, at most 128 MiB
    /// Events after which a producer that sent none of them is forgotten, and the most producers remembered; both at
    /// least 1. A forgotten producer must use a new epoch.
    std::uint64_t producer_idle_events = 100'000'000;
    std::uint64_t producers = 10'000;
    /// How far the time of an event may be ahead of the engine's clock, in microseconds, or it is refused; 0: a day, or
    /// a tenth of the window's `max_age` if that is less, but at least a second; `wire::any_time_ahead`: any, "any" in
    /// the file.
    std::int64_t ahead_at_most = 0;
    bool operator==(const WireOptions&) const = default;
};

/// [clients]: limits of each client, which is a key, or the name that it is bound to; without keys a user at an ipc
/// endpoint, or all programs that use tcp on loopback together.
struct ClientOptions {
    std::uint32_t names = 100;           ///< producers that are known of it, in [1, 10^6], as are the others
    std::uint32_t connections = 65536;   ///< to each socket
    std::uint32_t subscriptions = 4096;  ///< topics, over all of its connections
    bool operator==(const ClientOptions&) const = default;
};

/// A client that may send events: "KEY", or "NAME=KEY" for a client that may send as producer NAME only, a name which
/// keys not bound to it may not use; or a table of `key`, and `name` or `names`.
struct ProducerKey {
    std::string key;
    std::string name;         ///< empty: any name that is bound to no key
    std::uint32_t names = 0;  ///< producers that are known of it, in [1, 10^6]; 0: as many as of any client
    bool operator==(const ProducerKey&) const = default;
};

/// [security]. With keys every connection is encrypted, and only those who are listed may connect. Without, only
/// loopback and ipc endpoints are bound unless `allow_plain_network`. All lists are of public keys, 40 characters of
/// Z85 each.
struct SecurityOptions {
    std::filesystem::path keys;            ///< file of this process's key pair; empty: none
    std::vector<std::string> clients;      ///< have all of the rights below
    std::vector<ProducerKey> producers;    ///< may send events
    std::vector<std::string> subscribers;  ///< may follow updates and make requests that change nothing
    std::vector<std::string> controllers;  ///< may make any request, a stop included
    bool allow_plain_network = false;
    bool operator==(const SecurityOptions&) const = default;
};

struct ProcessOptions {
    EngineOptions engine;
    files::ReaderSettings reader;
    int threads = 0;  ///< tasks of the engine, in [0, 1024]; 0: one per core
    RecordingOptions recording;
    WireOptions wire;
    ClientOptions clients;
    SecurityOptions security;
    bool operator==(const ProcessOptions&) const = default;
};

/// What the points of a stream look like, how they are prepared, and how files of them are written: [stream],
/// [prepare] and [files].
struct StreamOptions {
    StreamFormat format;
    PrepareOptions prepare;
    files::ReaderSettings reader = {};
    bool operator==(const StreamOptions&) const = default;
};

/// Throws `InvalidInput` for text that is not TOML, keys and options that do not exist, and values out of range:
/// "SOURCE:LINE:COLUMN: what is wrong". An option that is given as a file, `network` = "@FILE", is read from there
/// (`files::option_value`), a relative path from the current directory, and not from the folder of the configuration.
[[nodiscard]] ProcessOptions parse(std::string_view text, const std::string& source);
/// Parses a recording's configuration text, as `write_toml` wrote it. A missing option gets the behaviour from before
/// it existed, not its default as in `parse`, and "@FILE" is no value. `event_work_limit` is lifted, so that a replay
/// refuses no recorded event for its work.
[[nodiscard]] EngineOptions parse_recorded(std::string_view text, const std::string& source);
/// Returns of such a text how the stream's files are written. Throws as `parse_recorded` does.
[[nodiscard]] files::ReaderSettings recorded_reader_settings(std::string_view text, const std::string& source);
/// Parses the configuration file `path`, as `parse` does its text.
[[nodiscard]] ProcessOptions load(const std::filesystem::path& path);
/// Does so for a file that may say nothing of the engine: without a stream, a window, a preparation and models, in
/// place of which a recording's are taken, `engine` has its defaults, no models among them.
[[nodiscard]] ProcessOptions load_process(const std::filesystem::path& path);
/// Says whether these options say nothing of the engine: of `event_work_limit` at most.
[[nodiscard]] bool is_without_engine(const ProcessOptions& options);
/// Parses the configuration file `path`, and returns of it what is of the stream. There may be no model, and whether
/// those there are go with the stream and the window is not looked at.
[[nodiscard]] StreamOptions load_stream(const std::filesystem::path& path);
/// Does so for the models, which may be none.
[[nodiscard]] std::vector<ModelSetup> load_models(const std::filesystem::path& path);

/// Takes over that ids are hashes of texts from the format of a recording for which a configuration was given: it need
/// not say so, as configurations did not when such recordings began.
void keep_hashed_ids(const StreamFormat& recorded, StreamFormat& given);

/// Returns the canonical text of the options that decide an engine's results, and of how the stream's files are
/// written, which do not: equal options give equal text.
/// `parse_recorded` reads it back to equal options, except `event_work_limit`, and how values are filled in of columns
/// that may not be missing, which has no effect. Throws `InvalidInput` (bad_option) for
/// names that are not UTF-8.
[[nodiscard]] std::string write_toml(const EngineOptions& options, const files::ReaderSettings& reader = {});
/// Returns the text that `write_toml` has for the engine's options of a recording's text, which an older version may
/// have written. Throws as `parse_recorded` does.
[[nodiscard]] std::string renewed(std::string_view recorded);
/// Returns the same options as the text of a configuration file, defaults included; `parse` reads it back to equal
/// options.
[[nodiscard]] std::string write_config(const EngineOptions& options, const files::ReaderSettings& reader = {});

/// Returns the lines in which two texts by `write_toml` differ, "- " before those of `recorded` and "+ " before those
/// of `given`, each with its section in front and cut off where it is long. Empty only for equal texts.
[[nodiscard]] std::vector<std::string> differences(const std::string& recorded, const std::string& given);

/// A setting in which two texts by `write_toml` differ.
struct Difference {
    std::string model;     ///< whose setting it is; empty: of none
    std::string key;       ///< "clusters" of a model, otherwise with its section: "window.capacity"
    std::string recorded;  ///< its value as a text, cut off where it is long; empty: there is none
    std::string given;
    bool is_option = false;  ///< whether it is an option of a model
    bool operator==(const Difference&) const = default;
};
/// Returns what `differences` does setting by setting. Empty for texts that differ only in the order of what they list.
[[nodiscard]] std::vector<Difference> changed_settings(const std::string& recorded, const std::string& given);

}  // namespace fairstream::config
