#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <unordered_set>
#include <utility>

#include <fairstream/base/printable.hpp>
#include <fairstream/config/config.hpp>
#include <fairstream/config/detail/prepare_text.hpp>
#include <fairstream/config/detail/section.hpp>
#include <fairstream/config/duration.hpp>
#include <fairstream/files/detail/file_text.hpp>
#include <fairstream/files/network_file.hpp>
#include <fairstream/options.hpp>
#include <fairstream/wire/messages.hpp>
#include <fairstream/zmq/socket.hpp>

namespace fairstream::config {
namespace {

constexpr std::size_t most_mebibytes = 16;

/// Reads a value of an enumeration by its name; `names[i]` is the name of value i.
template <class Enum, std::size_t n>
void read_choice(Section& section, std::string_view key, Enum& out, const std::array<std::string_view, n>& names) {
    std::string spelled(names[static_cast<std::size_t>(out)]);
    section.read(key, spelled);
    const auto found = std::find(names.begin(), names.end(), spelled);
    if (found != names.end()) {
        out = static_cast<Enum>(found - names.begin());
        return;
    }
    std::string choices;
    for (const std::string_view name : names) choices += (choices.empty() ? "" : ", ") + std::string(name);
    section.refuse(*section.keys().get(key), key, "must be one of " + choices);
}

/// Reads the names of the features.
std::vector<std::string> read_columns(Section& section) {
    std::vector<std::string> names;
    section.read("columns", names);
    std::unordered_set<std::string_view> seen;
    for (const std::string& name : names)
        if (!seen.insert(name).second)
            section.refuse(*section.keys().get("columns"), "columns", "'" + name + "' is listed twice");
    return names;
}

/// Reads whether ids are numbers or texts, and how texts become ids. `hashed` applies if the section does not say how.
void read_ids(Section& section, bool hashed, StreamFormat& format) {
    std::string ids = "number";
    section.read("ids", ids);
    if (ids != "number" && ids != "text") section.refuse(*section.keys().get("ids"), "ids", "must be number or text");
    format.has_text_ids = ids == "text";
    std::string way = hashed ? "hashed" : "numbered";
    section.read("text_ids", way);
    const toml::node* const said = section.keys().get("text_ids");
    if (way != "numbered" && way != "hashed") section.refuse(*said, "text_ids", "must be numbered or hashed");
    if (said != nullptr && !format.has_text_ids) section.refuse(*said, "text_ids", "needs ids = \"text\"");
    format.ids_are_hashes = format.has_text_ids && way == "hashed";
}

/// Reads the settings on columns of text in [files]; earlier versions had them in [stream].
void read_texts(Section& section, files::ReaderSettings& reader) {
    section.read("missing_texts", reader.missing_texts);
    if (std::ranges::count(reader.missing_texts, "") > 0)
        section.refuse(*section.keys().get("missing_texts"), "missing_texts", "must not contain an empty text");
    std::string mark;
    section.read("decimal_mark", mark);
    if (mark.empty()) return;
    const std::optional<files::DecimalMark> found = files::find_decimal_mark(mark);
    if (!found) section.refuse(*section.keys().get("decimal_mark"), "decimal_mark", "must be point or comma");
    reader.decimal_mark = *found;
}

void read_files(Section section, const StreamFormat& format, files::ReaderSettings& reader) {
    read_texts(section, reader);
    for (const auto& [key, order] : {std::pair("day_first", files::DateOrder::day_first),
                                     std::pair("month_first", files::DateOrder::month_first)}) {
        std::vector<std::string> names;
        section.read(key, names);
        for (const std::string& name : names) {
            const auto column = std::ranges::find(format.columns, name, &FeatureColumn::name);
            if (column == format.columns.end() || column->dates == DateUnit::none)
                section.refuse(*section.keys().get(key), key,
                               "'" + name + "' must be a column with dates under [prepare]");
            reader.set_date_order(static_cast<std::size_t>(column - format.columns.begin()), order);
        }
    }
    section.require_all_known();
}

void read_stream(Section section, bool hashes_texts, StreamFormat& format, files::ReaderSettings& reader) {
    section.read("dimensions", format.dimensions, 1, 65536);
    const toml::node* const targets = section.keys().get("targets");
    if (targets != nullptr && targets->is_string()) {
        std::string when;
        section.read("targets", when);
        if (when != "later") section.refuse(*targets, "targets", "must be true, false or \"later\"");
        format.has_targets = format.targets_come_later = true;
    } else {
        section.read("targets", format.has_targets);
    }
    section.read("weights", format.has_weights);
    read_ids(section, hashes_texts, format);
    for (const char* key : {"missing_texts", "decimal_mark"})  // keys of earlier versions: no error lists them
        if (section.keys().contains(key)) read_texts(section, reader);
    std::vector<std::string> names = read_columns(section);
    for (std::string& name : names) format.columns.push_back({std::move(name)});
    if (!section.keys().contains("dimensions")) format.dimensions = static_cast<std::uint32_t>(names.size());
    if (!names.empty() && names.size() != format.dimensions)
        section.refuse(*section.keys().get("columns"), "columns",
                       "must name all " + std::to_string(format.dimensions) + " dimensions");
    for (Section& part : section.tables("attribute")) {
        Attribute attribute;
        part.read("name", attribute.name);
        part.read("groups", attribute.groups);
        std::string unknown;
        part.read("unknown", unknown);
        attribute.has_unknown = part.keys().contains("unknown");
        if (attribute.has_unknown) attribute.groups.push_back(std::move(unknown));
        part.require_all_known();
        format.attributes.push_back(std::move(attribute));
    }
    section.require_all_known();
}

/// Reads a duration, "7d", in microseconds; `rule` names further allowed values.
void read_time(Section& section, std::string_view key, std::int64_t& out,
               const std::string& rule = "must be text with a unit, such as \"7d\"") {
    const toml::node* node = section.find(key);
    if (node == nullptr) return;
    if (!node->is_string()) section.refuse(*node, key, rule);
    const std::optional<std::int64_t> time = read_duration(node->as_string()->get());
    if (!time || *time == 0)
        section.refuse(*node, key, "must be a time above 0 such as 7d, 1d12h, 90m, 30s or 500ms, at most 2^52 us");
    out = *time;
}

/// Reads a half-life: a number counts points, a text is a duration.
void read_half_life(Section& section, HalfLife& half_life) {
    constexpr double least = 1, most = 1e12;
    const std::string rule = "must be a number of points, " + Section::bound_text(least) + " to " +
                             Section::bound_text(most) + ", or text with a unit, such as \"2h\"";
    const toml::node* node = section.keys().get("half_life");
    if (node == nullptr || !node->is_number()) return read_time(section, "half_life", half_life.time, rule);
    const double points = section.find("half_life")->value<double>().value_or(0);
    if (!(points >= least && points <= most)) section.refuse(*node, "half_life", rule);
    half_life.points = points;
}

void read_window(Section section, WindowOptions& window) {
    static constexpr std::array<std::string_view, 2> policies = {"sliding", "reservoir"};
    section.read("capacity", window.capacity, 1, (std::uint64_t{1} << 31) - 1);
    read_choice(section, "policy", window.policy, policies);
    section.read("seed", window.seed);
    read_time(section, "max_age", window.max_age);
    read_half_life(section, window.half_life);
    section.require_all_known();
}

bool is_list(const toml::node& node) {
    return node.is_array() && std::ranges::all_of(*node.as_array(), [](const toml::node& e) { return e.is_value(); });
}

bool takes_list(const ModelOptions& options, std::string_view name) {
    const std::vector<OptionText> list = list_options(options);
    const OptionText* const option = find_option(list, name);
    return option != nullptr && option->several;
}

std::string listed(const toml::array& elements) {
    std::string text;
    for (const toml::node& element : elements) text += (text.empty() ? "" : ",") + Section::spelled(element);
    return text;
}

/// How a text is read: as a configuration file, or as a recording's configuration.
struct Reading {
    ModelOptions (*start)(std::string_view kind);  // returns the options before the text changes them
    // Returns the text that an option's value stands for.
    std::string (*value)(const ModelOptions& options, std::string_view name, std::string_view value);
    std::uint64_t event_work_limit, step_work_limit;  // used when the text sets none
    bool hashes_texts;  // whether texts are hashed to ids when the text does not say how they become ids
};
const Reading file_reading{default_options, files::option_value, EngineOptions{}.event_work_limit,
                           EngineOptions{}.step_work_limit, false};
// Options in a recording name no files: the text holds the files' contents.
constexpr Reading recording_reading{
    recorded_options, [](const ModelOptions&, std::string_view, std::string_view value) { return std::string(value); },
    no_work_limit, no_work_limit, true};

void read_options(const Section& section, const Reading& reading, const StreamFormat& format, ModelOptions& options) {
    for (const auto& [name, node] : section.keys()) {
        if (!node.is_value() && !(is_list(node) && takes_list(options, name.str())))
            section.refuse(node, name.str(), "must be a number, a text, true or false");
        try {
            const std::string value = is_list(node) ? listed(*node.as_array()) : Section::spelled(node);
            set_option(options, name.str(), reading.value(options, name.str(), value), format.attributes);
        } catch (const InvalidInput& error) {
            const bool unknown = error.reason() == Reason::unknown_option;
            throw InvalidInput(error.reason(), section.where(unknown ? name.source() : node.source()) + error.what());
        }
    }
}

ModelSetup read_model(Section section, const Reading& reading, const StreamFormat& format) {
    static constexpr std::array<std::string_view, 2> when_busy = {"wait", "skip"};
    std::string kind;
    section.read("kind", kind);
    if (kind.empty()) section.refuse("a [[model]] has no kind; add kind, such as kind = \"safairkm\"");
    const auto start = [&] {
        try {
            return reading.start(kind);
        } catch (const InvalidInput& error) {
            throw InvalidInput(error.reason(), section.where(section.keys().get("kind")->source()) + error.what());
        }
    };
    ModelSetup model{.name = kind, .options = start(), .schedule = {}};
    section.read("name", model.name);
    section.read("every", model.schedule.every);
    read_choice(section, "when_busy", model.schedule.when_busy, when_busy);
    read_options(section.table("options"), reading, format, model.options);
    section.require_all_known();
    return model;
}

void read_recording(Section section, RecordingOptions& recording) {
    std::string path;
    section.read("path", path);
    recording.path = path;
    section.read("keep_events", recording.keep_events);
    read_time(section, "keep_for", recording.keep_for);
    section.read("keep_bytes", recording.keep_bytes);
    section.read("checkpoint_events", recording.checkpoint_events, 1);
    section.read("checkpoint_bytes", recording.checkpoint_bytes, 1);
    section.read("checkpoint_work", recording.checkpoint_work, 1);
    section.read("refused_rows", recording.refused_rows);
    section.read("refused_bytes", recording.refused_bytes);
    section.read("any_cpu_level", recording.any_cpu_level);
    section.require_all_known();
}

/// Reads how far times of events may be ahead of the clock.
void read_time_ahead(Section& section, std::int64_t& ahead) {
    constexpr const char* key = "ahead_at_most";
    const toml::node* const node = section.keys().get(key);
    if (node == nullptr || node->value<std::string>() != "any")
        return read_time(section, key, ahead, "must be text with a unit, such as \"1h\", or \"any\"");
    (void)section.find(key);
    ahead = wire::any_time_ahead;
}

void read_wire(Section ingest, Section updates, Section control, WireOptions& options) {
    ingest.read("endpoint", options.ingest);
    ingest.read("credit", options.credit, 1, 65536);
    ingest.read("producer_idle_events", options.producer_idle_events, 1);
    ingest.read("producers", options.producers, 1);
    ingest.read("commit_events", options.commit_events, 1, 65536);
    ingest.read("max_message_bytes", options.max_message_bytes, 4096, wire::message_limit);
    ingest.read("connections", options.ingest_connections, 1, 65536);
    read_time_ahead(ingest, options.ahead_at_most);
    ingest.require_all_known();
    updates.read("endpoint", options.updates);
    updates.read("connections", options.updates_connections, 1, 65536);
    updates.read("queue", options.update_queue, 1, 1'000'000);
    updates.read("ring_messages", options.ring_messages);
    updates.read("ring_bytes", options.ring_bytes, 0, std::uint64_t{128} << 20);
    updates.require_all_known();
    control.read("endpoint", options.control);
    control.read("connections", options.control_connections, 1, 65536);
    control.require_all_known();
}

constexpr std::uint64_t most_of_client = 1'000'000;

void read_clients(Section section, ClientOptions& clients) {
    section.read("names", clients.names, 1, most_of_client);
    section.read("connections", clients.connections, 1, most_of_client);
    section.read("subscriptions", clients.subscriptions, 1, most_of_client);
    section.require_all_known();
}

/// Reads an entry of a list of public keys: a key, a name and a key with '=' between, or a table.
ProducerKey read_key(Section& section, const char* list, const toml::node& entry) {
    constexpr std::size_t key_length = 40;
    ProducerKey read;
    if (const auto* const table = entry.as_table()) {
        Section fields = section.entry(*table, list);
        fields.read("key", read.key);
        fields.read("name", read.name);
        fields.read("names", read.names, 1, most_of_client);
        fields.require_all_known();
        return read;
    }
    if (!entry.is_string()) section.refuse(entry, list, "must be text, or a table with a key");
    read.key = entry.as_string()->get();
    // A key may itself contain '='. If there is a name, the last 41 characters are '=' and the key.
    const std::size_t name = read.key.size() - std::min(read.key.size(), key_length + 1);
    if (name == 0 || read.key[name] != '=') return read;
    read.name = read.key.substr(0, name);
    read.key.erase(0, name + 1);
    return read;
}

/// Reads a list of public keys; entries may have names if `with_names`.
std::vector<ProducerKey> read_keys(Section& section, const char* list, bool with_names) {
    std::vector<ProducerKey> result;
    const toml::node* const node = section.find(list);
    if (node == nullptr) return result;
    if (!node->is_array()) section.refuse(*node, list, "must be a list of public keys");
    for (const toml::node& entry : *node->as_array()) {
        if (!with_names && !entry.is_string()) section.refuse(entry, list, "must be text");
        ProducerKey read = read_key(section, list, entry);
        try {
            zmq::check_key(with_names ? read.key : entry.as_string()->get(), std::string("security.") + list);
        } catch (const InvalidInput& error) {
            throw InvalidInput(error.reason(), section.where(node->source()) + error.what());
        }
        result.push_back(std::move(read));
    }
    return result;
}

void read_security(Section section, SecurityOptions& security) {
    std::string keys;
    section.read("keys", keys);
    security.keys = keys;
    const auto plain = [&](const char* list, std::vector<std::string>& out) {
        for (ProducerKey& each : read_keys(section, list, false)) out.push_back(std::move(each.key));
    };
    plain("clients", security.clients);
    security.producers = read_keys(section, "producers", true);
    plain("subscribers", security.subscribers);
    plain("controllers", security.controllers);
    section.read("allow_plain_network", security.allow_plain_network);
    const bool nobody = security.clients.empty() && security.producers.empty() && security.subscribers.empty() &&
                        security.controllers.empty();
    if (security.keys.empty() != nobody) {
        section.refuse(
            "[security] must have both or neither of: 'keys', the file with the engine's keys; and at least one public "
            "key in 'clients', 'producers', 'subscribers' or 'controllers'");
    }
    section.require_all_known();
}

ProcessOptions read_process(const toml::table& table, const std::string& source, const Reading& reading) {
    Section file(table, "", source);
    ProcessOptions options;
    options.engine.event_work_limit = reading.event_work_limit;
    options.engine.step_work_limit = reading.step_work_limit;
    file.read("threads", options.threads, 0, 1024);
    read_stream(file.table("stream"), reading.hashes_texts, options.engine.format, options.reader);
    read_window(file.table("window"), options.engine.window);
    if (Section prepare = file.table("prepare"); table.contains("prepare"))
        read_prepare(std::move(prepare), options.engine.format, options.engine.prepare, options.reader);
    read_files(file.table("files"), options.engine.format, options.reader);
    for (Section& model : file.tables("model"))
        options.engine.models.push_back(read_model(std::move(model), reading, options.engine.format));
    if (!options.engine.models.empty() && !table.contains("stream"))
        throw InvalidInput(Reason::bad_option, source +
                                                   ": there are models but no [stream]; add [stream] with dimensions "
                                                   "or columns, and each [[stream.attribute]]");
    read_recording(file.table("recording"), options.recording);
    read_wire(file.table("ingest"), file.table("updates"), file.table("control"), options.wire);
    read_clients(file.table("clients"), options.clients);
    read_security(file.table("security"), options.security);
    file.read("event_work_limit", options.engine.event_work_limit, 1);
    file.read("step_work_limit", options.engine.step_work_limit, 1);
    file.require_all_known();
    return options;
}

// Throws for a line whose key could nest too deep: the parser recurses for each level, and its stack is limited. Counts
// the dots outside strings.
void check_nesting(std::string_view text, const std::string& source) {
    constexpr std::size_t most_dots = 4096;
    std::size_t line = 1, dots = 0;
    char quote = 0;
    bool escaped = false;
    for (const char c : text) {
        if (c == '\n') {
            ++line;
            dots = 0;
            quote = 0;
            escaped = false;
        } else if (quote != 0) {
            if (c == quote && !escaped) quote = 0;
            escaped = quote == '"' && c == '\\' && !escaped;
        } else if (c == '"' || c == '\'') {
            quote = c;
        } else if (c == '.' && ++dots > most_dots) {
            throw InvalidInput(Reason::malformed, source + ":" + std::to_string(line) + ": more than " +
                                                      std::to_string(most_dots) + " dots; no key has so many");
        }
    }
}

/// Returns a hint, ", in 'clusters = six': text needs quotes", on the unreadable line with this number, counted from 1.
std::string line_hint(std::string_view text, std::size_t number) {
    constexpr std::size_t most_shown = 60;
    for (; number > 1 && !text.empty(); --number) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
    std::string_view line = text.substr(0, text.find_first_of("\r\n"));
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (line.empty()) return {};
    const std::size_t equals = line.find('=');
    const std::size_t value = equals == std::string_view::npos ? equals : line.find_first_not_of(" \t", equals + 1);
    const bool is_word = value != std::string_view::npos &&
                         ((line[value] >= 'a' && line[value] <= 'z') || (line[value] >= 'A' && line[value] <= 'Z'));
    return ", in '" + printable(std::string(line.substr(0, most_shown))) + (line.size() > most_shown ? "...'" : "'") +
           (is_word ? ": text needs quotes" : "");
}

/// Reads a text, without checking that the options fit each other.
ProcessOptions read_text(std::string_view text, const std::string& source, const Reading& reading) {
    if (text.starts_with("SQLite format 3"))
        throw InvalidInput(Reason::malformed,
                           source +
                               ": is a recording, not a configuration; to check it, give it to fairstream check alone; "
                               "to write its configuration, use fairstream export --save-config OUT.toml");
    check_nesting(text, source);
    toml::table table;
    try {
        table = toml::parse(text, source);
    } catch (const toml::parse_error& error) {
        const toml::source_position at = error.source().begin;
        throw InvalidInput(Reason::malformed, source + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) +
                                                  ": " + std::string(error.description()) + line_hint(text, at.line));
    }
    return read_process(table, source, reading);
}

/// Runs `checks`; puts the source in front of the error that they throw.
template <class Checks> void check_naming_source(const std::string& source, const Checks& checks) {
    try {
        checks();
    } catch (const InvalidInput& error) {
        throw InvalidInput(error.reason(), source + ": " + error.what());
    }
}

ProcessOptions parse_text(std::string_view text, const std::string& source, const Reading& reading) {
    ProcessOptions options = read_text(text, source, reading);
    check_naming_source(source, [&] { check(options.engine); });
    return options;
}

}  // namespace

ProcessOptions parse(std::string_view text, const std::string& source) {
    return parse_text(text, source, file_reading);
}

EngineOptions parse_recorded(std::string_view text, const std::string& source) {
    return parse_text(text, source, recording_reading).engine;
}

files::ReaderSettings recorded_reader_settings(std::string_view text, const std::string& source) {
    return parse_text(text, source, recording_reading).reader;
}

ProcessOptions load(const std::filesystem::path& path) {
    return parse(files::file_text(path, most_mebibytes), path.string());
}

bool is_without_engine(const ProcessOptions& options) {
    EngineOptions none;
    none.event_work_limit = options.engine.event_work_limit;
    return options.engine == none;
}

ProcessOptions load_process(const std::filesystem::path& path) {
    const std::string source = path.string();
    ProcessOptions options = read_text(files::file_text(path, most_mebibytes), source, file_reading);
    if (!is_without_engine(options)) check_naming_source(source, [&] { check(options.engine); });
    return options;
}

namespace {

/// Reads a file that may lack parts that an engine needs.
ProcessOptions partial_options(const std::filesystem::path& path) {
    return read_text(files::file_text(path, most_mebibytes), path.string(), file_reading);
}

}  // namespace

StreamOptions load_stream(const std::filesystem::path& path) {
    ProcessOptions options = partial_options(path);
    EngineOptions& engine = options.engine;
    check_naming_source(path.string(), [&] {
        check(engine.format);
        check(engine.prepare, engine.format);
    });
    return {std::move(engine.format), std::move(engine.prepare), std::move(options.reader)};
}

std::vector<ModelSetup> load_models(const std::filesystem::path& path) {
    return partial_options(path).engine.models;
}

void keep_hashed_ids(const StreamFormat& recorded, StreamFormat& given) {
    if (given.has_text_ids && recorded.ids_are_hashes) given.ids_are_hashes = true;
}

}  // namespace fairstream::config
