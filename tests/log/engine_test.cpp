/// A service, its recovery and replays give the same results over every implementation of a log.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fairstream/config/config.hpp>
#include <fairstream/log/memory/recording.hpp>
#include <fairstream/log/sqlite/recording.hpp>
#include <fairstream/replay/erase.hpp>
#include <fairstream/replay/run.hpp>

#include "log/implementations.hpp"
#include "support/service_stream.hpp"
#include "support/temporary_directory.hpp"

namespace fairstream::log::test {
namespace {

using fairstream::test::Message;
using fairstream::test::Points;

/// Options without the model whose steps depend on time.
EngineOptions options() {
    EngineOptions options = fairstream::test::small_options();
    options.models.pop_back();
    return options;
}

/// A service that gets the same points whatever it records to, and all its publications.
class Stream {
public:
    explicit Stream(std::unique_ptr<Log> log) { begin(std::move(log)); }

    void begin(std::unique_ptr<Log> log) {
        service::Settings settings;
        settings.checkpoint_events = 7;
        service_ = std::make_unique<service::Service>(std::move(log), options(), settings);
    }
    void feed(std::size_t batches) {
        for (std::size_t i = 0; i < batches; ++i) {
            columns_ = points_.next(20);
            send(columns_.view());
            if (i == 5) send(KnobChange{"fair", "swaps", "2"});
            if (i == 8) send(Refinement{"plain", 2});
            if (i == 9) service_->handle_ingest("client", some_bytes(i, 50));
        }
    }
    void end() { service_.reset(); }
    [[nodiscard]] service::Service& service() { return *service_; }
    [[nodiscard]] const std::vector<Message>& published() const noexcept { return published_; }

private:
    void send(const Event& event) {
        service_->handle_ingest("client", fairstream::test::event("p", 1, ++sent_, event));
        service_->commit();
        for (const service::Outgoing& each : fairstream::test::take(*service_).publications)
            published_.push_back(fairstream::test::copied(each.message.view()));
    }

    std::unique_ptr<service::Service> service_;
    Points points_{5};
    PointColumns columns_;
    std::vector<Message> published_;
    std::uint64_t sent_ = 0;
};

class EngineOverLogs : public testing::Test {
protected:
    [[nodiscard]] std::unique_ptr<Log> in_file() const {
        return std::make_unique<sqlite::Recording>(std::filesystem::exists(path_)
                                                       ? sqlite::Recording::open(path_)
                                                       : sqlite::Recording::create(path_, config_));
    }

    fairstream::test::TemporaryDirectory directory_;
    std::filesystem::path path_ = directory_ / "stream.fairstream";
    std::string config_ = config::write_toml(options());
};

TEST_F(EngineOverLogs, PublishesRecoversAndReplaysTheSame) {
    Stream first(in_file());
    // Publications carry the id of the recording.
    const auto memory = memory::Recording::create(config_, {.id = first.service().id()});
    Stream second(std::make_unique<memory::Recording>(memory.open()));
    for (Stream* const stream : {&first, &second}) stream->feed(15);
    first.end(), second.end();
    first.begin(in_file());
    second.begin(std::make_unique<memory::Recording>(memory.open()));
    for (Stream* const stream : {&first, &second}) {
        stream->feed(10);
        stream->service().finish();
    }
    EXPECT_GT(first.published().size(), 100U);
    EXPECT_TRUE(first.published() == second.published());
    EXPECT_EQ(contents_of(first.service().recording()), contents_of(second.service().recording()));
    EXPECT_EQ(first.service().recording().last_sequence(), 29U);
    first.end(), second.end();
    const auto file = sqlite::Recording::open_read_only(path_);
    const EngineOptions recorded = replay::recorded_options(memory);
    const replay::Run of_file = replay::run(file, recorded), of_memory = replay::run(memory, recorded);
    EXPECT_EQ(of_file.digest, of_memory.digest);
    EXPECT_EQ(of_file.running_hash, of_memory.running_hash);
    ASSERT_TRUE(of_memory.verification);
    EXPECT_EQ(of_memory.verification->differs_from, 0U);
    EXPECT_EQ(of_memory.verification->compared, 29U);
}

TEST_F(EngineOverLogs, ErasesTheSame) {
    Stream first(in_file());
    const auto from = memory::Recording::create(config_);
    Stream second(std::make_unique<memory::Recording>(from.open()));
    for (Stream* const stream : {&first, &second}) {
        stream->feed(12);
        stream->service().finish();
        stream->end();
    }
    const auto file = sqlite::Recording::open_read_only(path_);
    auto in_file = sqlite::Recording::create(directory_ / "new.fairstream", config_);
    auto in_memory = memory::Recording::create(config_);
    const replay::PointNames points(options().format, std::vector<std::string>{"3", "17"});
    const replay::Erased erased = replay::erase(from, in_memory, points);
    EXPECT_EQ(erased.points, replay::erase(file, in_file, points).points);
    EXPECT_GE(erased.points, 2U);
    EXPECT_EQ(contents_of(in_memory), contents_of(in_file));
    EXPECT_EQ(replay::traces_of(in_memory, points), 0U);
}

TEST_F(EngineOverLogs, AServiceThatLostItsLogFails) {
    const auto memory = memory::Recording::create(config_);
    Stream stream(std::make_unique<memory::Recording>(memory.open()));
    stream.feed(3);
    (void)memory.open();
    EXPECT_THROW(stream.feed(1), service::ServiceFailure);
    EXPECT_THROW(stream.feed(1), service::ServiceFailure);
    EXPECT_EQ(memory.open_read_only().last_sequence(), 3U);
}

}  // namespace
}  // namespace fairstream::log::test
