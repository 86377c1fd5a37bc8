/// Recordings copied without some points.

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>

#include <fairstream/config/config.hpp>
#include <fairstream/generate/loans.hpp>
#include <fairstream/log/sqlite/recording.hpp>
#include <fairstream/options.hpp>
#include <fairstream/replay/erase.hpp>
#include <fairstream/replay/run.hpp>
#include <fairstream/service/service.hpp>
#include <support/temporary_directory.hpp>

namespace fairstream::replay {
namespace {

using log::RecordedEvent;
using log::sqlite::Recording;
using ::testing::ElementsAre;

constexpr std::size_t batches_sent = 30, batch_points = 40;

EngineOptions options_of(bool has_texts) {
    EngineOptions options;
    options.format = generate::LoanApplicants::format();
    options.format.has_text_ids = has_texts;
    options.format.has_targets = options.format.targets_come_later = true;
    options.window.capacity = 300;
    options.models = {{"fair", default_options("safairkm"), {}},
                      {"later", default_options("safairkm"), {.every = 90, .when_busy = WhenBusy::skip}},
                      {"monitor", default_options("group_metrics"), {}}};
    for (const std::size_t i : {0U, 1U}) {
        set_option(options.models[i].options, "clusters", "4");
        set_option(options.models[i].options, "effort", "0");
        set_option(options.models[i].options, "starts", "1");
    }
    set_option(options.models[2].options, "prediction", "0");
    return options;
}

/// A stream of persons, whose events come with or without the persons to be erased.
class Erasing : public ::testing::TestWithParam<bool> {
protected:
    /// Returns the id of a person, which no other text or number contains.
    [[nodiscard]] std::string name(std::size_t person) const {
        return GetParam() ? "person-" + std::to_string(10'000 + person) + "!"
                          : std::to_string(0x1234567800000000U + 977 * person);
    }
    /// Selects all of the second batch, and some of others.
    [[nodiscard]] static bool is_erased(std::size_t person) {
        return person % 37 == 5 || (person >= batch_points && person < 2 * batch_points);
    }
    [[nodiscard]] std::vector<std::string> erased() const {
        std::vector<std::string> names;
        for (std::size_t i = 0; i < batches_sent * batch_points; ++i)
            if (is_erased(i)) names.push_back(name(i));
        return names;
    }
    void add_id(std::size_t person, std::vector<PointId>& ids, TextColumn& texts) const {
        GetParam() ? texts.add(name(person)) : ids.push_back(0x1234567800000000U + 977 * person);
    }

    /// Records the stream: complete if `whole`, otherwise as if the persons had never come.
    void record(const std::filesystem::path& path, bool whole, const log::Settings& keep = {}) {
        const EngineOptions options = options_of(GetParam());
        service::Settings settings;
        settings.checkpoint_events = 4;
        settings.clock = [&] { return clock_ += 1'000'000; };
        service::Service service(Recording::create(path, config::write_toml(options), {keep}), options, settings);
        generate::LoanApplicants applicants(3);
        number_ = 0;
        for (std::size_t b = 0; b < batches_sent; ++b) {
            PointColumns drawn, sent;
            applicants.next(batch_points, drawn);
            drawn.ids.clear();
            drawn.targets.assign(batch_points, std::numeric_limits<float>::quiet_NaN());
            for (std::size_t i = 0; i < batch_points; ++i) add_id(b * batch_points + i, drawn.ids, drawn.id_texts);
            sent.event_time = drawn.event_time;
            for (std::size_t i = 0; i < batch_points; ++i)
                if (whole || !is_erased(b * batch_points + i)) sent.append(drawn.view().slice(i, 1));
            send(service, sent.view());
            if (b % 5 == 4) send_outcomes(service, b, whole);
            if (b % 7 == 6) remove(service, b, whole);
            if (b == 12 && whole) send_repeated(service, drawn);
            if (b == 13) ask(service, KnobChange{"fair", "kmeans_updates", "9"});
        }
        service.finish();
    }
    void send(service::Service& service, const Event& event) {
        service.handle_ingest("client", wire::write(wire::EventMessage{"desk", 1, ++number_, event}, encoder_));
        service.commit();
    }
    void ask(service::Service& service, const decltype(wire::ControlRequest::body)& body) {
        service.handle_control("client", wire::write(wire::ControlRequest{1, body}, encoder_), 0);
        service.commit();
    }
    /// Sends outcomes of the persons of a batch.
    void send_outcomes(service::Service& service, std::size_t batch, bool whole) {
        std::vector<PointId> ids;
        TextColumn texts;
        std::vector<float> targets;
        for (std::size_t i = batch * batch_points; i < (batch + 1) * batch_points; ++i) {
            if (!whole && is_erased(i)) continue;
            add_id(i, ids, texts);
            targets.push_back(i % 3 == 0 ? 1.0F : -1.0F);
        }
        send(service, Outcomes{ids, targets, texts.view()});
    }
    /// Removes some persons of a batch, including one to be erased.
    void remove(service::Service& service, std::size_t batch, bool whole) {
        std::vector<PointId> ids;
        TextColumn texts;
        for (std::size_t i = batch * batch_points; i < (batch + 1) * batch_points; ++i)
            if ((i % 5 == 0 || is_erased(i)) && (whole || !is_erased(i))) add_id(i, ids, texts);
        ask(service, PointRemoval{ids, texts.view()});
    }
    /// Sends a batch from a known producer that is refused because it contains a person twice.
    void send_repeated(service::Service& service, const PointColumns& drawn) {
        PointColumns twice;
        for (const std::size_t i : {0U, 1U}) twice.append(drawn.view().slice(i, 1));
        twice.ids.clear();
        twice.id_texts.clear();
        for (int i = 0; i < 2; ++i) add_id(5, twice.ids, twice.id_texts);
        send(service, twice.view());
    }

    [[nodiscard]] Erased erase() {
        const Recording from = Recording::open_read_only(old_);
        Recording to = Recording::create(new_, from.config());
        return replay::erase(from, to, points(), {.time = 17});
    }
    [[nodiscard]] PointNames points() const { return {options_of(GetParam()).format, erased()}; }
    /// Returns whether the file contains any of the ids, as a text or as a number.
    [[nodiscard]] bool is_in_file(const std::filesystem::path& path) const {
        std::ifstream file(path, std::ios::binary);
        const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
        return std::ranges::any_of(erased(), [&](const std::string& id) {
            if (bytes.find(id) != bytes.npos) return true;
            if (GetParam()) return false;
            const PointId number = std::stoull(id);
            return bytes.find(std::string(reinterpret_cast<const char*>(&number), sizeof number)) != bytes.npos;
        });
    }
    test::TemporaryDirectory directory;
    std::filesystem::path old_ = directory / "old.fairstream", new_ = directory / "new.fairstream",
                          twin_ = directory / "twin.fairstream";
    std::int64_t clock_ = 1'700'000'000'000'000;
    std::uint64_t number_ = 0;
    wire::Encoder encoder_;
};

TEST_P(Erasing, EqualsStreamWithoutPoints) {
    record(old_, true);
    ASSERT_GT(traces_of(Recording::open_read_only(old_), points()), erased().size());
    ASSERT_TRUE(is_in_file(old_));
    const Erased counts = erase();
    EXPECT_EQ(counts.points, erased().size());
    EXPECT_GT(counts.outcomes, 0U);
    EXPECT_GT(counts.removals, 0U);
    EXPECT_EQ(counts.from, 0U);
    EXPECT_GT(counts.refusals, 0U);
    const Recording from = Recording::open_read_only(old_), to = Recording::open_read_only(new_);
    EXPECT_EQ(traces_of(to, points()), 0U);
    EXPECT_FALSE(is_in_file(new_));
    EXPECT_NE(to.id(), from.id());
    EXPECT_NE(to.running_hash(), from.running_hash());
    EXPECT_EQ(to.last_sequence(), from.last_sequence());
    EXPECT_EQ(to.producers(), from.producers());
    EXPECT_EQ(to.refused_count(), from.refused_count());
    EXPECT_THAT(to.erasures(), ElementsAre(log::Erasure{from.id(), counts.points, 17}));
    EXPECT_TRUE(from.erasures().empty());

    const replay::Run replayed = run(to, recorded_options(to));
    EXPECT_EQ(replayed.verification->differs_from, 0U);
    EXPECT_EQ(replayed.verification->compared, to.last_sequence());
}

// Which steps a busy model leaves out depends on time, so only streams without such models are compared.
TEST_P(Erasing, KeepsOtherOutputs) {
    record(old_, true);
    record(twin_, false);
    (void)erase();
    const Recording from = Recording::open_read_only(old_), to = Recording::open_read_only(new_),
                    twin = Recording::open_read_only(twin_);
    const EngineOptions options = recorded_options(from);
    EngineOptions waiting = options;
    waiting.models[1].schedule.when_busy = WhenBusy::wait;
    EXPECT_EQ(run(to, waiting).last, run(twin, waiting).last);
    std::vector<std::vector<ClusterId>> labels;
    for (const Recording* const each : {&to, &twin}) {
        Hooks hooks;
        hooks.end = [&](const Engine& engine) {
            const auto of_fair = engine.labels("fair");
            labels.emplace_back(of_fair.begin(), of_fair.end());
        };
        (void)run(*each, waiting, {}, hooks);
    }
    EXPECT_EQ(labels[0], labels[1]);
}

TEST_P(Erasing, KeepsWhatProducersHaveSentFromCountingTwice) {
    record(old_, true);
    (void)erase();
    const EngineOptions options = options_of(GetParam());
    service::Service service(Recording::open(new_), options, {});
    const Sequence last = service.engine().sequence();
    PointColumns again;
    generate::LoanApplicants(3).next(1, again);
    again.ids.clear();
    add_id(5, again.ids, again.id_texts);
    again.targets.assign(1, std::numeric_limits<float>::quiet_NaN());
    service.handle_ingest("client", wire::write(wire::EventMessage{"desk", 1, 1, again.view()}, encoder_));
    EXPECT_EQ(service.engine().sequence(), last) << "a duplicate";
    service.handle_ingest("client", wire::write(wire::EventMessage{"desk", 1, number_ + 1, again.view()}, encoder_));
    EXPECT_EQ(service.engine().sequence(), last + 1) << "an id that is sent again is a new point";
    service.finish();
}

TEST_P(Erasing, StartsWithOlderCheckpoint) {
    record(old_, true, {.keep_events = 1});
    const Recording from = Recording::open_read_only(old_);
    ASSERT_GT(from.first_sequence(), 1U);
    const Erased counts = erase();
    EXPECT_EQ(counts.from, from.oldest_checkpoint()->sequence);
    EXPECT_GT(counts.retained, 0U);
    const Recording to = Recording::open_read_only(new_);
    EXPECT_EQ(traces_of(to, points()), 0U);
    EXPECT_FALSE(is_in_file(new_));
    EXPECT_EQ(to.first_sequence(), counts.from + 1);
    EXPECT_EQ(to.last_sequence(), from.last_sequence());
    EXPECT_EQ(to.producers(), from.producers());
    const replay::Run replayed = run(to, recorded_options(to));
    EXPECT_EQ(replayed.from, counts.from);
    EXPECT_EQ(replayed.verification->differs_from, 0U);
    EXPECT_EQ(replayed.verification->compared, to.last_sequence() - counts.from);
    service::Service service(Recording::open(new_), options_of(GetParam()), {});
    EXPECT_EQ(service.engine().sequence(), from.last_sequence());
}

TEST_P(Erasing, AgainIsAllOfItTold) {
    record(old_, true);
    (void)erase();
    const Recording first = Recording::open_read_only(new_);
    Recording second = Recording::create(directory / "second.fairstream", first.config());
    const std::vector<std::string> one{name(0)};
    const Erased counts = replay::erase(first, second, {options_of(GetParam()).format, one}, {.time = 18});
    EXPECT_EQ(counts.points, 1U);
    EXPECT_THAT(second.erasures(), ElementsAre(log::Erasure{first.erasures()[0]}, log::Erasure{first.id(), 1, 18}));
}

INSTANTIATE_TEST_SUITE_P(Ids, Erasing, ::testing::Values(true, false),
                         [](const auto& about) { return about.param ? "Texts" : "Numbers"; });

TEST(PointNames, AreFoundInMessagesForPeople) {
    StreamFormat format{.dimensions = 1};
    const std::vector<std::string> numbers{"12", "700"};
    const PointNames of_numbers(format, numbers);
    EXPECT_TRUE(of_numbers.are_named_in("id 12 comes twice in the batch"));
    EXPECT_FALSE(of_numbers.are_named_in("id 120 comes twice in the batch of 3"));
    format.has_text_ids = true;
    const std::vector<std::string> texts{"it's", "ann"};
    const PointNames of_texts(format, texts);
    EXPECT_TRUE(of_texts.are_named_in("id 'it's' comes twice in one event"));
    EXPECT_TRUE(of_texts.are_named_in("point 'ann'"));
    EXPECT_FALSE(of_texts.are_named_in("id 'anna' comes twice in one event of ann"));
}

TEST(PointNames, AreNumbersForNumericIds) {
    for (const char* const wrong : {"", "x", "1.5", "-1", "18446744073709551615", "99999999999999999999"}) {
        const std::vector<std::string> names{wrong};
        EXPECT_THROW((void)PointNames(StreamFormat{.dimensions = 1}, names), InvalidInput) << wrong;
    }
}

}  // namespace
}  // namespace fairstream::replay
