#include "simulation/simulation.hpp"

#include <algorithm>
#include <memory>

#include <fairstream/log/running_hash.hpp>
#include <fairstream/models/group_metrics/group_metrics.hpp>
#include <fairstream/models/safairkm/safairkm.hpp>

#include "simulation/clients.hpp"

namespace fairstream::simulation {
namespace {

constexpr Duration patience = 300s;  // for everything to settle

/// Adds a monitor of predictions, whose outcomes come with their points or later.
void watch_predictions(EngineOptions& options) {
    options.format.has_targets = options.format.targets_come_later = true;
    options.format.columns = {{.name = "score"}, {.name = "x"}, {.name = "y"}};
    group_metrics::Options monitor;
    monitor.prediction = {"score"};
    monitor.threshold = 6;
    monitor.parity_difference_at_most = 0.3;
    options.models.push_back({"monitor", monitor, {}});
}

EngineOptions engine_options(Dice& dice) {
    EngineOptions options = test::small_options(dice.chance(0.5) ? WindowPolicy::sliding : WindowPolicy::reservoir);
    if (dice.chance(0.5)) options.models[0].options.get<safairkm::Options>().effort = 4;
    if (dice.chance(0.5)) watch_predictions(options);
    return options;
}

class World {
public:
    explicit World(std::uint64_t seed)
        : dice_(seed),
          options_(engine_options(dice_)),
          ledger_(options_),
          network_(agenda_, dice_, faults_for(dice_)),
          process_(agenda_, dice_, ledger_, options_, dice_.below(std::uint64_t{1} << 62U)) {
        connect();
        for (std::uint64_t i = 1, n = dice_.between(1, 4); i <= n; ++i)
            producers_.push_back(std::make_unique<SimulatedProducer>(
                agenda_, dice_, ledger_, tags_, "p" + std::to_string(i),
                ProducedStream{process_.forgets_producers(), options_.format.targets_come_later},
                [this](const std::string& client, const Message& message) {
                    network_.send([this, client, message] { process_.receive_ingest(client, message); });
                }));
        for (std::uint64_t i = 1, n = dice_.between(1, 4); i <= n; ++i) {
            // The last model may be a monitor, which labels nothing.
            const std::size_t clusterings = options_.models.size() - (options_.format.has_targets ? 1 : 0);
            const std::string& model = options_.models[dice_.below(clusterings)].name;
            subscribers_.push_back(std::make_unique<SimulatedSubscriber>(
                agenda_, dice_, ledger_, "s" + std::to_string(i), "labels." + model,
                [this](const std::string& client, const Message& message) { to_control(client, message); }));
        }
    }

    Outcome run(Duration faulty) {
        process_.start();
        process_.begin_faults();
        for (const auto& producer : producers_) producer->begin();
        operate();
        upset_clients();
        while (agenda_.now() < Time{} + faulty && ledger_.problems().empty() && agenda_.step()) note();
        come_to_rest();
        if (ledger_.problems().empty()) check();
        Outcome outcome;
        outcome.problems = ledger_.problems();
        outcome.simulated = std::chrono::duration_cast<Duration>(agenda_.now() - Time{});
        outcome.events = process_.running() ? process_.service().engine().sequence() : 0;
        outcome.acked = ledger_.acked();
        outcome.published = ledger_.published();
        outcome.outcomes = ledger_.outcomes();
        outcome.disk_calls = process_.disk().calls();
        outcome.ends = process_.ends();
        outcome.fingerprint = fingerprint_;
        return outcome;
    }

    /// Like `run`, but the process ends only once, when the recording's log loses its end.
    Outcome run_with_loss(Duration before) {
        process_.start();
        for (const auto& producer : producers_) producer->begin();
        operate();
        while (agenda_.now() < Time{} + before && ledger_.problems().empty() && agenda_.step()) note();
        Outcome outcome;
        ledger_.on_damage();
        if (process_.lose_end_of_log()) {
            // Messages of the old process must not arrive after those of the next one.
            network_.disconnect();
            const std::vector<wire::KnownEvent> known = known_to_clients();
            const Time end = agenda_.now() + before;
            const auto goes_on = [&] { return !process_.refused() && ledger_.problems().empty(); };
            while ((agenda_.now() < end || !process_.running()) && goes_on() && agenda_.step()) note();
            if (goes_on()) {
                come_to_rest();
                outcome.lost_events = ledger_.lost_events();
                check_found_losses(known, outcome);
            }
        }
        outcome.problems = ledger_.problems();
        outcome.fingerprint = fingerprint_;
        return outcome;
    }

private:
    static NetworkFaults faults_for(Dice& dice) {
        return {.lost = 0.01 * static_cast<double>(dice.below(10)),
                .doubled = 0.01 * static_cast<double>(dice.below(10)),
                .late = 0.01 * static_cast<double>(dice.below(20)),
                .usual = 3ms,
                .latest = dice.between(10ms, 5s)};
    }

    void note() {
        const auto now = static_cast<std::uint64_t>(agenda_.now().time_since_epoch().count());
        fingerprint_ = (fingerprint_ ^ (now + process_.disk().calls())) * 0x100000001b3;
    }

    void to_control(const std::string& client, const Message& message) {
        network_.send([this, client, message] { process_.receive_control(client, message); });
    }

    void connect() {
        process_.on_ingest_reply([this](const std::string& client, const Message& message) {
            const auto read = test::read_ingest_reply(message);
            for (const auto& producer : producers_)
                if (client.starts_with(producer->name() + "/")) {
                    // Only answers to the producer's current connection concern its newest life.
                    if (client == producer->client()) ledger_.on_reply(read.value, producer->name(), producer->epoch());
                    network_.send([&receiver = *producer, client, message] { receiver.receive(client, message); });
                }
        });
        process_.on_control_reply([this](const std::string& client, const Message& message) {
            const auto read = test::read_control_reply(message);
            if (const auto* const done = std::get_if<wire::Done>(&read.value.body)) ledger_.on_done(done->sequence);
            for (const auto& subscriber : subscribers_)
                if (client == subscriber->name())
                    network_.send(
                        [&receiver = *subscriber, client, message] { receiver.receive_reply(client, message); });
        });
        process_.on_publication([this](const std::string& topic, const Message& message) {
            for (const auto& subscriber : subscribers_)
                if (topic == "status" || topic == subscriber->topic())
                    network_.send([&receiver = *subscriber, message] { receiver.receive_update(message); });
        });
    }

    // Makes requests, changes options and refines at random times.
    void operate() {
        if (!operating_) return;
        const std::string model = options_.models[dice_.below(2)].name;
        decltype(wire::ControlRequest::body) body = wire::HealthRequest{};
        std::vector<PointId> leaving;
        switch (dice_.below(7)) {
            case 0:
                body = KnobChange{model, "kmeans_updates", std::to_string(dice_.below(30))};
                break;
            case 1:
                body = Refinement{model, static_cast<std::int64_t>(dice_.between(1, 3))};
                break;
            case 2:
                body = wire::ReportRequest{options_.models[dice_.below(options_.models.size())].name};
                break;
            case 3:
                body = KnobChange{model, "no such option", "1"};
                break;
            case 4:
                for (const PointId id : producers_[dice_.below(producers_.size())]->recent())
                    if (dice_.chance(0.1) && std::ranges::count(leaving, id) == 0) leaving.push_back(id);
                body = PointRemoval{leaving};
                break;
            default:
                break;
        }
        to_control("operator", test::control(++requests_, std::move(body)));
        agenda_.after(dice_.between(100ms, 4s), [this] { operate(); });
    }

    void upset_clients() {
        if (!operating_) return;
        if (dice_.chance(0.5))
            producers_[dice_.below(producers_.size())]->die();
        else
            subscribers_[dice_.below(subscribers_.size())]->begin_anew();
        agenda_.after(dice_.between(1s, 20s), [this] { upset_clients(); });
    }

    // Returns the newest event known to each client, producers first.
    [[nodiscard]] std::vector<wire::KnownEvent> known_to_clients() const {
        std::vector<wire::KnownEvent> known;
        for (const auto& producer : producers_) known.push_back(producer->known());
        for (const auto& subscriber : subscribers_) known.push_back(subscriber->view().newest_known());
        return known;
    }

    // Checks that every client that knew a missing event has detected the loss; other clients may have learnt of one
    // through a message in flight.
    void check_found_losses(const std::vector<wire::KnownEvent>& known, Outcome& outcome) {
        std::vector<std::uint64_t> hashes{0};  // after event n
        process_.service().recording().for_each_event(1, [&](const log::RecordedEvent& event) {
            hashes.push_back(log::running_hash_after(hashes.back(), event));
            return true;
        });
        std::size_t i = 0;
        const auto check = [&](const std::string& name, bool found) {
            const auto& [recording, sequence, hash] = known[i++];
            const bool is_missing = hash != 0 && (sequence >= hashes.size() || hashes[sequence] != hash);
            outcome.found_losses += found;
            if (is_missing && !found)
                ledger_.problem(name + " was told of events that are missing, and did not find out");
        };
        for (const auto& producer : producers_) check(producer->name(), producer->found_loss());
        for (const auto& subscriber : subscribers_) check(subscriber->name(), subscriber->found_loss());
    }

    [[nodiscard]] bool at_rest() {
        if (!process_.running() || process_.service().pending() || process_.service().committing()) return false;
        if (!std::ranges::all_of(producers_, [](const auto& producer) { return producer->idle(); })) return false;
        return std::ranges::all_of(subscribers_, [&](const auto& subscriber) {
            return subscriber->view().complete() &&
                   subscriber->view().sequence() == process_.service().engine().sequence();
        });
    }

    void come_to_rest() {
        operating_ = false;
        process_.end_faults();
        network_.heal();
        for (const auto& producer : producers_) producer->stop();
        const Time deadline = agenda_.now() + patience;
        while (ledger_.problems().empty() && agenda_.now() < deadline && !at_rest() && agenda_.step()) note();
        if (ledger_.problems().empty() && !at_rest()) ledger_.problem("it does not come to rest");
    }

    void check() {
        process_.service().finish();
        for (const auto& subscriber : subscribers_) {
            const std::string model = subscriber->topic().substr(std::string("labels.").size());
            zmq::PointMap<ClusterId> expected;
            for (const auto& [id, label] : test::view_of(process_.service().engine(), model)) expected.set(id, label);
            if (!(subscriber->view().outputs() == expected))
                ledger_.problem("the view of " + subscriber->topic() + " is not the engine's");
        }
        ledger_.check(process_.service().recording(), process_.service().engine());
    }

    Agenda agenda_;
    Dice dice_;
    EngineOptions options_;
    Ledger ledger_;
    Network network_;
    EngineProcess process_;
    Tags tags_;
    std::vector<std::unique_ptr<SimulatedProducer>> producers_;
    std::vector<std::unique_ptr<SimulatedSubscriber>> subscribers_;
    std::uint64_t requests_ = 0;
    std::uint64_t fingerprint_ = 0xcbf29ce484222325;
    bool operating_ = true;
};

}  // namespace

Outcome simulate(std::uint64_t seed, Duration faulty) {
    return World(seed).run(faulty);
}

Outcome simulate_loss(std::uint64_t seed, Duration before) {
    return World(seed).run_with_loss(before);
}

}  // namespace fairstream::simulation
