/// For any bytes, a reader returns a message or throws `InvalidInput`, and nothing else.

#include <gtest/gtest.h>

#include <capnp/message.h>
#include <capnp/serialize.h>

#include <cstring>
#include <random>

#include "fairstream.capnp.h"
#include "wire/samples.hpp"

namespace fairstream::wire {
namespace {

using namespace test;

enum class Answer { message, refusal };

/// Reads `bytes` as the family of `like`, and every byte of what was read. Any other exception ends the test.
Answer read_all(const Message& like, Bytes bytes) {
    try {
        const AlignedMessage message(bytes);
        // The two functions that answer for messages refused by the full readers must not throw at all.
        static_cast<void>(read_event_mark(message));
        static_cast<void>(read_request_number(message));
        EXPECT_FALSE(show(read_like(like, message)).empty());
        return Answer::message;
    } catch (const InvalidInput& error) {
        EXPECT_TRUE(error.reason() == Reason::malformed || error.reason() == Reason::unknown_request) << error.what();
        return Answer::refusal;
    }
}

Bytes bytes_of(const std::vector<std::uint64_t>& words) {
    return std::as_bytes(std::span(words));
}

std::vector<std::uint64_t> words_of(capnp::MallocMessageBuilder& builder) {
    const auto flat = capnp::messageToFlatArray(builder);
    std::vector<std::uint64_t> words(flat.size());
    std::memcpy(words.data(), flat.begin(), flat.size() * sizeof(std::uint64_t));
    return words;
}

/// A builder for the messages of these tests, each in one segment.
capnp::MallocMessageBuilder builder() {
    return capnp::MallocMessageBuilder(1 << 16);
}

TEST(Hostile, EveryTruncationIsRefused) {
    for (const Sample& sample : samples()) {
        const auto bytes = encoded(sample.message);
        for (std::size_t length = 0; length < bytes.size(); ++length) {
            ASSERT_EQ(read_all(sample.message, Bytes(bytes).first(length)), Answer::refusal)
                << sample.name << " cut to " << length << " bytes";
        }
    }
}

TEST(Hostile, TrailingWordsAreRefused) {
    for (const Sample& sample : samples()) {
        auto bytes = encoded(sample.message);
        bytes.resize(bytes.size() + 8);
        EXPECT_EQ(read_all(sample.message, bytes), Answer::refusal) << sample.name;
    }
}

TEST(Hostile, EveryFlippedBitIsReadOrRefused) {
    for (const Sample& sample : samples()) {
        auto bytes = encoded(sample.message);
        int refused = 0;
        for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
            bytes[bit / 8] ^= std::byte{1} << bit % 8;
            refused += read_all(sample.message, bytes) == Answer::refusal;
            bytes[bit / 8] ^= std::byte{1} << bit % 8;
        }
        EXPECT_GT(refused, 0) << sample.name;
        EXPECT_EQ(read_all(sample.message, bytes), Answer::message) << sample.name;
    }
}

TEST(Hostile, MessagesAreReadOrRefused) {
    for (const Sample& sample : samples()) {
        const auto bytes = encoded(sample.message);
        for (const Sample& other : samples()) read_all(other.message, bytes);
    }
}

TEST(Hostile, RandomBytesAreReadOrRefused) {
    std::mt19937_64 random(99);
    std::vector<std::uint64_t> words;
    for (int round = 0; round < 20'000; ++round) {
        words.resize(1 + random() % 40);
        for (auto& word : words) {
            word = random();
            word &= random();  // a quarter of the bits
        }
        if (round % 4 != 0) words[0] = (words.size() - 1) << 32;  // a valid segment table gets further
        if (round % 2 != 0)
            words[random() % words.size()] &= 0x0007'0007'0000'00fe;  // and a plausible pointer further still
        read_all(samples()[random() % samples().size()].message, bytes_of(words));
    }
}

TEST(Hostile, RandomDamageIsReadOrRefused) {
    std::mt19937_64 random(100);
    for (const Sample& sample : samples()) {
        const auto bytes = encoded(sample.message);
        for (int round = 0; round < 300; ++round) {
            auto damaged = bytes;
            for (std::uint64_t i = 1 + random() % 8; i > 0; --i) {
                damaged[8 + random() % (damaged.size() - 8)] = static_cast<std::byte>(random());
            }
            read_all(sample.message, damaged);
        }
    }
}

TEST(Hostile, SegmentTablesThatClaimTooMuchAreRefused) {
    const Message like = samples()[0].message;
    for (const std::uint64_t count : {0xffff'ffffULL, 0xffff'fffeULL, 0x7fff'ffffULL, 512ULL, 1ULL}) {
        for (const std::uint64_t size : {0ULL, 1ULL, 0x7fff'ffffULL, 0xffff'ffffULL}) {
            EXPECT_EQ(read_all(like, bytes_of({count | size << 32, size | size << 32, 0})), Answer::refusal)
                << count << " segments of " << size;
        }
    }
    // As many segments as the table claims, all empty: the number is refused.
    EXPECT_EQ(read_all(like, bytes_of(std::vector<std::uint64_t>{0xffff})), Answer::refusal);
    std::vector<std::uint64_t> many(1 + 1000 / 2 + 1);
    many[0] = 1000;
    EXPECT_EQ(read_all(like, bytes_of(many)), Answer::refusal);
}

/// Returns the word with the only list pointer of this size code and element count.
std::size_t find_list_pointer(const std::vector<std::uint64_t>& words, std::uint64_t size_code, std::uint64_t count) {
    std::size_t found = 0;
    for (std::size_t i = 1; i < words.size(); ++i) {
        if ((words[i] & 3) == 1 && words[i] >> 32 == (count << 3 | size_code)) {
            EXPECT_EQ(found, 0U) << "two such pointers";
            found = i;
        }
    }
    EXPECT_NE(found, 0U) << "no such pointer";
    return found;
}

constexpr std::uint64_t byte_list = 2, pointer_list = 6, struct_list = 7;

TEST(Hostile, FalseLengthsAreRefused) {
    std::vector<PointId> ids(5, 1);
    const Message sample =
        Publication{{}, "labels.m", 1, 1, LabelUpdate{.departed = ids, .ids = {}, .outputs = {}, .provisional = {}}};
    const AlignedMessage message(encoded(sample));
    std::vector<std::uint64_t> words(message.words().begin(), message.words().end());
    const std::size_t pointer = find_list_pointer(words, byte_list, 40);
    for (const std::uint64_t claimed : {48ULL, 1ULL << 20, (1ULL << 29) - 8, (1ULL << 29) - 1}) {
        words[pointer] = (words[pointer] & 0xffff'ffff) | (claimed << 3 | byte_list) << 32;
        EXPECT_EQ(read_all(sample, bytes_of(words)), Answer::refusal) << claimed << " bytes";
    }
    for (const std::uint64_t odd : {39ULL, 33ULL, 1ULL}) {
        words[pointer] = (words[pointer] & 0xffff'ffff) | (odd << 3 | byte_list) << 32;
        EXPECT_EQ(read_all(sample, bytes_of(words)), Answer::refusal) << odd << " bytes are no whole ids";
    }
}

TEST(Hostile, ManyPointersToOneTextDoNotAmplify) {
    constexpr unsigned groups = 1000;
    auto message = builder();
    auto root = message.initRoot<schema::IngestReply>();
    root.setRecording(kj::heapArray<capnp::byte>(16));
    auto attributes = root.initWelcome().initFormat().initAttributes(1);
    attributes[0].setName("sex");
    auto list = attributes[0].initGroups(groups);
    list.set(0, kj::StringPtr(std::string(999, 'x').c_str()));
    auto words = words_of(message);
    const std::size_t text = find_list_pointer(words, byte_list, 1000);
    const Message like = IngestReply{};
    ASSERT_EQ(read_all(like, bytes_of(words)), Answer::message);
    for (std::uint64_t i = 1; i < groups; ++i) {
        words[text + i] = (words[text] & ~0xffff'ffffULL) | ((words[text] & 0xffff'ffff) - (i << 2));
    }
    EXPECT_EQ(read_all(like, bytes_of(words)), Answer::refusal);
}

TEST(Hostile, ManyPointersToOnePublicationDoNotAmplify) {
    constexpr unsigned count = 1000;
    auto message = builder();
    auto root = message.initRoot<schema::ControlReply>();
    root.setRecording(kj::heapArray<capnp::byte>(16));
    root.initPublications(count).set(0, kj::heapArray<capnp::byte>(8000));
    auto words = words_of(message);
    const std::size_t blob = find_list_pointer(words, byte_list, 8000);
    for (std::uint64_t i = 1; i < count; ++i) {
        words[blob + i] = (words[blob] & ~0xffff'ffffULL) | ((words[blob] & 0xffff'ffff) - (i << 2));
    }
    EXPECT_EQ(read_all(ControlReply{}, bytes_of(words)), Answer::refusal);
}

TEST(Hostile, LongListsOfNothingDoNotAmplify) {
    auto message = builder();
    auto root = message.initRoot<schema::Publication>();
    root.setRecording(kj::heapArray<capnp::byte>(16));
    root.setTopic("status");
    root.initStatus().initTopics(7);
    auto words = words_of(message);
    // Seven marks of three words each, preceded by a tag: turned into a list of 2^29 - 1 structs of no size.
    const std::size_t pointer = find_list_pointer(words, struct_list, 21);
    const std::size_t tag = pointer + 1 + ((words[pointer] & 0xffff'ffff) >> 2);
    const std::uint64_t claimed = (1ULL << 29) - 1;
    words[pointer] = (words[pointer] & 0xffff'ffff) | struct_list << 32;
    words[tag] = claimed << 2;
    EXPECT_EQ(read_all(Publication{}, bytes_of(words)), Answer::refusal) << "structs of no size";
    words[pointer] = (words[pointer] & 0xffff'ffff) | (claimed << 3) << 32;
    EXPECT_EQ(read_all(Publication{}, bytes_of(words)), Answer::refusal) << "void elements";
    words[pointer] = (words[pointer] & 0xffff'ffff) | (claimed << 3 | pointer_list) << 32;
    EXPECT_EQ(read_all(Publication{}, bytes_of(words)), Answer::refusal) << "more pointers than the message holds";
}

TEST(Hostile, CyclicPointersAreReadOrRefused) {
    for (const Sample& sample : samples()) {
        const AlignedMessage message(encoded(sample.message));
        std::vector<std::uint64_t> words(message.words().begin(), message.words().end());
        for (std::size_t i = 1; i < words.size(); ++i) {
            const std::uint64_t before = words[i];
            words[i] = (before & ~0xffff'ffffULL) | (0xffff'fffcULL | (before & 3));  // offset -1: the pointer itself
            read_all(sample.message, bytes_of(words));
            words[i] = 2 | i << 3;  // far pointers: to itself, and to whatever lies at its own distance
            read_all(sample.message, bytes_of(words));
            words[i] = 2 | (i - 1) << 3;
            read_all(sample.message, bytes_of(words));
            words[i] = 6 | (i - 1) << 3;
            read_all(sample.message, bytes_of(words));
            words[i] = before;
        }
    }
}

std::string refusal(const Message& like, const std::vector<std::uint64_t>& words, Reason expected = Reason::malformed) {
    try {
        const AlignedMessage message(bytes_of(words));
        static_cast<void>(read_like(like, message));
    } catch (const InvalidInput& error) {
        EXPECT_EQ(error.reason(), expected);
        return error.what();
    }
    return "nothing was thrown";
}

/// Returns a message with an unknown tag of a union. Finds the tag's word by the bits that change from one alternative
/// to the next.
template <class Root> std::vector<std::uint64_t> with_unknown_tag(void (*first)(typename Root::Builder),
                                                                  void (*second)(typename Root::Builder)) {
    auto a = builder(), b = builder();
    first(a.template initRoot<Root>());
    second(b.template initRoot<Root>());
    auto words = words_of(a);
    const auto other = words_of(b);
    for (std::size_t i = 2; i < std::min(words.size(), other.size()); ++i) {
        if (const std::uint64_t difference = words[i] ^ other[i]) {
            const int shift = std::countr_zero(difference) / 16 * 16;
            words[i] = (words[i] & ~(0xffffULL << shift)) | 0x4321ULL << shift;
            return words;
        }
    }
    ADD_FAILURE() << "the two messages are equal";
    return words;
}

TEST(Hostile, KindsOfLaterVersionsAreRefusedByNumber) {
    const auto number = std::to_string(0x4321);
    const auto request = with_unknown_tag<schema::IngestRequest>([](auto root) { root.initHello(); },
                                                                 [](auto root) { root.initEvent(); });
    EXPECT_NE(refusal(IngestRequest{}, request).find(number), std::string::npos);
    const auto reply = with_unknown_tag<schema::IngestReply>(
        [](auto root) {
            root.setRecording(kj::heapArray<capnp::byte>(16));
            root.initWelcome();
        },
        [](auto root) {
            root.setRecording(kj::heapArray<capnp::byte>(16));
            root.initAck();
        });
    EXPECT_NE(refusal(IngestReply{}, reply).find(number), std::string::npos);
    const auto control = with_unknown_tag<schema::ControlRequest>(
        [](auto root) {
            root.setRequest(5);
            root.setHealth();
        },
        [](auto root) {
            root.setRequest(5);
            root.setStop();
        });
    EXPECT_NE(refusal(ControlRequest{}, control, Reason::unknown_request).find(number), std::string::npos);
    EXPECT_EQ(read_request_number(AlignedMessage(bytes_of(control))), 5U) << "so that it can be answered";
}

TEST(Hostile, TextsOutsideTheirBoundsAreRefused) {
    for (const std::size_t length : {std::size_t{0}, std::size_t{129}, std::size_t{100'000}}) {
        auto message = builder();
        auto hello = message.initRoot<schema::IngestRequest>().initHello();
        hello.setProducer(std::string(length, 'p').c_str());
        EXPECT_NE(refusal(IngestRequest{}, words_of(message)).find(std::to_string(length) + " bytes"),
                  std::string::npos);
    }
}

// Returns the error for an update whose outputs `fill` sets.
template <class Fill> std::string refusal_of_update(const char* topic, const Fill& fill) {
    auto message = builder();
    auto root = message.initRoot<schema::Publication>();
    root.setRecording(kj::heapArray<capnp::byte>(16));
    root.setTopic(topic);
    fill(root.initOutputs());
    return refusal(Publication{}, words_of(message));
}

TEST(Hostile, ColumnsThatDisagreeAreRefusedWithBothLengths) {
    const std::string text = refusal_of_update("labels.m", [](schema::OutputUpdate::Builder labels) {
        labels.initIds(24);
        labels.initLabels(8);
    });
    EXPECT_NE(text.find("3 ids but 2 labels"), std::string::npos) << text;
}

TEST(Hostile, UnevenColumnsAreRefused) {
    const auto update = [](auto&& fill) { return refusal_of_update("scores.m", fill); };
    const auto few = [](schema::OutputUpdate::Builder scores) {
        scores.initIds(24);
        scores.initScores(16);
    };
    EXPECT_NE(update(few).find("3 ids but 2 scores"), std::string::npos) << update(few);
    const auto marks = [](schema::OutputUpdate::Builder scores) {
        scores.initIds(24);
        scores.initScores(24);
        scores.initProvisional(2);
    };
    EXPECT_NE(update(marks).find("3 ids but 2 provisional marks"), std::string::npos) << update(marks);
    const auto odd = [](schema::OutputUpdate::Builder scores) { scores.initScores(12); };
    EXPECT_NE(update(odd).find("12 bytes"), std::string::npos) << update(odd);
}

TEST(Hostile, ColumnsOfMembershipsThatDisagreeAreRefused) {
    const auto update = [](auto&& fill) {
        return refusal_of_update("memberships.m", [&](schema::OutputUpdate::Builder outputs) {
            outputs.initIds(16);
            fill(outputs.initMemberships());
        });
    };
    const auto few = [](schema::Memberships::Builder memberships) { memberships.initCounts(2); };
    EXPECT_NE(update(few).find("2 ids but 1 memberships"), std::string::npos) << update(few);
    const auto miscounted = [](schema::Memberships::Builder memberships) {
        auto counts = memberships.initCounts(4);
        std::ranges::fill(counts, capnp::byte{255});
        memberships.initClusters(8);
        memberships.initProbabilities(8);
    };
    EXPECT_NE(update(miscounted).find("2 clusters"), std::string::npos) << update(miscounted);
    const auto apart = [](schema::Memberships::Builder memberships) {
        auto counts = memberships.initCounts(4);
        counts[0] = counts[2] = 1;
        memberships.initClusters(8);
        memberships.initProbabilities(4);
    };
    EXPECT_NE(update(apart).find("and 1 probabilities"), std::string::npos) << update(apart);
}

TEST(Hostile, UnknownOutcomeIsRefused) {
    auto message = builder();
    auto root = message.initRoot<schema::ControlReply>();
    root.setRecording(kj::heapArray<capnp::byte>(16));
    root.initReport().initFairness().setOutcome(77);
    EXPECT_NE(refusal(ControlReply{}, words_of(message)).find("77"), std::string::npos);
}

TEST(Hostile, MarkIsReadWithoutContent) {
    auto message = builder();
    auto event = message.initRoot<schema::IngestRequest>().initEvent();
    event.setProducer("p");
    event.setEpoch(3);
    event.setProducerSequence(9);
    event.initBatch().initFeatures(7);
    const AlignedMessage bytes(bytes_of(words_of(message)));
    EXPECT_THROW(static_cast<void>(read_ingest_request(bytes)), InvalidInput);
    const auto mark = read_event_mark(bytes);
    ASSERT_TRUE(mark);
    EXPECT_EQ(mark->producer, "p");
    EXPECT_EQ(mark->epoch, 3U);
    EXPECT_EQ(mark->producer_sequence, 9U);
    EXPECT_FALSE(read_event_mark(AlignedMessage(encoded(samples()[0].message)))) << "a Hello has none";
}

}  // namespace
}  // namespace fairstream::wire
