#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include <capnp/serialize.h>

#include "wire/random_messages.hpp"
#include "wire/samples.hpp"

namespace fairstream::wire {
namespace {

using namespace test;

Reason reason_of(const auto& action) {
    try {
        action();
    } catch (const InvalidInput& error) {
        return error.reason();
    }
    ADD_FAILURE() << "nothing was thrown";
    return {};
}

TEST(RoundTrip, EverySampleReadsBackEqual) {
    for (const Sample& sample : samples()) {
        const AlignedMessage message(encoded(sample.message));
        EXPECT_EQ(show(read_like(sample.message, message)), show(sample.message)) << sample.name;
    }
}

TEST(RoundTrip, RandomMessages) {
    RandomMessages random(20240501);
    Encoder used;
    AlignedMessage message;
    for (int i = 0; i < 3000; ++i) {
        const Message sent = random.next();
        const Bytes bytes = write_any(sent, used);
        ASSERT_TRUE(std::ranges::equal(bytes, encoded(sent))) << "message " << i;
        message.assign(bytes);
        ASSERT_EQ(show(read_like(sent, message)), show(sent)) << "message " << i;
    }
}

TEST(Encoder, WritesOneSegmentInTheStandardFraming) {
    RandomMessages random(7);
    for (int i = 0; i < 200; ++i) {
        const AlignedMessage message(encoded(random.next()));
        const auto* words = reinterpret_cast<const capnp::word*>(message.words().data());
        const kj::ArrayPtr<const capnp::word> segment(words + 1, message.words().size() - 1);
        const auto standard = capnp::messageToFlatArray(kj::arrayPtr(&segment, 1));
        ASSERT_TRUE(std::ranges::equal(
            message.bytes(), std::as_bytes(std::span(standard.asBytes().begin(), standard.asBytes().size()))));
    }
}

TEST(Encoder, KeepsItsMemoryBetweenMessagesOfOneSize) {
    std::vector<PointId> ids(5000);
    const Message message =
        Publication{{}, "labels.m", 1, 1, LabelUpdate{.departed = ids, .ids = {}, .outputs = {}, .provisional = {}}};
    Encoder encoder;
    const auto* first = write_any(message, encoder).data();
    EXPECT_EQ(write_any(message, encoder).data(), first);
}

TEST(Encoder, IsUsableAfterAMessageItRefused) {
    const Message good = samples()[1].message;
    Encoder encoder;
    for (const std::size_t length : {std::size_t{0}, std::size_t{129}}) {
        const IngestRequest bad = EventMessage{std::string(length, 'x'), 1, 1, KnobChange{"m", "o", "v"}};
        EXPECT_EQ(reason_of([&] { write(bad, encoder); }), Reason::malformed);
        EXPECT_TRUE(std::ranges::equal(write_any(good, encoder), encoded(good)));
    }
}

TEST(Encoder, RefusesColumnsThatDisagree) {
    const std::vector<PointId> ids(3);
    const std::vector<ClusterId> labels(2);
    const std::vector<std::uint8_t> provisional(2);
    Encoder encoder;
    const auto update = [&](LabelUpdate labels_of) {
        return [&encoder, labels_of] { write(Publication{{}, "labels.m", 1, 1, labels_of}, encoder); };
    };
    EXPECT_EQ(reason_of(update({.departed = {}, .ids = ids, .outputs = labels, .provisional = {}})), Reason::malformed);
    EXPECT_EQ(reason_of(update({.departed = {},
                                .ids = std::span(ids).first(2).first(1),
                                .outputs = std::span(labels).first(1),
                                .provisional = provisional})),
              Reason::malformed);
    const std::vector<Score> scores(2);
    const ScoreUpdate few{.departed = {}, .ids = ids, .outputs = scores, .provisional = {}};
    EXPECT_EQ(reason_of([&] { write(Publication{{}, "scores.m", 1, 1, few}, encoder); }), Reason::malformed);
    const ClusterReport report{.clusters = 2, .dimensions = 3, .sizes = {1, 2}, .centres = std::vector<float>(5)};
    EXPECT_EQ(reason_of([&] { write(Publication{{}, "clusters.m", 1, 1, report}, encoder); }), Reason::malformed);
}

TEST(Encoder, TruncatesRefusalText) {
    Encoder encoder;
    const IngestReply reply{{}, 1, Nack{1, Reason::malformed, std::string(1 << 20, 'x'), 2}};
    const AlignedMessage message(write(reply, encoder));
    const auto read = read_ingest_reply(message);
    const std::string& text = std::get<Nack>(read.body).text;
    EXPECT_FALSE(text.empty());
    EXPECT_EQ(text, std::string(text.size(), 'x'));
}

TEST(Encoder, RefusesAMessageAboveTheLimit) {
    // Never touched, so these pages need not exist.
    const auto memory = std::make_unique_for_overwrite<float[]>(message_limit / sizeof(float) + 1);
    Encoder encoder;
    const auto assign = [&](std::size_t count) {
        return [&encoder, &memory, count] {
            write(ControlRequest{1, AssignRequest{"m", {memory.get(), count}, {}}}, encoder);
        };
    };
    EXPECT_EQ(reason_of(assign(message_limit / sizeof(float) + 1)), Reason::oversized) << "one column is too long";
    EXPECT_EQ(reason_of(assign(message_limit / sizeof(float))), Reason::oversized)
        << "the message around it is too long";
}

TEST(AlignedMessage, RefusesOversizedAndPartialWords) {
    const auto memory = std::make_unique_for_overwrite<std::byte[]>(message_limit + 8);
    EXPECT_EQ(reason_of([&] { AlignedMessage(Bytes(memory.get(), message_limit + 8)); }), Reason::oversized);
    const std::vector<std::byte> bytes(23);
    EXPECT_EQ(reason_of([&] { AlignedMessage{bytes}; }), Reason::malformed);
}

template <class T> void expect_inside(const AlignedMessage& message, std::span<const T> column) {
    const auto* begin = reinterpret_cast<const std::byte*>(column.data());
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(begin) % 8, 0U);
    EXPECT_GE(begin, message.bytes().data());
    EXPECT_LE(begin + column.size_bytes(), message.bytes().data() + message.bytes().size());
}

TEST(Columns, AreBorrowedAndAligned) {
    const std::vector<PointId> ids{1, 2, 3};
    const std::vector<float> features{1, 2, 3};
    const std::vector<GroupId> groups{1, 0, 1};
    const auto bytes = encoded(IngestRequest{EventMessage{"p", 1, 1, PointBatch{ids, features, groups, {}, 0}}});
    std::vector<std::byte> buffer(bytes.size() + 8);
    AlignedMessage message;
    for (std::size_t offset = 0; offset < 8; ++offset) {
        std::memcpy(buffer.data() + offset, bytes.data(), bytes.size());
        message.assign(Bytes(buffer).subspan(offset, bytes.size()));
        const auto request = read_ingest_request(message);
        const auto& batch = std::get<PointBatch>(std::get<EventMessage>(request).event);
        expect_inside(message, batch.ids);
        expect_inside(message, batch.features);
        expect_inside(message, batch.groups);
        EXPECT_TRUE(std::ranges::equal(batch.ids, ids));
        EXPECT_TRUE(std::ranges::equal(batch.features, features));
        EXPECT_TRUE(std::ranges::equal(batch.groups, groups));
        EXPECT_TRUE(batch.targets.empty());
    }
}

}  // namespace
}  // namespace fairstream::wire
