/// The main job, with the real program: a stream is sent over ZeroMQ, clustered fairly, recorded, subscribed to, killed
/// and replayed. The stream is Adult (32,561 people, balanced by sex) if the data is available, otherwise a made-up
/// stream of the same size.

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <random>

#include <fairstream/config/config.hpp>
#include <fairstream/fairness/measures.hpp>
#include <fairstream/files/points/table.hpp>
#include <fairstream/log/sqlite/recording.hpp>
#include <fairstream/models/safairkm/safairkm.hpp>
#include <fairstream/replay/run.hpp>
#include <fairstream/zmq/control_client.hpp>
#include <fairstream/zmq/producer.hpp>
#include <fairstream/zmq/subscriber.hpp>

#include "support/process.hpp"
#include "support/streams.hpp"
#include "support/temporary_directory.hpp"

namespace fairstream::test {
namespace {

using namespace std::chrono_literals;
constexpr std::chrono::milliseconds patience = 60s;
constexpr double target = 0.4;

struct Points {
    StreamFormat format;
    PointColumns all;
    [[nodiscard]] PointBatch batch(std::size_t b, std::size_t size) const {
        const std::size_t first = b * size;
        return all.view().slice(first, std::min(size, all.ids.size() - first));
    }
    [[nodiscard]] std::size_t batches(std::size_t size) const { return (all.ids.size() + size - 1) / size; }
};

Points adult_or_like_it() {
    const std::filesystem::path file =
        std::filesystem::path(FAIRSTREAM_SOURCE_DIR) / "../shared/data/adult/adult.csv.gz";
    Points points;
    if (std::filesystem::exists(file)) {
        files::Table table =
            files::read_table(file, {{"age", "fnlwgt", "education_num", "capital_gain", "hours_per_week"},
                                     {{"group", {"0", "1"}}, {"group_race", {}}},
                                     "",
                                     ""});
        files::standardise(table);
        files::unit_rows(table);
        points.format = table.format;
        files::copy_points(table, 0, table.size(), points.all);
    } else {
        std::puts("Adult is not at hand: the stream is made up");
        points.format = {5, {{"group", {"0", "1"}}, {"group_race", {"a", "b", "c", "d", "e"}}}, false};
        points.all = mixture(points.format, 32561, 1);
    }
    return points;
}

EngineOptions engine_options(const StreamFormat& format) {
    safairkm::Options fair;
    fair.clusters = 10;
    fair.targets.balance_at_least = target;
    fair.targets.rare_below = 0;
    fair.effort = 0;
    fair.starts = 1;
    return {format, {32561, WindowPolicy::sliding, 1}, {{"fair", fair, {}}}};
}

// `fairstream serve` on endpoints of its own, and its clients.
class EngineProcess {
public:
    explicit EngineProcess(const EngineOptions& options) {
        std::ofstream(directory_ / "config.toml") << config::write_config(options);
        start();
    }
    void start() {
        process_.emplace(std::vector<std::string>{std::string(FAIRSTREAM_BIN_DIR) + "/fairstream", "serve", "--config",
                                                  path("config.toml"), "--recording", path("stream.fairstream"),
                                                  "--ingest", endpoint("ingest"), "--updates", endpoint("updates"),
                                                  "--control", endpoint("control"), "--quiet"});
    }
    void kill() {
        process_->signal(SIGKILL);
        EXPECT_EQ(process_->wait().exit_code, 128 + SIGKILL);
        process_.reset();
    }
    void stop() {
        zmq::ControlClient control(
            {.endpoint = endpoint("control"), .timeout = patience, .security = {}, .context = {}});
        (void)control.stop();
        const Finished finished = process_->wait();
        EXPECT_EQ(finished.exit_code, 0) << finished.err;
        process_.reset();
    }
    [[nodiscard]] std::string path(const std::string& name) const { return (directory_ / name).string(); }
    [[nodiscard]] std::string endpoint(const std::string& name) const { return "ipc://" + path(name); }
    [[nodiscard]] zmq::Producer producer() const {
        zmq::ProducerOptions options;
        options.endpoint = endpoint("ingest");
        options.name = "adult";
        options.epoch = 1;
        return zmq::Producer(std::move(options));
    }
    [[nodiscard]] zmq::LabelSubscriber subscriber() const {
        zmq::SubscriberOptions options;
        options.updates_endpoint = endpoint("updates");
        options.control_endpoint = endpoint("control");
        options.model = "fair";
        return zmq::LabelSubscriber(options);
    }

private:
    TemporaryDirectory directory_;
    std::optional<Process> process_;
};

// The result of the same batches in this process, without interruption.
struct Uninterrupted {
    Engine engine;
    Uninterrupted(const Points& points, std::size_t size) : engine(engine_options(points.format), 1) {
        for (std::size_t b = 0; b < points.batches(size); ++b) engine.ingest(points.batch(b, size));
    }
    [[nodiscard]] std::map<PointId, ClusterId> labels() const {
        std::map<PointId, ClusterId> all;
        for (Slot slot = 0; slot < engine.window().size(); ++slot)
            all[engine.window().id(slot)] = engine.labels("fair")[slot];
        return all;
    }
};

// Polls until the view is as of event `last`. Both sides run; nothing here waits without polling.
void follow(zmq::LabelSubscriber& subscriber, Sequence last) {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while ((subscriber.sequence() < last || !subscriber.consistent()) && std::chrono::steady_clock::now() < deadline)
        (void)subscriber.poll(100ms);
    ASSERT_EQ(subscriber.sequence(), last);
    ASSERT_TRUE(subscriber.consistent());
}

std::map<PointId, ClusterId> view(const zmq::LabelSubscriber& subscriber) {
    std::map<PointId, ClusterId> all;
    for (const auto& [id, label] : subscriber.labels()) all[id] = label;
    return all;
}

// Every batch is recorded once and in order; the final state is equal to the byte.
void expect_recorded(const std::string& path, std::size_t batches, Engine& oracle) {
    const auto recording = log::sqlite::Recording::open_read_only(path);
    std::uint64_t expected = 0;
    recording.for_each_event(1, [&](const log::RecordedEvent& event) {
        ++expected;
        EXPECT_EQ(event.sequence, expected);
        EXPECT_EQ(event.producer, "adult");
        EXPECT_EQ(event.mark.producer_sequence, expected);
        return true;
    });
    EXPECT_EQ(expected, batches);
    const auto checkpoint = recording.newest_checkpoint();
    ASSERT_TRUE(checkpoint);
    EXPECT_EQ(checkpoint->sequence, batches);
    EXPECT_TRUE(checkpoint->state == oracle.save()) << "the state differs from an uninterrupted run's";
}

TEST(Stream, BothSubscribersHoldExactlyTheEnginesLabels) {
    const Points points = adult_or_like_it();
    constexpr std::size_t size = 256;
    const std::size_t batches = points.batches(size);
    EngineProcess engine(engine_options(points.format));
    zmq::Producer producer = engine.producer();
    zmq::LabelSubscriber first = engine.subscriber();
    std::optional<zmq::LabelSubscriber> second;
    for (std::size_t b = 0; b < batches; ++b) {
        ASSERT_TRUE(producer.send(points.batch(b, size), patience));
        (void)first.poll(0ms);
        if (b == batches / 2) second.emplace(engine.subscriber());
        if (second) (void)second->poll(0ms);
    }
    ASSERT_TRUE(producer.flush(patience));
    EXPECT_EQ(producer.statistics().refused, 0U);
    follow(first, batches);
    follow(*second, batches);
    Uninterrupted oracle(points, size);
    EXPECT_EQ(view(first), oracle.labels());
    EXPECT_EQ(view(*second), oracle.labels());
    const ModelReport report = oracle.engine.report("fair");
    EXPECT_GE(minimum_balance(report.tally(), 0), target);
    // The figures have a topic of their own: those of the last event may arrive after its labels.
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while ((!first.fairness() || first.fairness()->sequence < batches) && std::chrono::steady_clock::now() < deadline)
        (void)first.poll(100ms);
    ASSERT_TRUE(first.fairness());
    ASSERT_EQ(first.fairness()->sequence, batches);
    EXPECT_EQ(first.fairness()->report.attributes()[0].balance, minimum_balance(report.tally(), 0));
    EXPECT_EQ(first.fairness()->report.cost, report.cost);
    engine.stop();
    expect_recorded(engine.path("stream.fairstream"), batches, oracle.engine);
}

TEST(Stream, ThirtyKillsLoseNothingAcked) {
    const Points points = adult_or_like_it();
    constexpr std::size_t size = 128;
    const std::size_t batches = points.batches(size);
    EngineProcess engine(engine_options(points.format));
    zmq::Producer producer = engine.producer();
    zmq::LabelSubscriber subscriber = engine.subscriber();
    std::mt19937_64 random(7);
    std::size_t kills = 0, sent = 0;
    while (sent < batches) {
        // A kill comes in the middle of a burst: some events are answered, some are on their way, some are not sent.
        const std::size_t burst = std::min<std::size_t>(batches - sent, 1 + random() % (2 * batches / 30));
        for (std::size_t i = 0; i < burst; ++i) {
            ASSERT_TRUE(producer.send(points.batch(sent++, size), patience));
            if (random() % 4 == 0) producer.poll(std::chrono::milliseconds(random() % 3));
            (void)subscriber.poll(0ms);
        }
        if (kills < 30) {
            // Two of three kills hit an engine that has taken in events; the others hit one that starts or recovers.
            const auto deadline = std::chrono::steady_clock::now() + patience;
            const std::uint64_t answered = producer.first_unanswered();
            if (kills % 3 != 0)
                while (producer.first_unanswered() == answered && producer.unanswered() > 0 &&
                       std::chrono::steady_clock::now() < deadline)
                    producer.poll(10ms);
            engine.kill();
            engine.start();
            ++kills;
        }
    }
    for (; kills < 30; ++kills) {
        engine.kill();
        engine.start();
        producer.poll(10ms);
    }
    ASSERT_TRUE(producer.flush(patience));
    EXPECT_EQ(producer.statistics().refused, 0U);
    follow(subscriber, batches);
    Uninterrupted oracle(points, size);
    EXPECT_EQ(view(subscriber), oracle.labels());
    engine.stop();
    expect_recorded(engine.path("stream.fairstream"), batches, oracle.engine);

    // The same updates with one thread and with two, equal to those of an uninterrupted run.
    const auto recording = log::sqlite::Recording::open_read_only(engine.path("stream.fairstream"));
    const EngineOptions options = replay::recorded_options(recording);
    const replay::Run one = replay::run(recording, options, {.threads = 1, .samples = 1});
    const replay::Run two = replay::run(recording, options, {.threads = 2, .samples = 1});
    EXPECT_EQ(one.digest, two.digest);
    EXPECT_EQ(one.points, points.all.ids.size());
    EXPECT_GE(one.models[0].samples.back().figures.attributes()[0].balance, target);
}

}  // namespace
}  // namespace fairstream::test
