#pragma once
/// The configuration of an engine process: one TOML file, and its canonical text, which a recording keeps.

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
    std::filesystem::path path;  ///< empty: the command line must give it
    // An event before the older of the two kept checkpoints is deleted once it exceeds any of these three limits; see
    // log::Settings.
    std::uint64_t keep_events = 0;           ///< events kept before that checkpoint; 0: all
    std::int64_t keep_for = 0;               ///< microseconds for which an event is kept after its arrival; 0: for ever
    std::uint64_t keep_bytes = 0;            ///< bytes of the newest events to keep; 0: no limit
    std::uint64_t checkpoint_events = 4096;  ///< events between two checkpoints, at least 1; higher: longer recovery
    std::uint64_t checkpoint_bytes = std::uint64_t{256} << 20;  ///< or this many bytes of events, at least 1
    std::uint64_t checkpoint_work = 10'000'000'000;  ///< or this many counted multiply-adds spent on events, at least 1
    std::uint64_t refused_rows = 1000;               ///< number of newest refused messages to keep
    std::uint64_t refused_bytes = 64 << 10;          ///< largest number of bytes kept of a refused message
    bool any_cpu_level = false;                      ///< replay events taken in at another CPU level: labels may differ
    bool operator==(const RecordingOptions&) const = default;
};

/// [ingest], [updates] and [control]
struct WireOptions {
    std::string ingest = "tcp://127.0.0.1:7400";   ///< endpoint that takes events
    std::string updates = "tcp://127.0.0.1:7401";  ///< endpoint that publishes
    std::string control = "tcp://127.0.0.1:7402";  ///< endpoint that answers requests
    std::uint32_t credit = 64;                     ///< unanswered events a producer may have, in [1, 65536]
    std::uint32_t commit_events = 64;              ///< events per commit while more are waiting, in [1, 65536]
    std::uint64_t max_message_bytes = std::uint64_t{4} << 20;  ///< longest event or request, in [4096, 256 MiB]
    std::uint32_t ingest_connections = 64;  ///< largest number of connections, in [1, 65536], as the next two
    std::uint32_t updates_connections = 128;
    std::uint32_t control_connections = 128;
    std::uint32_t update_queue = 1000;                   ///< publications queued for a subscriber, in [1, 10^6]
    std::uint64_t ring_messages = 1024;                  ///< newest publications of each topic kept for repair
    std::uint64_t ring_bytes = std::uint64_t{16} << 20;  ///< bytes of these publications, at most 128 MiB
    /// `producer_idle_events`: number of events after which a producer that sent none of them is forgotten.
    /// `producers`: largest number of producers remembered. Both at least 1. A forgotten producer must use a new epoch.
    std::uint64_t producer_idle_events = 100'000'000;
    std::uint64_t producers = 10'000;
    /// How far an event's time may be ahead of the engine's clock, in microseconds; otherwise it is refused. 0: a day,
    /// or a tenth of the window's `max_age` if that is shorter, but at least a second. `wire::any_time_ahead` ("any" in
    /// the file): no limit.
    std::int64_t ahead_at_most = 0;
    bool operator==(const WireOptions&) const = default;
};

/// [clients]: limits of each client. A client is a key, or the name that the key is bound to. Without keys, each user
/// of an ipc endpoint is a client, and all programs that use tcp on loopback are one client.
struct ClientOptions {
    std::uint32_t names = 100;           ///< known producers of a client; this and the limits below are in [1, 10^6]
    std::uint32_t connections = 65536;   ///< connections to each socket
    std::uint32_t subscriptions = 4096;  ///< topics, over all of its connections
    bool operator==(const ClientOptions&) const = default;
};

/// A client that may send events: "KEY"; "NAME=KEY" for a client that may send as producer NAME only; or a table of
/// `key`, and `name` or `names`. Keys that are not bound to NAME may not use it.
struct ProducerKey {
    std::string key;
    std::string name;         ///< empty: any name that no key is bound to
    std::uint32_t names = 0;  ///< known producers of this client, in [1, 10^6]; 0: the limit of [clients]
    bool operator==(const ProducerKey&) const = default;
};

/// [security]. With keys every connection is encrypted, and only listed clients may connect. Without keys, only
/// loopback and ipc endpoints are bound, unless `allow_plain_network`. All lists hold public keys, 40 characters of Z85
/// each.
struct SecurityOptions {
    std::filesystem::path keys;            ///< file of this process's key pair; empty: none
    std::vector<std::string> clients;      ///< keys that have all of the rights below
    std::vector<ProducerKey> producers;    ///< may send events
    std::vector<std::string> subscribers;  ///< may follow updates and make requests that change nothing
    std::vector<std::string> controllers;  ///< may make any request, including a stop
    bool allow_plain_network = false;
    bool operator==(const SecurityOptions&) const = default;
};

struct ProcessOptions {
    EngineOptions engine;
    files::ReaderSettings reader;
    int threads = 0;  ///< parallel tasks of the engine, in [0, 1024]; 0: one per core
    RecordingOptions recording;
    WireOptions wire;
    ClientOptions clients;
    SecurityOptions security;
    bool operator==(const ProcessOptions&) const = default;
};

/// [stream], [prepare] and [files]: the format of a stream's points, how they are prepared, and how their files are
/// read.
struct StreamOptions {
    StreamFormat format;
    PrepareOptions prepare;
    files::ReaderSettings reader = {};
    bool operator==(const StreamOptions&) const = default;
};

/// Throws `InvalidInput` for text that is not TOML, unknown keys and options, and values out of range:
/// "SOURCE:LINE:COLUMN: what is wrong". An option such as `network` = "@FILE" is read from that file
/// (`files::option_value`). A relative path starts at the current directory, not at the folder of the configuration.
[[nodiscard]] ProcessOptions parse(std::string_view text, const std::string& source);
/// Parses a recording's configuration text, written by `write_toml`. A missing option gets the behaviour from before
/// the option existed; in `parse` it gets its default. "@FILE" is not a value here. `event_work_limit` is lifted, so
/// that a replay refuses no recorded event for its work.
[[nodiscard]] EngineOptions parse_recorded(std::string_view text, const std::string& source);
/// Returns the settings for reading the stream's files in a recording's configuration text. Throws as `parse_recorded`
/// does.
[[nodiscard]] files::ReaderSettings recorded_reader_settings(std::string_view text, const std::string& source);
/// Parses the configuration file `path` as `parse` parses its text.
[[nodiscard]] ProcessOptions load(const std::filesystem::path& path);
/// Parses the configuration file `path`, which may leave out the engine: stream, window, preparation and models. If it
/// leaves them all out, `engine` has its defaults and no models; the caller then takes the recording's options.
[[nodiscard]] ProcessOptions load_process(const std::filesystem::path& path);
/// Returns whether these options leave out the engine; only `event_work_limit` may be set.
[[nodiscard]] bool is_without_engine(const ProcessOptions& options);
/// Parses the configuration file `path` and returns its options of the stream. The file may have no models; whether its
/// models fit the stream and the window is not checked.
[[nodiscard]] StreamOptions load_stream(const std::filesystem::path& path);
/// Parses the configuration file `path` and returns its models, of which there may be none.
[[nodiscard]] std::vector<ModelSetup> load_models(const std::filesystem::path& path);

/// Sets in `given` that ids are hashes of texts, if the recording's format says so. A configuration given for a
/// recording may lack this setting, which did not exist when old recordings began.
void keep_hashed_ids(const StreamFormat& recorded, StreamFormat& given);

/// Returns the canonical text of the options that decide an engine's results. The text also says how the stream's files
/// are read, although this does not decide results. Equal options give equal text. `parse_recorded` reads the text back
/// to equal options, with two exceptions: `event_work_limit`, and the fill of a column whose values are never missing,
/// which has no effect. Throws `InvalidInput` (bad_option) for names that are not UTF-8.
[[nodiscard]] std::string write_toml(const EngineOptions& options, const files::ReaderSettings& reader = {});
/// Returns the text that `write_toml` writes today for the engine options in a recording's text, which may be of an
/// older version. Throws as `parse_recorded` does.
[[nodiscard]] std::string renewed(std::string_view recorded);
/// Returns the options as the text of a configuration file, including defaults; `parse` reads it back to equal options.
[[nodiscard]] std::string write_config(const EngineOptions& options, const files::ReaderSettings& reader = {});

/// Returns the value of `scale` that stands for a column's preparation in a configuration.
[[nodiscard]] std::string scale_name(const ColumnPreparation& preparation);

/// Returns the lines in which two texts by `write_toml` differ: "- " begins lines of `recorded`, "+ " lines of `given`.
/// Each line names its section; a long line is cut off. Empty only for equal texts.
[[nodiscard]] std::vector<std::string> differences(const std::string& recorded, const std::string& given);

/// A setting in which two texts by `write_toml` differ.
struct Difference {
    std::string model;     ///< model of the setting; empty: none
    std::string key;       ///< "clusters" for a model's option, otherwise with the section: "window.capacity"
    std::string recorded;  ///< value as text, cut off when long; empty: not set
    std::string given;
    bool is_option = false;  ///< whether the setting is an option of a model
    bool operator==(const Difference&) const = default;
};
/// Returns the settings in which the texts differ. Empty also for texts that differ only in the order of their lists.
[[nodiscard]] std::vector<Difference> changed_settings(const std::string& recorded, const std::string& given);

}  // namespace fairstream::config
