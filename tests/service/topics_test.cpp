/// The publications that a topic keeps, and those of an update.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fairstream/service/topics.hpp>

#include "support/service_stream.hpp"

namespace fairstream::service {
namespace {

using namespace fairstream::test;

SharedBytes message(std::size_t bytes, std::uint64_t number) {
    return SharedBytes(Message(bytes, static_cast<std::byte>(number)));
}

TEST(Topic, KeepsTheNewestWithinBothLimits) {
    Topic few("few", {5, 1 << 20});
    Topic light("light", {1000, 100});
    Topic none("none", {0, 1 << 20});
    for (std::uint64_t number = 1; number <= 50; ++number) {
        for (Topic* const topic : {&few, &light, &none}) {
            topic->append(message(number, number), 7 * number);
            EXPECT_EQ(topic->last(), number);
            for (std::uint64_t kept = topic->first_kept(); kept <= number; ++kept) {
                EXPECT_EQ(topic->at(kept).view()[0], static_cast<std::byte>(kept)) << topic->name();
            }
        }
    }
    EXPECT_EQ(few.first_kept(), 46U);
    EXPECT_EQ(light.first_kept(), 49U);  // 49 + 50 bytes
    EXPECT_EQ(none.first_kept(), 51U);
    EXPECT_EQ(few.running_hash(), 350U);
    few.resume({70, 490});
    EXPECT_EQ(few.running_hash(), 490U);
    EXPECT_EQ(few.last(), 70U);
    EXPECT_EQ(few.first_kept(), 71U);
    few.append(message(3, 71), 497);
    EXPECT_EQ(few.first_kept(), 71U);
}

EngineOptions one_model(int clusters, std::uint32_t dimensions) {
    EngineOptions options;
    options.format.dimensions = dimensions;
    options.format.attributes = {{"sex", {"f", "m"}}};
    options.window.capacity = 200;
    options.models = {small_model("m", clusters, 0, {})};
    return options;
}

/// Batches of two points each, in different places.
PointColumns two_points(PointId first, std::uint32_t dimensions) {
    PointColumns columns;
    for (const PointId id : {first, first + 1}) {
        columns.ids.push_back(id);
        columns.groups.push_back(static_cast<GroupId>(id % 2));
        for (std::uint32_t j = 0; j < dimensions; ++j) columns.features.push_back(static_cast<float>(id % 17 + j % 3));
    }
    return columns;
}

/// Topics of the publications of `events` events, in order.
std::vector<std::string> topics_of(const EngineOptions& options, int events) {
    Engine engine(options);
    Publisher publisher({}, options, {});
    std::vector<Outgoing> out;
    std::vector<std::string> topics;
    for (int i = 0; i < events; ++i) {
        const PointColumns columns = two_points(2 * static_cast<PointId>(i), options.format.dimensions);
        publisher.publish(engine, engine.ingest(columns.view()), 0, out);
    }
    for (const Outgoing& each : out) topics.emplace_back(each.topic);
    return topics;
}

TEST(Publisher, EveryChangeIsOnAllTopics) {
    const std::vector<std::string> topics = topics_of(one_model(3, 4), 20);
    ASSERT_GE(topics.size(), 3 * 18U);  // the first events may find it warming
    for (std::size_t i = 0; i < topics.size(); i += 3) {
        EXPECT_EQ(topics[i], "labels.m");
        EXPECT_EQ(topics[i + 1], "fairness.m");
        EXPECT_EQ(topics[i + 2], "clusters.m");
    }
}

TEST(Publisher, LargeClustersArePublishedLessOften) {
    // 4 x 10,000 floats are 160,000 bytes: more than two shares of 64 KiB, so with every third event.
    const std::vector<std::string> topics = topics_of(one_model(4, 10'000), 30);
    const auto labels = std::ranges::count(topics, "labels.m");
    EXPECT_GE(labels, 26);
    EXPECT_EQ(std::ranges::count(topics, "fairness.m"), labels);
    EXPECT_EQ(std::ranges::count(topics, "clusters.m"), labels / 3);
}

TEST(Publisher, OversizedPublicationUsesNumber) {
    const EngineOptions options = one_model(3, 4);
    const Engine engine(options);
    Publisher publisher({}, options, {});
    std::vector<Outgoing> out;
    Update update;
    update.sequence = 1;
    update.models.resize(1);
    update.models[0].model = "m";
    update.models[0].changed = true;
    publisher.publish(engine, update, update.sequence, out);
    std::get<Changes<ClusterId>>(update.models[0].changes).departed.resize(wire::message_limit / sizeof(PointId) + 1);
    publisher.publish(engine, update, update.sequence, out);
    EXPECT_EQ(publisher.topic("labels.m").last(), 2U);
    EXPECT_EQ(publisher.topic("labels.m").first_kept(), 3U) << "a range would have a gap where a snapshot has none";
    EXPECT_EQ(publisher.topic("fairness.m").last(), 2U);
    EXPECT_EQ(publisher.topic("fairness.m").first_kept(), 1U);
    update.models[0].changes = Changes<ClusterId>{};
    publisher.publish(engine, update, update.sequence, out);
    std::vector<std::uint64_t> sent;
    for (const Outgoing& each : out) {
        if (each.topic == "labels.m") sent.push_back(read_publication(each.message.view()).value.topic_sequence);
    }
    EXPECT_THAT(sent, testing::ElementsAre(1, 3));
}

TEST(Publisher, ResumesOnlyWithItsOwnTopics) {
    const EngineOptions options = one_model(3, 4);
    Publisher publisher({}, options, {});
    auto marks = publisher.marks();
    ASSERT_EQ(marks.size(), 3U);
    marks["fairness.m"] = {9, 90};
    publisher.resume(marks);
    EXPECT_EQ(publisher.marks(), marks);
    marks.emplace("labels.other", log::TopicMark{1, 10});
    EXPECT_THROW(publisher.resume(marks), InvalidInput);
    marks.erase("labels.m");
    EXPECT_THROW(publisher.resume(marks), InvalidInput);
}

}  // namespace
}  // namespace fairstream::service
