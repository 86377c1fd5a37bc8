#include <fairstream/command/live/serve.hpp>

#include <signal.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <utility>

#include <fairstream/base/hexadecimal.hpp>
#include <fairstream/base/nearest_name.hpp>
#include <fairstream/base/printable.hpp>
#include <fairstream/base/progress_text.hpp>
#include <fairstream/command/console/stop_signals.hpp>
#include <fairstream/command/console/terminal.hpp>
#include <fairstream/command/live/open_recording.hpp>
#include <fairstream/command/live/security.hpp>
#include <fairstream/command/live/unclosed_log.hpp>
#include <fairstream/config/config.hpp>
#include <fairstream/config/duration.hpp>
#include <fairstream/config/settings.hpp>
#include <fairstream/figures/condition.hpp>
#include <fairstream/files/network_file.hpp>
#include <fairstream/fit/stages/notes.hpp>
#include <fairstream/log/open/open.hpp>
#include <fairstream/options.hpp>
#include <fairstream/replay/run.hpp>
#include <fairstream/server/detail/process_memory.hpp>
#include <fairstream/server/server.hpp>
#include <fairstream/service/service.hpp>
#include <fairstream/text/clock.hpp>
#include <fairstream/text/numbers.hpp>

namespace fairstream::command {
namespace {

/// Text of a log line, escaped: names and paths from outside must not control a terminal.
class PrintableText : public spdlog::custom_flag_formatter {
public:
    void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& line) override {
        const std::string text = printable({message.payload.data(), message.payload.size()});
        line.append(text.data(), text.data() + text.size());
    }
    [[nodiscard]] std::unique_ptr<custom_flag_formatter> clone() const override {
        return std::make_unique<PrintableText>();
    }
};

std::shared_ptr<spdlog::logger> make_log(bool quiet) {
    // Thread-safe: the recording logs warnings from the thread that commits.
    auto log = std::make_shared<spdlog::logger>("serve", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
    auto formatter = std::make_unique<spdlog::pattern_formatter>();
    formatter->add_flag<PrintableText>('*').set_pattern("%Y-%m-%d %H:%M:%S.%e %^%l%$ %*");
    log->set_formatter(std::move(formatter));
    log->set_level(quiet ? spdlog::level::warn : spdlog::level::info);
    return log;
}

void set_model_option(EngineOptions& engine, const KnobChange& change) {
    const auto model = std::ranges::find(engine.models, change.model, &ModelSetup::name);
    if (model == engine.models.end()) {
        std::vector<std::string> known;
        for (const ModelSetup& each : engine.models) known.push_back(each.name);
        throw InvalidInput(Reason::unknown_model, "--set " + change.model + "." + change.option + "=" + change.value +
                                                      ": there is no model '" + change.model + "'" +
                                                      did_you_mean(change.model, known));
    }
    set_option(model->options, change.option, files::option_value(model->options, change.option, change.value),
               engine.format.attributes);
}

/// Returns the process's defaults for a recording that holds its own configuration. The engine's options are still
/// empty.
config::ProcessOptions without_configuration(const ServeOptions& options) {
    if (options.recording.empty() || !std::filesystem::exists(options.recording))
        throw InvalidInput(Reason::bad_option,
                           "no configuration: add --config FILE; --config may be left out only if the file given by "
                           "--recording exists");
    return {};
}

/// Applies the command line to the options of the models, and validates them.
void complete_engine(const ServeOptions& options, EngineOptions& engine) {
    for (const KnobChange& change : config::read_model_settings(options.settings)) set_model_option(engine, change);
    check(engine);
}

/// Loads the configuration that the options name. If there is a recording, the error says that it holds a
/// configuration.
config::ProcessOptions load_configuration(const ServeOptions& options) {
    try {
        return config::load_process(options.config);
    } catch (const InvalidInput& error) {
        std::error_code ignored;
        if (options.recording.empty() || !std::filesystem::exists(options.recording, ignored)) throw;
        throw InvalidInput(
            error.reason(),
            std::string(error.what()) +
                "; without --config, or with a file without [stream] and models, the engine takes them from " +
                options.recording.string() + ", networks included");
    }
}

config::ProcessOptions process_options(const ServeOptions& options) {
    const bool has_config = !options.config.empty();
    config::ProcessOptions process = has_config ? load_configuration(options) : without_configuration(options);
    if (!options.recording.empty()) process.recording.path = options.recording;
    if (!options.ingest.empty()) process.wire.ingest = options.ingest;
    if (!options.updates.empty()) process.wire.updates = options.updates;
    if (!options.control.empty()) process.wire.control = options.control;
    if (options.threads) process.threads = *options.threads;
    const bool has_engine = !config::is_without_engine(process);
    if (has_engine) complete_engine(options, process.engine);
    if (process.recording.path.empty())
        throw InvalidInput(Reason::bad_option, "no recording: add --recording FILE, or set path under [recording]");
    if (!has_engine && !std::filesystem::exists(process.recording.path))
        throw InvalidInput(Reason::bad_option,
                           options.config.string() +
                               ": has no [stream] and no models; only an existing recording can supply them, and " +
                               process.recording.path.string() + " does not exist");
    return process;
}

zmq::ServerOptions server_options(const config::ProcessOptions& process) {
    zmq::ServerOptions options{.endpoints = {process.wire.ingest, process.wire.updates, process.wire.control}};
    options.allow_insecure = process.security.allow_plain_network;
    options.commit_events = process.wire.commit_events;
    options.update_queue = static_cast<int>(process.wire.update_queue);
    options.max_message_bytes = process.wire.max_message_bytes;
    options.connections = {process.wire.ingest_connections, process.wire.updates_connections,
                           process.wire.control_connections};
    options.client_limits = {process.clients.names, process.clients.connections, process.clients.subscriptions};
    if (!process.security.keys.empty()) {
        options.security = zmq::ServerSecurity{read_keys(process.security.keys).secret_key,
                                               process.security.clients,
                                               {},
                                               process.security.subscribers,
                                               process.security.controllers};
        for (const config::ProducerKey& producer : process.security.producers)
            options.security->producers.push_back({producer.key, producer.name, producer.names});
    }
    check(options);
    return options;
}

/// Raises the limit on file descriptors as far as the system allows. Throws `InvalidInput` when the limit remains too
/// low for the configured connections; warns when it is too low for a burst of new connections.
void require_descriptors(const zmq::ServerOptions& options, spdlog::logger& log) {
    constexpr rlim_t reserve = 64;  // descriptors of the process itself
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
    const auto& [ingest, updates, control] = options.connections;
    const rlim_t clients = ingest + updates + control;
    if (limit.rlim_cur < descriptor_bound(options) + reserve && limit.rlim_cur >= clients + reserve)
        log.warn(
            "the limit of {} file descriptors may be too low for a burst of connections; {} are always enough (ulimit "
            "-n)",
            limit.rlim_cur, descriptor_bound(options) + reserve);
    if (limit.rlim_cur >= clients + reserve) return;
    throw InvalidInput(Reason::bad_option,
                       "[ingest], [updates] and [control] allow " + counted(clients, "connection") +
                           ", and the engine needs " + std::to_string(reserve) +
                           " file descriptors of its own, but the system's limit for this process is " +
                           std::to_string(limit.rlim_cur) + ": lower connections, or raise the limit (ulimit -n)");
}

service::Settings service_settings(const config::ProcessOptions& process) {
    service::Settings settings;
    settings.credit = process.wire.credit;
    settings.producer_idle_events = process.wire.producer_idle_events;
    settings.ahead_at_most = process.wire.ahead_at_most;
    settings.producers = process.wire.producers;
    settings.ring = {process.wire.ring_messages, process.wire.ring_bytes};
    settings.checkpoint_events = process.recording.checkpoint_events;
    settings.checkpoint_bytes = process.recording.checkpoint_bytes;
    settings.checkpoint_work = process.recording.checkpoint_work;
    settings.any_cpu_level = process.recording.any_cpu_level;
    check(settings);
    return settings;
}

/// Returns whether the setting is an option that may change while the engine runs.
bool is_live(const config::Difference& setting, const EngineOptions& engine) {
    if (!setting.is_option || setting.recorded.empty() || setting.given.empty()) return false;
    const auto model = std::ranges::find(engine.models, setting.model, &ModelSetup::name);
    if (model == engine.models.end()) return false;
    const std::vector<OptionText> options = list_options(model->options);
    const OptionText* const option = find_option(options, setting.key);
    return option != nullptr && option->live;
}

/// Returns the value of a setting in the command line's form.
std::string unquoted(const std::string& value) {
    const bool quoted = value.size() >= 2 && value.front() == '"' && value.back() == '"';
    return quoted ? value.substr(1, value.size() - 2) : value;
}

/// Returns "fair.clusters is 4 there and 5 here; ...", with at most six settings of the recording and of the process.
std::string differences_text(const std::vector<config::Difference>& settings) {
    if (settings.empty()) return "attributes or models are in another order";
    constexpr std::size_t most_named = 6;
    const auto shown = [](const std::string& value) { return value.empty() ? "not set" : value; };
    std::string text;
    for (std::size_t i = 0; i < std::min(settings.size(), most_named); ++i) {
        const config::Difference& setting = settings[i];
        text += (i > 0 ? "; " : "") + (setting.model.empty() ? "" : setting.model + ".") + setting.key + " is " +
                shown(setting.recorded) + " in the recording and " + shown(setting.given) + " here";
    }
    return settings.size() > most_named ? text + "; and " + std::to_string(settings.size() - most_named) + " more"
                                        : text;
}

/// Throws `InvalidInput` unless the recording has these options. The error says how to run with the other options.
void require_same_options(const log::EventLog& recording, const config::ProcessOptions& process) {
    const std::string given = config::write_toml(process.engine);
    const std::string recorded = config::renewed(recording.config());
    if (recorded == given) return;
    const std::vector<config::Difference> settings = config::changed_settings(recorded, given);
    std::string changes;
    for (const config::Difference& setting : settings)
        if (is_live(setting, process.engine))
            changes += " " + setting.model + "." + setting.key + "=" + unquoted(setting.given);
    const std::string file = process.recording.path.string();
    const bool all_live = static_cast<std::ptrdiff_t>(settings.size()) ==
                          std::ranges::count_if(settings, [&](const auto& s) { return is_live(s, process.engine); });
    std::string text = file + " holds another configuration: " + differences_text(settings);
    text +=
        "; to continue with the recorded configuration, leave out --config and --set, or remove [stream], [window], "
        "[prepare] and models from the file";
    const bool is_same_stream = std::ranges::none_of(
        settings, [](const config::Difference& setting) { return setting.key.starts_with("stream."); });
    if (!changes.empty() && is_same_stream)
        text += "; then change the options that may change while it runs: fairstream set" + changes;
    if ((!all_live || settings.empty()) && is_same_stream)
        text += "; to try the given configuration: fairstream replay " + file +
                " --config FILE, or begin a new recording with it";
    if (!is_same_stream)
        text +=
            "; the streams differ: to use the given configuration, begin a new recording; add --recording "
            "OTHER.fairstream";
    throw InvalidInput(Reason::bad_option, text);
}

/// The file of a recording that this start created. The file is removed unless kept, so that a failed start leaves
/// none.
class NewFile {
public:
    NewFile() = default;
    ~NewFile() {
        std::error_code error;
        if (!path_.empty()) std::filesystem::remove(path_, error);
    }
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;

    void note(const std::filesystem::path& path) { path_ = std::filesystem::absolute(path); }
    void keep() { path_.clear(); }

private:
    std::filesystem::path path_;
};

/// Binds the endpoints. The error for an endpoint that cannot be bound names the options that change it.
zmq::Server bound_server(service::Service& service, const zmq::ServerOptions& options) {
    try {
        return {service, options};
    } catch (const zmq::SocketError& error) {
        throw zmq::SocketError(
            std::string(error.what()) +
            ": stop the program that listens there, or name other endpoints with --ingest, --updates and --control");
    }
}

/// Opens or creates the recording. If only the recording holds the configuration, sets the engine options of the
/// process from it.
std::unique_ptr<log::Log> open_recording(const ServeOptions& options, config::ProcessOptions& process,
                                         NewFile& new_file, spdlog::logger& log) {
    const std::filesystem::path& path = process.recording.path;
    const log::Settings settings{
        process.recording.refused_rows, process.recording.refused_bytes,
        process.recording.keep_events,  process.recording.keep_for,
        process.recording.keep_bytes,   [&log](const std::string& text) { log.warn("{}", text); }};
    if (!std::filesystem::exists(path)) {
        auto recording = log::create(path, config::write_toml(process.engine, process.reader), settings);
        new_file.note(path);
        return recording;
    }
    Progress progress("verifying " + path.string());
    progress.show("");
    std::unique_ptr<log::Log> recording = open_for_writing(path, settings);
    if (config::is_without_engine(process)) {
        const std::uint64_t limit = process.engine.event_work_limit;  // recordings do not hold this limit
        process.engine = replay::recorded_options(*recording);
        if (process.reader == files::ReaderSettings{}) process.reader = replay::recorded_reader_settings(*recording);
        process.engine.event_work_limit = limit;
        complete_engine(options, process.engine);
    } else {
        config::keep_hashed_ids(replay::recorded_options(*recording).format, process.engine.format);
    }
    // A recording keeps its limit, unless the file names another value than the default: a saved fit has a limit of its
    // own, and recordings of old versions have none.
    std::uint64_t& limit = process.engine.step_work_limit;
    if (limit == EngineOptions{}.step_work_limit) limit = replay::recorded_options(*recording).step_work_limit;
    require_same_options(*recording, process);
    return recording;
}

std::unique_ptr<service::Service> start_service(const config::ProcessOptions& process, const service::Settings& given,
                                                std::unique_ptr<log::Log> recording, spdlog::logger& log) {
    const Sequence last = recording->last_sequence();
    log.info("fairstream {} ({}), process {}", FAIRSTREAM_VERSION, cpu_level(), ::getpid());
    if (last == 0) log.info("recording {}: new", process.recording.path.string());
    if (last > 0) log.info("recording {}: recovering {}", process.recording.path.string(), counted(last, "event"));
    if (const std::string left = unclosed_log_text(*recording); !left.empty()) {
        log.warn("recording {} was not closed: {}", process.recording.path.string(), left);
    }
    service::Settings settings = given;
    settings.warn = [&log](const std::string& text) { log.warn("{}", text); };
    settings.inform = [&log](const std::string& text) { log.info("{}", text); };
    settings.clock = now_in_microseconds;
    settings.recover_later = true;
    settings.reader_settings = process.reader;
    return std::make_unique<service::Service>(std::move(recording), process.engine, settings, process.threads);
}

/// Returns "the newest 300 points", "the newest 300 points, none older than 1h" or "300 points, a sample of all".
std::string window_text(const WindowOptions& window) {
    const std::string points = counted(static_cast<std::int64_t>(window.capacity), "point");
    if (window.policy == WindowPolicy::reservoir) return points + ", a uniform sample of all";
    return "the newest " + points +
           (window.max_age > 0 ? ", none older than " + config::duration_text(window.max_age) : "");
}

/// Logs the progress of a recovery.
class RecoveryLog {
public:
    RecoveryLog(const service::Service& service, spdlog::logger& log) : service_(service), log_(log) {}

    void note(Sequence done, Sequence last) {
        ++replayed_;
        const std::uint64_t all = replayed_ + (last - done);
        const double share = static_cast<double>(replayed_) / static_cast<double>(all);
        progress_.show(share, "event " + counted(static_cast<std::int64_t>(done)));
        if (Clock::now() < due_) return;
        due_ = Clock::now() + every;
        const std::string left = time_left(share, seconds_since(begun_));
        log_.info("recovering: replayed {} of the {} since the checkpoint{}{}",
                  counted(static_cast<std::int64_t>(replayed_)), counted(all, "event"), left.empty() ? "" : ", ", left);
    }
    void end() {
        progress_.clear();
        const Sequence last = service_.engine().sequence();
        if (last > 0) {
            log_.info("recovered: event {}, {} retained; {} since the checkpoint {} replayed",
                      counted(static_cast<std::int64_t>(last)), counted(service_.engine().window().size(), "point"),
                      counted(replayed_, "event"), replayed_ == 1 ? "was" : "were");
        }
        log_.info("ready");
    }

private:
    static constexpr std::chrono::seconds every{5};

    const service::Service& service_;
    spdlog::logger& log_;
    Progress progress_{"recovering"};
    std::uint64_t replayed_ = 0;
    Clock::time_point begun_ = Clock::now(), due_ = begun_ + every;
};

void log_end(const service::Service& service, const zmq::ServerCounters& server, spdlog::logger& log) {
    if (!service.recovered())
        return log.warn("stopped at event {} during recovery: nothing is lost, and the next start recovers again",
                        counted(static_cast<std::int64_t>(service.engine().sequence())));
    const service::Counters& counters = service.counters();
    const auto number = [](std::uint64_t value) { return counted(static_cast<std::int64_t>(value)); };
    if (service.interrupted())
        log.warn(
            "stopped during a step, without a new checkpoint: no acked event is lost. The next start replays the "
            "events since the last checkpoint, with their steps in the background. The event that was being taken in "
            "was not acked. If it came from a producer, the producer sends it again; if it came from a command such as "
            "fairstream set or refine, run the command again");
    const wire::Condition condition = service::condition_of(service.engine());
    if (const std::string text = figures::late_text(condition); !text.empty()) log.warn(text);
    if (const std::string text = figures::drift_text(condition); !text.empty())
        log.info("{} ({}); scales or fill-in values were renewed {}", text, figures::drift_meaning,
                 counted(condition.preparation.renewals, "time"));
    if (counters.lost_events > 0)
        log.error("{} a client knew of events that are missing from the recording",
                  counted(counters.lost_events, "time"));
    if (server.dropped_messages > 0)
        log.warn("{} had a wrong number of frames", counted(server.dropped_messages, "message"));
    if (server.surplus > 0)
        log.warn("{} ended: there were too many", counted(server.surplus, "connection was", "connections were"));
    if (server.oversubscribed > 0)
        log.warn("{} ended: too many subscriptions",
                 counted(server.oversubscribed, "connection was", "connections were"));
    if (server.endless > 0)
        log.warn("{} ended: a message had too many parts",
                 counted(server.endless, "connection was", "connections were"));
    if (server.rejected > 0) log.warn("{} had a key that is not admitted", counted(server.rejected, "connection"));
    const std::uint64_t hash = service.health(0).running_hash;
    log.info("stopped at event {}: {} with {} taken in, {} refused, {}{}{}", number(service.engine().sequence()),
             counted(counters.events, "event"), counted(counters.points, "point"), number(counters.refused),
             counted(counters.commits, "commit"), service.interrupted() ? "" : ", checkpoint written",
             hash == 0 ? "" : ", running hash " + hexadecimal(hash));
}

}  // namespace

void check_process(const config::ProcessOptions& process) {
    (void)server_options(process);
    (void)service_settings(process);
}

int run_serve(const ServeOptions& options) {
    zmq::keep_freed_memory();
    ::signal(SIGPIPE, SIG_IGN);  // a closed log pipe must not end the process
    const auto log = make_log(options.quiet);
    config::ProcessOptions process = process_options(options);
    zmq::ServerOptions endpoints = server_options(process);
    endpoints.on_rejected = [&log](std::string_view key, std::string_view socket) {
        log->warn("a client was refused at {}: no list in [security] for this endpoint has its key, {}", socket, key);
    };
    require_descriptors(endpoints, *log);
    StopSignals signals;
    const service::Settings settings = service_settings(process);
    NewFile new_file;  // destroyed after the service, which has the file open
    std::unique_ptr<log::Log> recording = open_recording(options, process, new_file, *log);
    for (const std::string& note : fit::idle_notes(process.engine)) log->warn("{}", note);
    const auto service = start_service(process, settings, std::move(recording), *log);
    zmq::Server server = bound_server(*service, endpoints);
    new_file.keep();
    const auto handler = signals.on_stop([&] { server.request_stop(); });
    log->info("window   {}", window_text(process.engine.window));
    log->info("ingest   {}", server.endpoints().ingest);
    log->info("updates  {}", server.endpoints().updates);
    log->info("control  {}", server.endpoints().control);
    if (!endpoints.security) log->info("no keys: every program that reaches these endpoints may use them");
    if (options.config.empty())
        log->warn(
            "no --config: [stream], [window], [prepare] and the models come from the recording; endpoints, keys and "
            "all other settings have their defaults");
    constexpr std::size_t mebibyte = std::size_t{1} << 20;
    const auto held = static_cast<std::int64_t>(receive_bound(endpoints) / mebibyte);
    log->info("messages of clients can take up to {} MiB of memory", counted(held));
    RecoveryLog recovery(*service, *log);
    try {
        server.run({[&](Sequence done, Sequence last) { recovery.note(done, last); }, [&] { recovery.end(); }});
    } catch (const std::exception& error) {
        log->critical("{}", error.what());
        return 1;
    }
    log_end(*service, server.counters(), *log);
    return 0;
}

}  // namespace fairstream::command
