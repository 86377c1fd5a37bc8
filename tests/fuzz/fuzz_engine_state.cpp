/// The first bytes of an input choose an engine and its progress; the rest edits its saved state: the values of single
/// fields, with the surrounding lengths corrected, or arbitrary bytes. Every state that loads must continue like any
/// other engine.

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <fairstream/engine.hpp>
#include <fairstream/options.hpp>

#include "fuzz/input.hpp"
#include "fuzz/oracle.hpp"
#include "fuzz/state_fields.hpp"
#include "support/streams.hpp"

namespace fairstream::fuzz {
namespace {

using Bytes = std::vector<std::byte>;

constexpr Slot capacity = 40;
constexpr std::size_t batch = 8;

constexpr std::size_t setups = 11;

EngineOptions setup(std::size_t choice) {
    using Settings = std::vector<std::pair<std::string, std::string>>;
    const auto with = [](const char* kind, const Settings& settings, std::uint64_t every = 0, bool targets = false,
                         WindowPolicy policy = WindowPolicy::sliding) {
        ModelOptions options = default_options(kind);
        for (const auto& [name, value] : settings) set_option(options, name, value);
        StreamFormat format = test::two_attributes(2);
        format.has_targets = targets;
        return EngineOptions{format, {capacity, policy, 1}, {{"it", options, {every, WhenBusy::wait}}}};
    };
    const Settings swapping{{"clusters", "4"}, {"parity_at_least", "0"}, {"effort", "0"},
                            {"swaps", "2"},    {"starts", "1"},          {"candidates", "8"}};
    const Settings fair{{"clusters", "3"}, {"balance_at_least", "0.4"}, {"rare_below", "0"}};
    const Settings front{{"clusters", "3"}, {"balance_at_least", "0,0.3"}, {"swaps", "0"}, {"rare_below", "0"}};
    const Settings spectral{{"clusters", "3"}, {"neighbours", "5"}};
    const Settings scores{{"interval", "0.05,0.5"}};
    const Settings network{{"hidden", "5,4"}, {"epochs", "2"}, {"start_after", "12"}};
    switch (choice) {
        case 0:
            return with("safairkm", swapping);
        case 1:
            return with("safairkm", fair);
        case 2:
            return with("safairkm", fair, 3 * batch);
        case 3:
            return with("safairkm", swapping, 0, true, WindowPolicy::reservoir);
        case 4:
            return with("live_front", front);
        case 5:
            return with("fair_spectral", spectral);
        case 6:
            return with("fair_spectral", spectral, 2 * batch);
        case 7:
            return with("partial_fair_scorer", scores, 0, true);
        case 8:
            return with("partial_fair_scorer", scores, 2 * batch, true);
        case 9:
            return with("esvd_fair", network, 0, true);
        default:
            return with("group_metrics", {{"prediction", "0"}, {"threshold", "0"}}, 0, true);
    }
}

PointColumns points(const EngineOptions& options, std::size_t number) {
    PointColumns columns = test::mixture(options.format, batch, number, number * batch);
    for (float& target : columns.targets) target = target < 0 ? -1.0F : 1.0F;
    return columns;
}

struct Saved {
    EngineOptions options;
    std::size_t batches = 0;
    Bytes bytes;
};

// Each state is made once.
const Saved& saved(std::size_t choice, std::size_t batches) {
    static std::map<std::pair<std::size_t, std::size_t>, Saved> made;
    const auto [at, is_new] = made.try_emplace({choice, batches});
    if (is_new) {
        at->second.options = setup(choice);
        at->second.batches = batches;
        Engine engine(at->second.options, 1);
        for (std::size_t i = 0; i < batches; ++i) engine.ingest(points(at->second.options, i).view());
        at->second.bytes = engine.save();
    }
    return at->second;
}

Bytes edited(const Bytes& bytes, Input& input) {
    auto fields = read_fields(bytes);
    require(fields && write_fields(*fields) == bytes, "a saved state consists of fields");
    while (!input.empty()) {
        std::vector<Field*> values, branches;
        list_fields(*fields, values, branches);
        const auto way = input.number<std::uint8_t>();
        const std::size_t at = input.below(65536);
        if (way % 16 == 0) {  // a value replaces another one
            values[at % values.size()]->value = values[input.below(values.size())]->value;
        } else if (way % 16 == 1 && !branches.empty()) {  // a field is missing
            std::vector<Field>& inner = branches[at % branches.size()]->fields;
            inner.erase(inner.begin() + static_cast<std::ptrdiff_t>(input.below(inner.size())));
            if (inner.empty()) return write_fields(*fields);  // no fields and no bytes look the same
        } else if (way % 16 == 2) {                           // bytes anywhere
            Bytes all = write_fields(*fields);
            edit(all, input);
            return all;
        } else {
            edit(values[at % values.size()]->value, input);
        }
    }
    return write_fields(*fields);
}

std::int64_t scored_points(const ModelReport& report) {
    const auto* const predictions = std::get_if<PredictionFairness>(&report.fairness);
    return predictions != nullptr ? predictions->points : report.score_fairness().points;
}

void ask(const Engine& engine, const PointColumns& fresh) {
    const ModelReport report = engine.report("it");
    const auto most = static_cast<std::int64_t>(engine.window().size());
    if (gives_numbers(engine.current_options("it"))) {
        require(scored_points(report) <= most, "no more points than the window has");
        std::vector<Score> scores(fresh.ids.size());
        engine.score("it", fresh.features, fresh.groups, scores);
        return;
    }
    if (!gives_outputs(engine.current_options("it"))) {
        require(report.group_metrics().all.points <= most, "no more points than the window has");
        return;
    }
    require(report.tally().total() <= most, "no more points than the window has");
    std::vector<ClusterId> labels(fresh.ids.size());
    engine.assign("it", fresh.features, labels);
    const auto k = static_cast<ClusterId>(report.tally().clusters());
    require(std::ranges::all_of(labels, [&](ClusterId l) { return l >= no_cluster && l < k; }), "a label is a cluster");
}

// Ingests some more batches, with questions in between.
Bytes go_on(Engine& engine, std::size_t number) {
    constexpr std::size_t more = 4;
    for (std::size_t i = 0; i < more; ++i) {
        const PointColumns next = points(engine.options(), number + i);
        ask(engine, next);
        engine.ingest(next.view());
    }
    ask(engine, points(engine.options(), number));
    return engine.save();
}

}  // namespace
}  // namespace fairstream::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace fairstream;
    using fuzz::require;
    fuzz::Input input(data, size);
    const auto choice = input.number<std::uint8_t>();
    const auto& [options, batches, bytes] = fuzz::saved(choice % fuzz::setups, input.number<std::uint8_t>() % 8);
    const fuzz::Bytes changed = fuzz::edited(bytes, input);
    std::optional<Engine> engine;
    try {
        engine = Engine::load(options, changed, 1);
    } catch (const InvalidInput& refusal) {
        require(refusal.reason() == Reason::bad_state, "a state is refused as one");
        return 0;
    }
    const fuzz::Bytes first = engine->save();
    Engine again = Engine::load(options, first, 1);
    require(again.save() == first, "a loaded state is saved as bytes that load to the same");
    require(fuzz::go_on(*engine, batches) == fuzz::go_on(again, batches), "equal states go on to equal states");
    return 0;
}
