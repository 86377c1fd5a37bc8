#include <fairstream/engine.hpp>

#include <algorithm>
#include <set>
#include <unordered_map>

#include <fairstream/core/engine_core.hpp>
#include <fairstream/models/all_options.hpp>
#include <fairstream/options.hpp>

namespace fairstream {
namespace {

constexpr std::uint32_t state_version = 1;

template <class... M> core::EngineCore<M...> core_for(ModelList<M...>);
using Core = decltype(core_for(Models{}));

bool is_name(std::string_view name) {
    const auto allowed = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    };
    return !name.empty() && name.size() <= 64 && std::ranges::all_of(name, allowed);
}

// A name as it stands where it cannot be mistaken, in quotes where it could end or go on as something else.
std::string unmistakable(const std::string& name) {
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

void check_rows(const Window& window, ConstRows rows, std::size_t outputs) {
    if (rows.size() != outputs * window.dimensions())
        throw InvalidInput(Reason::wrong_shape, std::to_string(rows.size()) + " features for " +
                                                    std::to_string(outputs) + " points: must be " +
                                                    std::to_string(outputs * window.dimensions()));
    const auto bad = std::ranges::find_if(rows, [](float x) { return !(std::abs(x) <= feature_limit); });
    if (bad != rows.end())
        throw InvalidInput(Reason::bad_feature,
                           "feature " + std::to_string((bad - rows.begin()) % window.dimensions()) + " of row " +
                               std::to_string((bad - rows.begin()) / window.dimensions()) + " is " +
                               std::to_string(*bad) + ": must be finite and within +-1e15");
}

}  // namespace

namespace core {

void merge_changes(Changes<ClusterId>& total, const Changes<ClusterId>& later) {
    // Per id what a subscriber has before the event and after it; `total` and `later` both list net changes.
    struct Net {
        ClusterId before, after;
        std::uint8_t provisional;
    };
    std::unordered_map<PointId, std::size_t> place;
    std::vector<std::pair<PointId, Net>> net;
    const auto note = [&](PointId id, ClusterId before, ClusterId after, std::uint8_t provisional) {
        const auto [at, fresh] = place.try_emplace(id, net.size());
        if (fresh)
            net.push_back({id, {before, after, provisional}});
        else
            net[at->second].second.after = after, net[at->second].second.provisional = provisional;
    };
    for (const Changes<ClusterId>* changes : {static_cast<const Changes<ClusterId>*>(&total), &later}) {
        for (std::size_t i = 0; i < changes->departed.size(); ++i)
            note(changes->departed[i], changes->departed_from[i], no_cluster, 0);
        for (std::size_t i = 0; i < changes->ids.size(); ++i)
            note(changes->ids[i], changes->before[i], changes->after[i],
                 changes->provisional.empty() ? std::uint8_t{0} : changes->provisional[i]);
    }
    const bool marks = !total.provisional.empty() || !later.provisional.empty();
    total.clear();
    for (const auto& [id, change] : net) {
        if (change.before == change.after) continue;
        if (change.after == no_cluster) {
            total.departed.push_back(id);
            total.departed_from.push_back(change.before);
        } else {
            total.ids.push_back(id);
            total.before.push_back(change.before);
            total.after.push_back(change.after);
            if (marks) total.provisional.push_back(change.provisional);
        }
    }
}

}  // namespace core

void check(const EngineOptions& options) {
    check(options.format);
    check(options.window);
    if (options.models.empty()) throw InvalidInput(Reason::bad_option, "no model: an engine needs at least one");
    std::set<std::string_view> names;
    for (const ModelSetup& model : options.models) {
        if (!is_name(model.name))
            throw InvalidInput(Reason::bad_option,
                               "model name '" + model.name + "': must be 1 to 64 of a-z, 0-9, _ and -");
        if (!names.insert(model.name).second)
            throw InvalidInput(Reason::bad_option, "two models are named '" + model.name + "'");
        std::visit(
            [&](const auto& chosen) {
                check(chosen, options.format);
                if (static_cast<std::int64_t>(cluster_count(chosen)) >
                    static_cast<std::int64_t>(options.window.capacity))
                    throw InvalidInput(Reason::bad_option, "clusters = " + std::to_string(cluster_count(chosen)) +
                                                               " of " + model.name +
                                                               ": must be at most the window's capacity, " +
                                                               std::to_string(options.window.capacity));
            },
            model.options);
    }
}

std::string canonical_text(const EngineOptions& options) {
    std::string text;
    const auto line = [&](const std::string& name, const std::string& value) { text += name + " = " + value + "\n"; };
    line("stream.dimensions", std::to_string(options.format.dimensions));
    line("stream.targets", options.format.has_targets ? "true" : "false");
    for (const Attribute& attribute : options.format.attributes) {
        std::string groups;
        for (const std::string& group : attribute.groups) groups += (groups.empty() ? "" : ", ") + unmistakable(group);
        line("stream.attribute." + unmistakable(attribute.name), groups);
    }
    line("window.capacity", std::to_string(options.window.capacity));
    line("window.policy", options.window.policy == WindowPolicy::sliding ? "sliding" : "reservoir");
    line("window.seed", std::to_string(options.window.seed));
    for (const ModelSetup& model : options.models) {
        const std::string prefix = "model." + model.name + ".";
        line(prefix + "kind", std::string(model_name(model.options)));
        line(prefix + "every", std::to_string(model.schedule.every));
        line(prefix + "when_busy", model.schedule.when_busy == WhenBusy::wait ? "wait" : "skip");
        for (const OptionText& option : list_options(model.options)) line(prefix + option.name, option.value);
    }
    return text;
}

struct Engine::Impl {
    Impl(EngineOptions given, int threads) : options(std::move(given)), core(options.format, options.window, threads) {
        for (const ModelSetup& model : options.models) add(model, Models{});
        for (const ModelSetup& model : options.models) current.push_back(model.options);
        core.on_update([this](const Update&) { note_options(); });  // before any listener, which may throw
    }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    template <class... M> void add(const ModelSetup& model, ModelList<M...>) { (add_if<M>(model), ...); }
    template <class M> void add_if(const ModelSetup& model) {
        if (const auto* chosen = std::get_if<typename M::Options>(&model.options))
            core.add<M>(model.name, *chosen, model.schedule);
    }
    void note_options() {
        for (std::size_t i = 0; i < current.size(); ++i)
            std::visit([&](const auto& session) { current[i] = session.options(); },
                       core.session(options.models[i].name));
    }

    EngineOptions options;
    std::vector<ModelOptions> current;
    Core core;
};

Engine::Engine(EngineOptions options, int threads)
    : Engine([&] {
          fairstream::check(options);
          check_threads(threads);
          return std::make_unique<Impl>(std::move(options), threads);
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
void Engine::check(const Event& event) const {
    impl_->core.check_event(event);
}

const Update& Engine::ingest(const Event& event, std::optional<std::span<const Decision>> decisions) {
    return impl_->core.ingest(event, decisions);
}

void Engine::on_update(std::function<void(const Update&)> listener) {
    impl_->core.on_update(std::move(listener));
}

void Engine::assign(std::string_view model, ConstRows rows, std::span<ClusterId> out) const {
    std::visit(
        [&](const auto& session) {
            check_rows(impl_->core.window(), rows, out.size());
            predict(session.options(), session.state(), rows, out);
        },
        impl_->core.session(model));
}

namespace {

// Inside `Engine` its own member of that name would hide the models' functions.
template <class Session>
void assign_fairly(const Session& session, ConstRows rows, std::span<const GroupId> groups, std::span<ClusterId> out) {
    assign_fair(session.options(), session.state(), rows, groups, out);
}

}  // namespace

void Engine::assign_fair(std::string_view model, ConstRows rows, std::span<const GroupId> groups,
                         std::span<ClusterId> out) const {
    std::visit(
        [&](const auto& session) {
            check_rows(impl_->core.window(), rows, out.size());
            const auto& attributes = impl_->core.window().format().attributes;
            const auto& balanced = balanced_attributes(session.options());
            if (groups.size() != out.size() * balanced.size())
                throw InvalidInput(Reason::wrong_shape, std::to_string(groups.size()) + " groups for " +
                                                            std::to_string(out.size()) + " points and " +
                                                            std::to_string(balanced.size()) + " attributes");
            for (std::size_t i = 0; i < groups.size(); ++i) {
                const auto attribute = static_cast<std::size_t>(balanced[i % balanced.size()]);
                const std::size_t known = attributes.empty() ? 0 : attributes[attribute].groups.size();
                if (groups[i] >= known)
                    throw InvalidInput(Reason::unknown_group, "group " + std::to_string(groups[i]) +
                                                                  ": must be below " + std::to_string(known));
            }
            assign_fairly(session, rows, groups, out);
        },
        impl_->core.session(model));
}

std::span<const ClusterId> Engine::labels(std::string_view model) const {
    return std::visit([](const auto& session) { return session.labels(); }, impl_->core.session(model));
}

ModelReport Engine::report(std::string_view model) const {
    return std::visit(
        [&](const auto& session) {
            ModelReport report{session.name(),          session.solve(),
                               session.cost(),          session.churn(),
                               session.visible_tally(), {},
                               session.front(),         {}};
            if (session.solve().outcome == Outcome::warming) return report;
            report.figures = session.figures();
            const std::span<const float> all = centres(session.state());
            const std::size_t d = impl_->core.window().dimensions();
            for (std::size_t l = 0; l * d < all.size(); ++l)
                report.clusters.push_back({report.tally.size(static_cast<ClusterId>(l)),
                                           {all.begin() + static_cast<std::ptrdiff_t>(l * d),
                                            all.begin() + static_cast<std::ptrdiff_t>((l + 1) * d)}});
            return report;
        },
        impl_->core.session(model));
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

Engine Engine::load(EngineOptions options, std::span<const std::byte> bytes, int threads) {
    Engine engine(std::move(options), threads);
    StateReader reader(bytes);
    std::uint32_t version = 0;
    reader(1, version);
    if (version != state_version)
        StateReader::fail("version " + std::to_string(version) + ", this engine reads " +
                          std::to_string(state_version));
    std::string saved_under;
    reader(2, saved_under);
    if (const std::string wanted = canonical_text(engine.options()); saved_under != wanted) {
        const auto [ours, theirs] = std::ranges::mismatch(wanted, saved_under);
        const auto line = [](const std::string& text, auto at) {
            // The line that `at` is in, its own line break included: one value may begin with another.
            const auto place = static_cast<std::size_t>(at - text.begin());
            const std::size_t begin = place == 0 ? 0 : text.rfind('\n', place - 1) + 1;
            return text.substr(begin, text.find('\n', begin) - begin);
        };
        StateReader::fail("was saved under other options: '" + line(saved_under, theirs) + "' there, '" +
                          line(wanted, ours) + "' here");
    }
    StateReader core = reader.nested(3);
    engine.impl_->core.load(core);
    engine.impl_->note_options();
    return engine;
}

}  // namespace fairstream
