/// States as bytes: everything written is read back, and damaged bytes are at worst refused.

#include <gtest/gtest.h>

#include <limits>

#include <fairstream/base/archive.hpp>
#include <fairstream/numeric/detail/random.hpp>

#include "support/largest_request.hpp"
#include "support/refusal.hpp"

namespace fairstream::test {
namespace {

enum class Colour : std::uint8_t { red, green };

struct Inner {
    std::int32_t number = 0;
    std::vector<double> values;
    bool operator==(const Inner&) const = default;
    template <class Self, class Archive> static void fields(Self& self, Archive& archive) {
        archive(1, self.number);
        archive(2, self.values);
    }
};

struct Outer {
    bool flag = false;
    Colour colour = Colour::red;
    std::uint64_t count = 0;
    double real = 0;
    std::array<std::uint64_t, 4> words{};
    std::string text;
    std::vector<float> features;
    std::vector<std::vector<std::uint32_t>> members;
    std::vector<Inner> inners;
    Inner inner;
    bool operator==(const Outer&) const = default;
    template <class Self, class Archive> static void fields(Self& self, Archive& archive) {
        archive(1, self.flag), archive(2, self.colour), archive(3, self.count), archive(4, self.real),
            archive(5, self.words);
        archive(6, self.text), archive(7, self.features), archive(8, self.members), archive(9, self.inners),
            archive(10, self.inner);
    }
};

Outer full() {
    return {true,           Colour::green,         std::numeric_limits<std::uint64_t>::max(),
            -0.5,           {1, 2, 3, 4},          std::string("a\0b", 3),
            {1, -2, 3.5F},  {{}, {1}, {}, {2, 3}}, {{1, {}}, {2, {0.25}}, {}},
            {-7, {1, 2, 3}}};
}

template <class T> std::vector<std::byte> bytes_of(const T& value) {
    StateWriter writer;
    writer(1, value);
    return writer.take();
}
template <class T> T read_back(std::span<const std::byte> bytes, T value = {}) {
    StateReader reader(bytes);
    reader(1, value);
    return value;
}
template <class T> void expect_round_trip(const T& value, const T& overwritten = {}) {
    EXPECT_EQ(read_back(bytes_of(value), overwritten), value);
    EXPECT_EQ(bytes_of(read_back<T>(bytes_of(value))), bytes_of(value)) << "equal values give equal bytes";
}

TEST(Archive, ReadsBackWhatWasWritten) {
    expect_round_trip(Outer{}, full());
    expect_round_trip(full());
    expect_round_trip(std::string());
    expect_round_trip(std::vector<double>{}, {1, 2});
    expect_round_trip(std::vector<std::vector<float>>{}, {{1}});
    expect_round_trip(std::vector<std::vector<float>>{{}, {}, {}});
    expect_round_trip(std::vector<std::vector<std::vector<int>>>{{{1, 2}, {}}, {}, {{3}}});
    expect_round_trip(std::vector<std::string>{"", "x", "longer text"});
    expect_round_trip(std::numeric_limits<double>::infinity());
    expect_round_trip(std::numeric_limits<std::int64_t>::min());
}

TEST(Archive, NestedFieldsAreReadInAnyOrder) {
    StateWriter writer;
    writer(7, std::string("first"));
    writer.nested(2, [](StateWriter& inner) {
        inner(1, 5);
        inner.nested(3, [](StateWriter& deeper) { deeper(1, true); });
    });
    writer.nested(9, [](StateWriter&) {});
    const std::vector<std::byte> bytes = writer.take();
    StateReader reader(bytes);
    StateReader empty = reader.nested(9), inner = reader.nested(2), deeper = inner.nested(3);
    int five = 0;
    bool yes = false;
    std::string text;
    inner(1, five), deeper(1, yes), reader(7, text);
    EXPECT_EQ(five, 5);
    EXPECT_TRUE(yes);
    EXPECT_EQ(text, "first");
    expect_refused(Reason::bad_state, {"1", "missing"}, [&] { empty(1, five); });
}

// A later version may add fields; the known ones are read nevertheless.
TEST(Archive, UnknownTagsAreIgnored) {
    StateWriter writer;
    writer.nested(1, [](StateWriter& outer) {
        outer(99, std::string("new"));
        const Outer known = full();
        Outer::fields(known, outer);
        outer(11, std::vector<double>(100));
    });
    EXPECT_EQ(read_back<Outer>(writer.take()), full());
}

TEST(Archive, AMissingFieldIsNamed) {
    StateWriter writer;
    writer.nested(1, [](StateWriter& inner) { inner(1, std::int32_t{3}); });
    const std::vector<std::byte> bytes = writer.take();
    expect_refused(Reason::bad_state, {"field 2", "missing"}, [&] { (void)read_back<Inner>(bytes); });
    expect_refused(Reason::bad_state, {"field 1", "missing"}, [&] { (void)read_back<int>({}); });
    StateReader reader(bytes);
    expect_refused(Reason::bad_state, {"field 5", "missing"}, [&] { (void)reader.nested(5); });
}

TEST(Archive, AWrongLengthIsNamed) {
    const auto refused = [](const auto& written, auto read) {
        const std::vector<std::byte> bytes = bytes_of(written);
        expect_refused(Reason::bad_state, {"field 1", "wrong length"}, [&] { (void)read_back(bytes, read); });
    };
    refused(std::int32_t{1}, std::int64_t{});
    refused(std::int64_t{1}, std::int32_t{});
    refused(std::string(), false);
    refused(std::string("abc"), std::vector<float>{});
    refused(std::string("abcdefg"), std::vector<double>{});
    refused(std::array<std::uint64_t, 3>{}, std::array<std::uint64_t, 4>{});
    refused(std::array<std::uint64_t, 5>{}, std::array<std::uint64_t, 4>{});
}

TEST(Archive, GapInNestedVectorIsRefused) {
    StateWriter writer;
    writer.nested(1, [](StateWriter& inner) {
        inner(0, std::vector<int>{1});
        inner(2, std::vector<int>{2});
    });
    expect_refused(Reason::bad_state, {},
                   [bytes = writer.take()] { (void)read_back<std::vector<std::vector<int>>>(bytes); });
}

// Reads damaged bytes: a value or InvalidInput (bad_state), and no request for memory out of proportion to the bytes.
bool survives(std::span<const std::byte> bytes) {
    bool taken = false;
    const std::size_t largest = largest_request([&] {
        try {
            (void)read_back<Outer>(bytes);
            taken = true;
        } catch (const InvalidInput& error) {
            EXPECT_EQ(error.reason(), Reason::bad_state) << error.what();
        }
    });
    // A field of 12 bytes becomes an element of at most sizeof(Inner) in an array that grows by doubling.
    EXPECT_LE(largest, 1024 + bytes.size() * 2 * sizeof(Inner) / 12);
    return taken;
}

TEST(Archive, BytesCutAnywhereAreRefused) {
    const std::vector<std::byte> bytes = bytes_of(full());
    for (std::size_t length = 0; length < bytes.size(); ++length)
        ASSERT_FALSE(survives(std::span(bytes).first(length))) << length;
    EXPECT_TRUE(survives(bytes));
}

TEST(Archive, NoFlippedBitDoesWorseThanBeRefused) {
    const std::vector<std::byte> bytes = bytes_of(full());
    std::size_t refused = 0;
    for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
        std::vector<std::byte> damaged = bytes;
        damaged[bit / 8] ^= std::byte{1} << (bit % 8);
        refused += !survives(damaged);
    }
    EXPECT_GT(refused, 0U);
}

TEST(Archive, HostileLengthsAllocateLittle) {
    const std::vector<std::byte> bytes = bytes_of(full());
    for (std::size_t at = 0; at + sizeof(std::uint64_t) <= bytes.size(); ++at)
        for (const std::uint64_t length : {std::uint64_t{1} << 63, ~std::uint64_t{0}, ~std::uint64_t{0} - 11,
                                           std::uint64_t{1} << 32, std::uint64_t{0}}) {
            std::vector<std::byte> damaged = bytes;
            std::memcpy(&damaged[at], &length, sizeof length);
            (void)survives(damaged);
        }
}

TEST(Archive, RandomBytesAreRefused) {
    Random random(1);
    for (int round = 0; round < 2000; ++round) {
        std::vector<std::byte> bytes(1 + random.below(200));
        for (std::byte& b : bytes)
            b = static_cast<std::byte>(random.below(4) == 0 ? random.below(256) : random.below(12));
        EXPECT_FALSE(survives(bytes));
    }
}

// Fields without content ask for the most elements per byte.
TEST(Archive, ManyEmptyFieldsCostInProportion) {
    StateWriter writer;
    writer.nested(1, [](StateWriter& outer) {
        outer.nested(8, [](StateWriter& members) {
            for (std::uint32_t i = 0; i < 20'000; ++i) members(i, std::vector<std::uint32_t>{});
        });
    });
    EXPECT_FALSE(survives(writer.take()));
}

}  // namespace
}  // namespace fairstream::test
