#include <fairstream/engine.hpp>

#include <algorithm>
#include <array>
#include <set>
#include <type_traits>

#include <fairstream/answers.hpp>
#include <fairstream/base/number_text.hpp>
#include <fairstream/core/detail/engine_core.hpp>
#include <fairstream/core/detail/queried_model.hpp>
#include <fairstream/core/detail/work_limit.hpp>
#include <fairstream/options.hpp>

namespace fairstream {
namespace {

constexpr std::uint32_t state_version = 1;

bool is_name(std::string_view name) {
    const auto allowed = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    };
    return !name.empty() && name.size() <= 64 && std::ranges::all_of(name, allowed);
}

// Returns a name unchanged if it is unambiguous in a canonical text, otherwise in quotes.
std::string quoted_if_ambiguous(const std::string& name) {
    const auto special = [](char c) {
        return c == '"' || c == '\\' || c == ',' || c == '=' || static_cast<unsigned char>(c) < ' ';
    };
    if (!name.empty() && name.front() != ' ' && name.back() != ' ' && std::ranges::none_of(name, special)) return name;
    std::string quoted = "\"";
    for (const char c : name) {
        if (c == '"' || c == '\\') quoted += '\\';
        if (c == '\n')
            quoted += "\\n";
        else
            quoted += c;
    }
    return quoted + '"';
}

std::string described(const ColumnPreparation& how) {
    static constexpr std::array<const char*, 4> scales = {"none", "fixed", "first", "running"};
    static constexpr std::array<const char*, 3> fills = {"mean", "most_frequent", "indicator"};
    return (how.encoding == Encoding::ordinal ? "ordinal, " : "") + number_text(how.at_least) + " to " +
           number_text(how.at_most) + (how.log ? ", log, " : ", ") + scales[static_cast<std::size_t>(how.scale)] + " " +
           std::to_string(how.first) + " " + number_text(how.mean) + " " + number_text(how.deviation) +
           (how.unit == ScaleUnit::range ? ", range " + number_text(how.low) + " to " + number_text(how.high) : "") +
           ", missing: " + fills[static_cast<std::size_t>(how.missing)] +
           (how.fill ? " filled with " + number_text(*how.fill) : "");
}

void check_setup(const ModelSetup& setup, const EngineOptions& engine) {
    const ModelKind& kind = setup.options.kind();
    const StreamFormat prepared = core::model_format(engine.format, engine.prepare, engine.window);
    core::check_model(setup.name, setup.options, prepared);
    core::require_within(engine.event_work_limit,
                         kind.step_work(setup.options, prepared,
                                        std::clamp<std::uint64_t>(setup.schedule.every, 1, engine.window.capacity),
                                        engine.window.capacity),
                         Reason::bad_option, "a step of " + setup.name);
    if (kind.outputs() == OutputKind::none && setup.schedule.every != 0)
        throw InvalidInput(Reason::bad_option, "every = " + std::to_string(setup.schedule.every) + " of " + setup.name +
                                                   ": " + std::string(kind.name()) +
                                                   " is updated at every event and has no schedule: remove every");
    const std::int64_t clusters = kind.cluster_count(setup.options);
    if (clusters > static_cast<std::int64_t>(engine.window.capacity))
        throw InvalidInput(Reason::bad_option, "clusters = " + std::to_string(clusters) + " of " + setup.name +
                                                   ": must be at most the window's capacity, " +
                                                   std::to_string(engine.window.capacity));
}

}  // namespace

void check(const EngineOptions& options) {
    check(options.format);
    check(options.prepare, options.format);
    check(options.window);
    if (options.step_work_limit == 0) throw InvalidInput(Reason::bad_option, "step_work_limit = 0: must be at least 1");
    if (options.models.empty())
        throw InvalidInput(Reason::bad_option, "models: there is none; an engine needs at least one");
    std::set<std::string_view> names;
    for (const ModelSetup& model : options.models) {
        if (!is_name(model.name))
            throw InvalidInput(Reason::bad_option,
                               "model name '" + model.name + "': must be 1 to 64 characters of a-z, 0-9, '_' and '-'");
        if (!names.insert(model.name).second)
            throw InvalidInput(Reason::bad_option,
                               "model name '" + model.name + "': two models have it; give each model a different name");
        check_setup(model, options);
    }
}

namespace {

/// Returns a canonical text of an earlier version without settings that only readers of files use: the lines on missing
/// texts and the decimal mark, and the formats after the units of dates.
std::string without_reader_settings(std::string_view text) {
    constexpr std::string_view column = "stream.column.", dates = ".dates = ";
    std::string kept;
    while (!text.empty()) {
        std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        if (line.starts_with("stream.missing_text = ") || line.starts_with("stream.decimal_mark = ")) continue;
        if (const std::size_t at = line.find(dates); line.starts_with(column) && at != std::string_view::npos)
            line = line.substr(0, line.find(", ", at));
        kept.append(line).push_back('\n');
    }
    return kept;
}

}  // namespace

std::string canonical_text(const EngineOptions& options) {
    std::string text;
    const auto line = [&](const std::string& name, const std::string& value) { text += name + " = " + value + "\n"; };
    line("stream.dimensions", std::to_string(options.format.dimensions));
    line("stream.targets", options.format.targets_come_later ? "later" : options.format.has_targets ? "true" : "false");
    for (const Attribute& attribute : options.format.attributes) {
        std::string groups;
        for (const std::string& group : attribute.groups)
            groups += (groups.empty() ? "" : ", ") + quoted_if_ambiguous(group);
        line("stream.attribute." + quoted_if_ambiguous(attribute.name), groups);
        if (attribute.has_unknown) line("stream.unknown." + quoted_if_ambiguous(attribute.name), "true");
    }
    if (options.format.has_weights) line("stream.weights", "true");
    if (options.format.has_text_ids) line("stream.ids", options.format.ids_are_hashes ? "text" : "numbered text");
    for (const FeatureColumn& column : options.format.columns) {
        std::string levels;
        for (const std::string& level : column.levels)
            levels += (levels.empty() ? "" : ", ") + quoted_if_ambiguous(level);
        line("stream.column." + quoted_if_ambiguous(column.name), levels);
        if (column.may_be_missing) line("stream.column." + quoted_if_ambiguous(column.name) + ".missing", "may be");
        if (column.buckets > 0)
            line("stream.column." + quoted_if_ambiguous(column.name) + ".buckets", std::to_string(column.buckets));
        if (column.dates != DateUnit::none)
            line("stream.column." + quoted_if_ambiguous(column.name) + ".dates", std::string(to_string(column.dates)));
    }
    for (std::size_t i = 0; i < options.prepare.columns.size(); ++i)
        line("prepare." + std::to_string(i), described(options.prepare.columns[i]));
    if (options.prepare.unit_rows) line("prepare.unit_rows", "true");
    if (options.prepare.renew_every != 0) line("prepare.every", std::to_string(options.prepare.renew_every));
    if (options.step_work_limit != no_work_limit) line("step_work_limit", std::to_string(options.step_work_limit));
    line("window.capacity", std::to_string(options.window.capacity));
    line("window.policy", options.window.policy == WindowPolicy::sliding ? "sliding" : "reservoir");
    line("window.seed", std::to_string(options.window.seed));
    if (options.window.max_age != 0) line("window.max_age", std::to_string(options.window.max_age));
    if (const HalfLife& half_life = options.window.half_life; !half_life.empty())
        line("window.half_life",
             half_life.time != 0 ? std::to_string(half_life.time) + " us" : number_text(half_life.points));
    for (const ModelSetup& model : options.models) {
        const std::string prefix = "model." + model.name + ".";
        line(prefix + "kind", std::string(model_name(model.options)));
        line(prefix + "every", std::to_string(model.schedule.every));
        line(prefix + "when_busy", model.schedule.when_busy == WhenBusy::wait ? "wait" : "skip");
        for (const OptionText& option : list_options(model.options))
            if (!option.left_out) line(prefix + option.recorded, option.value);
    }
    return text;
}

namespace {

/// Returns a line of a canonical text with the option's present name instead of the recorded one.
std::string with_present_name(std::string line, const EngineOptions& options) {
    for (const ModelSetup& model : options.models)
        for (const OptionText& option : list_options(model.options)) {
            const std::string prefix = "model." + model.name + ".", recorded = prefix + option.recorded + " = ";
            if (line.starts_with(recorded)) return prefix + option.name + line.substr(recorded.size() - 3);
        }
    return line;
}

}  // namespace

struct Engine::Impl {
    Impl(EngineOptions given, int threads, RunInBackground run_in_background)
        : options(std::move(given)),
          core(options.format, options.window, threads, options.event_work_limit, std::move(run_in_background),
               options.prepare, {options.step_work_limit, background_work_factor}) {
        for (const ModelSetup& model : options.models) core.add(model.name, model.options, model.schedule);
        for (const ModelSetup& model : options.models) current.push_back(model.options);
        core.on_update([this](const Update&) {  // before all other listeners, which may throw
            if (options_change) note_options();
        });
    }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    // Called before the core takes in the event.
    void expect(const Event& event) { options_change = std::holds_alternative<KnobChange>(event); }
    void note_options() {
        for (std::size_t i = 0; i < current.size(); ++i) current[i] = core.session(options.models[i].name).options();
    }

    EngineOptions options;
    std::vector<ModelOptions> current;
    bool options_change = false;  // whether the current event changes an option
    core::EngineCore core;
};

Engine::Engine(EngineOptions options, int threads, RunInBackground run_in_background)
    : Engine([&] {
          fairstream::check(options);
          check_threads(threads);
          return std::make_unique<Impl>(std::move(options), threads, std::move(run_in_background));
      }()) {}
Engine::Engine(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Engine::~Engine() = default;
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;

const EngineOptions& Engine::options() const noexcept {
    return impl_->options;
}
const ModelOptions& Engine::current_options(std::string_view model) const {
    (void)impl_->core.session(model);
    const auto at = std::ranges::find(impl_->options.models, model, &ModelSetup::name);
    return impl_->current[static_cast<std::size_t>(at - impl_->options.models.begin())];
}
Sequence Engine::sequence() const noexcept {
    return impl_->core.sequence();
}
const Window& Engine::window() const noexcept {
    return impl_->core.window();
}
std::string_view Engine::id_text(PointId id) const noexcept {
    const std::optional<Slot> slot = window().find(id);
    return slot ? impl_->core.id_texts().text(*slot) : std::string_view();
}

std::optional<PointId> Engine::id_of(std::string_view text) const {
    const std::optional<Slot> slot = impl_->core.id_texts().find(text);
    return slot ? std::optional(window().id(*slot)) : std::nullopt;
}

const PreparationFigures& Engine::preparation() const noexcept {
    return impl_->core.preparer().figures();
}
void Engine::prepare(ConstRows rows, std::span<float> out) const {
    const std::size_t n = rows.size() / options().format.dimensions;
    core::check_rows(options().format, rows, n);
    if (out.size() != n * window().dimensions())
        throw InvalidInput(Reason::wrong_shape, "output of " + std::to_string(out.size()) +
                                                    " prepared features: must have room for " +
                                                    std::to_string(n * window().dimensions()));
    if (const Preparer& preparer = impl_->core.preparer(); preparer.is_active())
        preparer.prepare(rows, out);
    else
        std::ranges::copy(rows, out.begin());
}
CheckedEvent Engine::check(const Event& event) const {
    impl_->core.check_event(event);
    return {event, impl_.get(), sequence()};
}

const Update& Engine::ingest(const Event& event, std::optional<std::span<const Decision>> decisions) {
    impl_->expect(event);
    return impl_->core.ingest(event, decisions);
}

const Update& Engine::ingest(const CheckedEvent& checked, std::optional<std::span<const Decision>> decisions) {
    if (checked.engine_ != impl_.get() || checked.after_ != sequence())
        throw std::logic_error("the event was checked by another engine, or before the latest event");
    impl_->expect(*checked.event_);
    return impl_->core.ingest_checked(*checked.event_, decisions);
}

void Engine::erase(const PointRemoval& removal) {
    impl_->expect(removal);
    impl_->core.erase(removal);
}

void Engine::interrupt() noexcept {
    impl_->core.interrupt();
}

void Engine::on_update(std::function<void(const Update&)> listener) {
    impl_->core.on_update(std::move(listener));
}

void Engine::on_progress(OnProgress listener) {
    impl_->core.on_progress(std::move(listener));
}

namespace {

// Returns the session of a model of this kind, `Clusterer` or `Scorer`.
template <class Model> const core::SessionOf<Model>& session_of(const core::EngineCore& core, std::string_view model) {
    return dynamic_cast<const core::SessionOf<Model>&>(core.session(model));
}

// Returns a model of an engine for questions about new points.
core::QueriedModel queried(const EngineOptions& options, const core::EngineCore& core, std::string_view model) {
    const core::Session& session = core.session(model);
    core::QueriedModel queried{session.name(), session.options(), options.format, core.window().format(),
                               core.preparer()};
    if (const auto* of_labels = dynamic_cast<const core::SessionOf<Clusterer>*>(&session))
        queried.clusterer = &of_labels->model();
    if (const auto* of_numbers = dynamic_cast<const core::SessionOf<Scorer>*>(&session))
        queried.scorer = &of_numbers->model();
    return queried;
}

}  // namespace

void Engine::assign(std::string_view model, ConstRows rows, std::span<ClusterId> out) const {
    queried(options(), impl_->core, model).assign(rows, out);
}

void Engine::assign_fair(std::string_view model, ConstRows rows, std::span<const GroupId> groups,
                         std::span<ClusterId> out) const {
    queried(options(), impl_->core, model).assign_fair(rows, groups, out);
}

void Engine::assign_retained(std::string_view model, std::span<ClusterId> out) const {
    queried(options(), impl_->core, model).assign_retained(window(), out);
}

std::unique_ptr<Answers> Engine::answers(std::string_view model) const {
    return std::make_unique<Answers>(queried(options(), impl_->core, model), impl_->options.prepare);
}

std::span<const ClusterId> Engine::labels(std::string_view model) const {
    (void)queried(options(), impl_->core, model).clustering();
    return session_of<Clusterer>(impl_->core, model).visible();
}

std::span<const float> Engine::rows(std::string_view model, RowKind kind) const {
    (void)queried(options(), impl_->core, model).clustering_with(kind);
    return impl_->core.session(model).rows(kind);
}

void Engine::predict_rows(std::string_view model, RowKind kind, ConstRows features, std::span<float> out) const {
    queried(options(), impl_->core, model).predict_rows(kind, features, out);
}

void Engine::score(std::string_view model, ConstRows rows, std::span<const GroupId> groups,
                   std::span<Score> out) const {
    queried(options(), impl_->core, model).score(rows, groups, out);
}

std::span<const Score> Engine::scores(std::string_view model) const {
    (void)queried(options(), impl_->core, model).scoring();
    return session_of<Scorer>(impl_->core, model).visible();
}

const Network* Engine::network(std::string_view model) const {
    const Scorer& scorer = queried(options(), impl_->core, model).scoring();
    if (scorer.options().kind().outputs() != OutputKind::predictions)
        throw InvalidInput(Reason::unknown_request, "model " + std::string(model) + " has no network");
    return scorer.network();
}

ModelReport Engine::report(std::string_view model) const {
    return report_later(model)();
}

std::function<ModelReport()> Engine::report_later(std::string_view model) const {
    const core::Session& session = impl_->core.session(model);
    ModelReport report;
    session.describe(report);
    const auto* clusterer = dynamic_cast<const core::SessionOf<Clusterer>*>(&session);
    if (clusterer != nullptr && report.solve.outcome != Outcome::warming) {
        const std::span<const float> centres = clusterer->model().centres();
        report.centres.assign(centres.begin(), centres.end());
    }
    return [report = std::move(report), intervals = session.intervals()] {
        ModelReport complete = report;
        if (intervals) std::get<ScoreFairness>(complete.fairness).intervals = intervals();
        return complete;
    };
}

std::vector<std::byte> Engine::save() {
    StateWriter writer;
    const Window& window = impl_->core.window();
    writer.reserve(std::size_t{window.size()} * (window.dimensions() * 4 + 64) + 65536);
    writer(1, state_version);
    writer(2, canonical_text(impl_->options));
    writer.nested(3, [&](StateWriter& inner) { impl_->core.save(inner); });
    return writer.take();
}

Engine Engine::load(EngineOptions options, std::span<const std::byte> bytes, int threads,
                    RunInBackground run_in_background) {
    Engine engine(std::move(options), threads, std::move(run_in_background));
    StateReader reader(bytes);
    std::uint32_t version = 0;
    reader(1, version);
    if (version != state_version)
        StateReader::fail("version " + std::to_string(version) + "; this engine reads version " +
                          std::to_string(state_version));
    std::string saved_under;
    reader(2, saved_under);
    const std::string wanted = canonical_text(engine.options());
    if (saved_under != wanted) saved_under = without_reader_settings(saved_under);
    if (saved_under != wanted) {
        const auto [ours, theirs] = std::ranges::mismatch(wanted, saved_under);
        const auto line = [&](const std::string& text, auto at) {
            // Returns the line of the first difference. The difference may be the line break itself: one value may be
            // the beginning of the other.
            const auto place = static_cast<std::size_t>(at - text.begin());
            const std::size_t begin = place == 0 ? 0 : text.rfind('\n', place - 1) + 1;
            return with_present_name(text.substr(begin, text.find('\n', begin) - begin), engine.options());
        };
        StateReader::fail("was saved under other options: it has '" + line(saved_under, theirs) +
                          "', this engine has '" + line(wanted, ours) + "'");
    }
    StateReader core = reader.nested(3);
    engine.impl_->core.load(core);
    engine.impl_->note_options();
    return engine;
}

}  // namespace fairstream
