/// The most processor time of one event: `bench_event_work [LIMIT [GROUP]]`.
///
/// Streams made to take long go through an engine of one model each, synchronous and with its defaults, under this
/// `step_work_limit` ("none": unlimited); streams of the group "ordinary" are not made so. Prints one JSON object for
/// each stream: processor seconds of all events and of the longest, which event that was, the work counted in it,
/// nanoseconds for each unit of work, and how many events ended at the limit.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <fairstream/base/types.hpp>
#include <fairstream/engine.hpp>
#include <fairstream/models/model_kind.hpp>
#include <fairstream/numeric/detail/random.hpp>
#include <fairstream/options.hpp>

#include "support/streams.hpp"

namespace fairstream::benchmarks {
namespace {

double processor_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Setting {
    std::string option, value;
};

/// An engine of one model under a stream, and the times of its events.
class Attack {
public:
    Attack(std::string name, const std::string& kind, std::uint64_t limit, Slot capacity, std::uint32_t dimensions,
           const std::vector<Setting>& settings, bool weights = false, std::uint64_t every = 0)
        : name_(std::move(name)), random_(7) {
        EngineOptions options;
        options.format = {dimensions, {{"sex", {"f", "m"}}, {"age", {"young", "middle", "old"}}}, true};
        options.format.has_weights = weights;
        options.window.capacity = capacity;
        options.models = {{"model", default_options(kind), {.every = every}}};
        if (kind == "group_metrics") set_option(options.models[0].options, "prediction", "0");
        for (const auto& [option, value] : settings) set_option(options.models[0].options, option, value);
        options.step_work_limit = limit;
        options.event_work_limit = no_work_limit;
        searching_ = 0.75 * static_cast<double>(limit) * (every == 0 ? 1 : background_work_factor);
        engine_ = std::make_unique<Engine>(options, 1);
    }

    /// Points of a mixture, whose targets are noise; weights by `weight`.
    void points(std::size_t count, float drift = 0, const std::function<float(Random&)>& weight = {}) {
        PointColumns columns = test::mixture(engine_->options().format, count, ++seed_, next_, 5, drift);
        next_ += count;
        for (float& target : columns.targets) target = target > 0 ? 1.0F : -1.0F;
        if (engine_->options().models[0].options.kind().outputs() == OutputKind::none)
            for (float& x : columns.features) x = 1 / (1 + std::exp(-x));
        if (weight)
            for (std::size_t i = 0; i < count; ++i) columns.weights.push_back(weight(random_));
        take(columns.view(), std::to_string(count) + " points");
    }
    void set(const std::string& option, const std::string& value) {
        try {
            take(KnobChange{"model", option, value}, option + "=" + value);
        } catch (const InvalidInput& error) {
            std::fprintf(stderr, "%s: %s\n", name_.c_str(), error.what());
        }
    }
    void refine(std::int64_t rounds) { take(Refinement{"model", rounds}, "refine " + std::to_string(rounds)); }

    ~Attack() {
        std::printf(
            "{\"attack\": \"%s\", \"seconds\": %.2f, \"longest\": %.3f, \"event\": \"%s\", \"work\": %.3g, "
            "\"per_work\": %.2f, \"events\": %d, \"at_limit\": %d}\n",
            name_.c_str(), all_, longest_, longest_event_.c_str(), static_cast<double>(work_),
            work_ > 0 ? 1e9 * longest_ / static_cast<double>(work_) : 0, events_, at_limit_);
        std::fflush(stdout);
    }
    Attack(const Attack&) = delete;
    Attack& operator=(const Attack&) = delete;

private:
    void take(const Event& event, const std::string& what) {
        const double before = processor_seconds();
        const Update& update = engine_->ingest(event);
        const double took = processor_seconds() - before;
        all_ += took;
        ++events_;
        at_limit_ += update.models[0].stepped && update.models[0].solve.outcome == Outcome::iteration_limit &&
                     static_cast<double>(update.work) >= searching_;
        if (took <= longest_) return;
        longest_ = took;
        longest_event_ = std::to_string(events_) + ": " + what;
        work_ = update.work;
    }

    std::string name_;
    Random random_;
    std::unique_ptr<Engine> engine_;
    std::uint64_t seed_ = 0, work_ = 0;
    PointId next_ = 0;
    double all_ = 0, longest_ = 0, searching_ = 0;
    std::string longest_event_;
    int events_ = 0, at_limit_ = 0;
};

// From a thousandth to a thousand.
float wild(Random& random) {
    return static_cast<float>(std::pow(10.0, 6 * random.unit() - 3));
}

void attack_scorer(std::uint64_t limit) {
    const std::string kind = "partial_fair_scorer";
    {
        Attack attack("scorer, wild weights", kind, limit, 5000, 6, {}, true);
        for (int i = 0; i < 24; ++i) attack.points(10, 0, wild);
    }
    {
        Attack attack("scorer, ridge=2", kind, limit, 5000, 6, {});
        for (int i = 0; i < 10; ++i) attack.points(200);
        attack.set("ridge", "2");
        for (int i = 0; i < 4; ++i) attack.points(20);
    }
    {
        Attack attack("scorer, many levels", kind, limit, 5000, 12, {{"rank_levels", "100"}});
        for (int i = 0; i < 4; ++i) attack.points(500);
        attack.refine(0);
    }
    {
        Attack attack("scorer, mlp", kind, limit, 2000, 12, {{"form", "mlp"}});
        for (int i = 0; i < 3; ++i) attack.points(500);
        attack.refine(0);
    }
    {
        Attack attack("scorer, pairs", kind, limit, 5000, 6, {{"over", "auc"}});
        for (int i = 0; i < 3; ++i) attack.points(1000);
        attack.refine(0);
    }
    {
        Attack attack("scorer, confidence", kind, limit, 5000, 6, {{"confidence", "0.95"}});
        for (int i = 0; i < 3; ++i) attack.points(1000);
        attack.refine(0);
    }
}

void attack_clusters(std::uint64_t limit) {
    {
        Attack attack("safairkm, refinements", "safairkm", limit, 20000, 16,
                      {{"clusters", "12"}, {"balance_at_least", "0.6"}});
        for (int i = 0; i < 4; ++i) attack.points(5000);
        for (int i = 0; i < 12; ++i) attack.refine(0);
    }
    {
        Attack attack("safairkm, balance raised at once", "safairkm", limit, 20000, 16, {{"clusters", "32"}});
        for (int i = 0; i < 4; ++i) attack.points(5000);
        attack.set("balance_at_least", "0.95");
        for (int i = 0; i < 3; ++i) attack.points(1);
    }
    {
        Attack attack("safairkm, two attributes, wild weights", "safairkm", limit, 10000, 8,
                      {{"clusters", "16"}, {"attribute", "0,1"}, {"balance_at_least", "0.8"}}, true);
        for (int i = 0; i < 4; ++i) attack.points(2500, 0, wild);
        attack.refine(0);
        attack.set("balance_at_least", "0.99");
        for (int i = 0; i < 3; ++i) attack.points(1, 0, wild);
    }
    {
        Attack attack("safairkm, rounds", "safairkm", limit, 20000, 16, {{"clusters", "32"}});
        for (int i = 0; i < 4; ++i) attack.points(5000);
        attack.refine(1'000'000);
        attack.set("kmeans_updates", "100000000");
        attack.points(1);
    }
    {
        Attack attack("safairkm, swaps", "safairkm", limit, 20000, 16,
                      {{"clusters", "32"}, {"swaps", "16"}, {"parity_at_least", "0"}});
        for (int i = 0; i < 4; ++i) attack.points(5000);
        attack.refine(0);
        attack.set("swaps", "100000");
        attack.set("candidates", "20000");
        attack.points(1);
    }
    {
        Attack attack("safairkm, 160,000 points", "safairkm", limit, 160000, 6,
                      {{"clusters", "8"}, {"balance_at_least", "0.5"}});
        attack.points(160000);
        attack.points(1);
        attack.refine(0);
        attack.refine(0);
    }
    {
        Attack attack("live_front, refinements", "live_front", limit, 20000, 16, {});
        for (int i = 0; i < 4; ++i) attack.points(5000);
        for (int i = 0; i < 3; ++i) attack.refine(0);
    }
}

void attack_graphs(std::uint64_t limit) {
    for (const std::string kind : {"fair_spectral", "lord"}) {
        {
            Attack attack(kind + ", 5,000 points", kind, limit, 5000, 6,
                          {{"clusters", "8"}, {"balance_at_least", "0.6"}});
            for (int i = 0; i < 2; ++i) attack.points(2500);
            attack.points(10);
            attack.refine(0);
        }
        {
            Attack attack(kind + ", 20,000 points", kind, limit, 20000, 6,
                          {{"clusters", "8"}, {"balance_at_least", "0.9"}});
            attack.points(20000);
            attack.points(10);
        }
    }
    {
        Attack attack("fair_spectral, dense", "fair_spectral", limit, 4000, 6,
                      {{"clusters", "8"}, {"affinity", "rbf"}});
        attack.points(4000);
        attack.refine(0);
    }
}

void attack_others(std::uint64_t limit) {
    {
        Attack attack("esvd_fair, training", "esvd_fair", limit, 20000, 12, {{"start_after", "5000"}});
        for (int i = 0; i < 3; ++i) attack.points(2500);
        attack.refine(0);
        attack.refine(1000);
    }
    {
        Attack attack("esvd_fair, wide", "esvd_fair", limit, 10000, 12,
                      {{"start_after", "2000"}, {"hidden", "256,256"}});
        attack.points(2500);
        attack.set("ks_at_most", "0.01");
        attack.refine(0);
    }
    {
        Attack attack("group_metrics, 160,000 points", "group_metrics", limit, 160000, 6, {});
        attack.points(160000);
        attack.points(1);
    }
}

// Windows of 5,000 points; models that take long step beside the stream.
void follow_ordinary_streams(std::uint64_t limit) {
    for (const std::string& kind : model_names()) {
        const bool is_slow = kind != "safairkm" && kind != "live_front" && kind != "group_metrics";
        for (const std::uint64_t every : {std::uint64_t{0}, std::uint64_t{1000}}) {
            if ((every > 0) != is_slow && kind != "partial_fair_scorer" && kind != "esvd_fair") continue;
            Attack stream(kind + ", every = " + std::to_string(every), kind, limit, 5000, 8, {}, false, every);
            for (int i = 0; i < 40; ++i) stream.points(250, 0.02F * static_cast<float>(i));
        }
    }
}

}  // namespace
}  // namespace fairstream::benchmarks

int main(int argc, char** argv) {
    using namespace fairstream;
    const std::string given = argc > 1 ? argv[1] : "";
    const std::string only = argc > 2 ? argv[2] : "";
    const std::uint64_t limit = given.empty()     ? EngineOptions{}.step_work_limit
                                : given == "none" ? no_work_limit
                                                  : std::stoull(given);
    const std::vector<std::pair<std::string, void (*)(std::uint64_t)>> all{
        {"scorer", benchmarks::attack_scorer},
        {"clusters", benchmarks::attack_clusters},
        {"others", benchmarks::attack_others},
        {"graphs", benchmarks::attack_graphs},
        {"ordinary", benchmarks::follow_ordinary_streams}};
    for (const auto& [name, attack] : all)
        if (only.empty() || only == name) attack(limit);
}
