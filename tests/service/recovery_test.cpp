/// Restarts: from a checkpoint or from the first event, and when they must be refused.

#include <fairstream/log/sqlite/recording.hpp>
#include <fairstream/models/safairkm/safairkm.hpp>
#include <fairstream/service/recorded_events.hpp>

#include "service/fixture.hpp"

namespace fairstream::service {
namespace {

class Recovery : public ServiceTest {};

std::vector<Message> publications(Service& service) {
    std::vector<Message> all;
    for (const Outgoing& each : take(service).publications)
        all.emplace_back(each.message.view().begin(), each.message.view().end());
    return all;
}

TEST_F(Recovery, CheckpointAndFullReplayAgree) {
    begin({.checkpoint_events = 9});
    feed(1, 40);
    service_.reset();
    ASSERT_TRUE(log::sqlite::Recording::open_read_only(path_).newest_checkpoint().has_value());
    Engine engine(options_);
    replay_events(log::sqlite::Recording::open_read_only(path_), engine, 0, [](const auto&) {});
    std::vector<Sequence> replayed;
    reopen({}, [&](Sequence done, Sequence last) {
        EXPECT_EQ(last, 40U);
        replayed.push_back(done);
    });
    EXPECT_LT(replayed.size(), 30U);
    ASSERT_FALSE(replayed.empty());
    EXPECT_EQ(replayed.back(), 40U);
    EXPECT_EQ(saved_state(*service_), engine.save());
}

// Few small events that take long: recovery would take as long again.
TEST_F(Recovery, RepeatsBoundedWork) {
    begin({.checkpoint_work = 1});
    feed(1, 3);
    const std::uint64_t checkpoints = service_->counters().checkpoints;
    EXPECT_GE(checkpoints, 3U);
    service_->handle_control("c", control(1, Refinement{"plain", 3}), 0);
    service_->commit();
    EXPECT_EQ(service_->counters().checkpoints, checkpoints + 1);
    for (int parts = 0; service_->pending() && parts < 1000; ++parts) service_->commit();
    int replayed = 0;
    reopen({}, [&](Sequence, Sequence) { ++replayed; });
    EXPECT_EQ(replayed, 0);
}

TEST_F(Recovery, LaterPublicationsAreThoseOfAnUninterruptedRun) {
    EngineOptions options = small_options();
    options.models.pop_back();  // runs of a model that never waits depend on their timing
    begin({.checkpoint_events = 9}, options);
    feed(1, 20);
    const std::filesystem::path copy = directory_ / "copy.fairstream";
    service_->finish();
    service_.reset();
    std::filesystem::copy_file(path_, copy);
    reopen();
    Service other(log::sqlite::Recording::open(copy), options_);
    for (std::uint64_t number = 21; number < 60; ++number) {
        const Message message = batch("p", 1, number);
        if (number % 10 == 0) reopen({.checkpoint_events = 4});
        for (Service* const service : {service_.get(), &other}) {
            service->handle_ingest("c", message);
            service->commit();
        }
        EXPECT_EQ(publications(*service_), publications(other)) << number;
    }
}

TEST_F(Recovery, LaterOnRequestIsThatOfTheConstructor) {
    begin({.checkpoint_events = 9});
    feed(1, 40);
    reopen();
    const Message at_once = saved_state(*service_);
    service_.reset();
    reopen({.recover_later = true});
    EXPECT_FALSE(service_->recovered());
    EXPECT_FALSE(service_->health(0).ready);
    service_->recover();
    EXPECT_TRUE(service_->recovered());
    EXPECT_TRUE(service_->health(0).ready);
    EXPECT_EQ(service_->health(0).activity, "");
    EXPECT_EQ(service_->health(0).sequence, 40U);
    EXPECT_EQ(saved_state(*service_), at_once);
}

TEST_F(Recovery, TellsHowFarItIs) {
    begin();
    feed(1, 4);
    service_.reset();
    reopen({.recover_later = true});
    std::vector<std::string> activities;
    service_->recover([&](Sequence, Sequence) { activities.push_back(service_->health(0).activity); });
    EXPECT_EQ(activities,
              (std::vector<std::string>{"recovering, event 1 of 4: 25 %", "recovering, event 2 of 4: 50 %",
                                        "recovering, event 3 of 4: 75 %", "recovering, event 4 of 4: 100 %"}));
}

TEST_F(Recovery, ThatIsInterruptedLosesNothing) {
    begin();
    feed(1, 10);
    service_.reset();
    reopen({.recover_later = true});
    EXPECT_THROW(service_->recover([&](Sequence done, Sequence) {
        if (done == 4) service_->interrupt();
    }),
                 Interrupted);
    EXPECT_FALSE(service_->recovered());
    EXPECT_TRUE(service_->interrupted());
    service_->finish();
    EXPECT_FALSE(service_->recording().newest_checkpoint().has_value());
    service_.reset();
    reopen();
    EXPECT_EQ(service_->engine().sequence(), 10U);
}

TEST_F(Recovery, OtherOptionsAreRefusedByName) {
    begin();
    feed(1, 2);
    options_.models[1].options.get<safairkm::Options>().clusters = 9;
    try {
        reopen();
        FAIL() << "opened with other options";
    } catch (const InvalidInput& error) {
        EXPECT_EQ(error.reason(), Reason::bad_state);
        EXPECT_THAT(error.what(), testing::HasSubstr("clusters"));
    }
}

TEST_F(Recovery, BadSettingsAreRefused) {
    EXPECT_THROW(begin({.credit = 0}), InvalidInput);
    EXPECT_THROW(begin({.ring = {.bytes = std::size_t{1} << 30}}), InvalidInput);
    EXPECT_THROW(begin({.checkpoint_events = 0}), InvalidInput);
    EXPECT_THROW(begin({.checkpoint_bytes = 0}), InvalidInput);
    EXPECT_THROW(begin({.checkpoint_work = 0}), InvalidInput);
}

TEST(Decisions, AreReadAsTheyWereWritten) {
    const std::vector<Decision> decisions{{0, true}, {3, false}, {0x01020304, true}};
    EXPECT_EQ(read_decisions(write_decisions(decisions)), decisions);
    EXPECT_TRUE(write_decisions({}).empty());
    EXPECT_TRUE(read_decisions({}).empty());
    EXPECT_THROW((void)read_decisions(std::vector<std::byte>(7)), InvalidInput);
}

}  // namespace
}  // namespace fairstream::service
