/// Refusals: bounded, and still the same answer to a producer's duplicates.

#include "recording/support.hpp"

namespace fairstream::log::sqlite::test {
namespace {

class RefusalsTest : public testing::Test {
protected:
    void reopen(const log::Settings& settings) {
        recording_.reset();
        recording_.emplace(fs::exists(path_) ? Recording::open(path_, {settings})
                                             : Recording::create(path_, "c", {settings}));
    }

    TemporaryDirectory directory_;
    fs::path path_ = directory_ / "stream.fairstream";
    std::optional<Recording> recording_;
};

TEST_F(RefusalsTest, NewestPerProducerSurvive) {
    reopen({.refused_rows = 3});
    constexpr std::uint64_t count = 6000;
    recording_->refuse(some_refusal("quiet", {1, 1}));
    for (std::uint64_t i = 1; i <= count; ++i) recording_->refuse(some_refusal("loud", {1, i}));
    recording_->flush();
    for (int turn = 0; turn < 2; ++turn) {
        EXPECT_EQ(recording_->refused_count(), count + 1);
        EXPECT_EQ(recording_->refusals().size(), 3U);
        EXPECT_EQ(recording_->refusals().back().mark.producer_sequence, count);
        ASSERT_TRUE(recording_->find_refusal("quiet", {1, 1}));
        for (std::uint64_t i = count - 4095; i <= count; ++i) {
            const auto found = recording_->find_refusal("loud", {1, i});
            ASSERT_TRUE(found) << i;
            EXPECT_EQ(found->text, some_refusal("loud", {1, i}).text);
            EXPECT_EQ(found->reason, Reason::unknown_group);
        }
        EXPECT_FALSE(recording_->find_refusal("loud", {1, count - 5000})) << "they are bounded";
        EXPECT_FALSE(recording_->find_refusal("loud", {1, count + 1}));
        EXPECT_FALSE(recording_->find_refusal("loud", {2, count}));
        EXPECT_EQ(recording_->producer_marks(),
                  (std::map<std::string, ProducerMark>{{"loud", {1, count}}, {"quiet", {1, 1}}}));
        reopen({.refused_rows = 3});
    }
    for (std::uint64_t i = count + 1; i <= count + 5000; ++i) recording_->refuse(some_refusal("loud", {1, i}));
    recording_->flush();
    EXPECT_FALSE(recording_->find_refusal("loud", {1, count})) << "they are bounded across a restart";
    EXPECT_TRUE(recording_->find_refusal("loud", {1, count + 1000}));
}

TEST_F(RefusalsTest, OutOfOrderUsesNoNumber) {
    reopen({});
    for (const Reason reason : {Reason::sequence_gap, Reason::stale_epoch}) {
        recording_->refuse({"p", {7, 7}, reason, "out of order", {}});
    }
    recording_->refuse({"p", {}, Reason::malformed, "no number", {}});
    recording_->refuse({"", {}, Reason::malformed, "no name", {}});
    recording_->flush();
    EXPECT_EQ(recording_->refused_count(), 4U);
    EXPECT_EQ(recording_->refusals().size(), 4U);
    EXPECT_TRUE(recording_->producer_marks().empty());
    EXPECT_FALSE(recording_->find_refusal("p", {7, 7}));
    recording_->append({1, "p", {1, 1}, {}});
    recording_->flush();
    reopen({});
    EXPECT_EQ(recording_->refused_count(), 4U);
}

TEST_F(RefusalsTest, AreCountedWhenNoneIsKept) {
    reopen({.refused_rows = 0});
    for (std::uint64_t i = 1; i <= 10; ++i) recording_->refuse(some_refusal("p", {1, i}));
    recording_->flush();
    reopen({.refused_rows = 0});
    EXPECT_EQ(recording_->refused_count(), 10U);
    EXPECT_TRUE(recording_->refusals().empty());
    EXPECT_TRUE(recording_->find_refusal("p", {1, 10}));
}

TEST_F(RefusalsTest, AreCutToTheBytesAsked) {
    reopen({.refused_bytes = 10});
    Refusal refusal{"p", {1, 1}, Reason::oversized, std::string(5000, 'x'), some_bytes(1, 100)};
    refusal.text.replace(4095, 2, "\xc3\xa9");  // a letter of two bytes across the bound
    recording_->refuse(refusal);
    recording_->flush();
    EXPECT_EQ(recording_->refusals().front().message, some_bytes(1, 10));
    EXPECT_EQ(recording_->refusals().front().text, std::string(4095, 'x'));
    EXPECT_EQ(recording_->find_refusal("p", {1, 1})->text, std::string(4095, 'x'));
}

TEST_F(RefusalsTest, FollowASmallerAndALargerBound) {
    reopen({.refused_rows = 10});
    for (std::uint64_t i = 1; i <= 10; ++i) recording_->refuse(some_refusal("p", {1, i}));
    recording_->flush();
    reopen({.refused_rows = 2});
    recording_->refuse(some_refusal("p", {1, 11}));
    recording_->flush();
    EXPECT_EQ(recording_->refusals().size(), 2U);
    reopen({.refused_rows = 10});
    for (std::uint64_t i = 12; i <= 15; ++i) recording_->refuse(some_refusal("p", {1, i}));
    recording_->flush();
    reopen({.refused_rows = 10});
    EXPECT_EQ(recording_->refusals().size(), 6U);
    EXPECT_EQ(recording_->refused_count(), 15U);
}

TEST_F(RefusalsTest, KnowNumbersOfAll64Bits) {
    reopen({});
    constexpr std::uint64_t large = ~std::uint64_t{0};
    recording_->refuse(some_refusal("p", {1, large}));
    recording_->refuse(some_refusal("p", {large, 1}));
    recording_->append({1, "p", {large, large}, {}});
    recording_->flush();
    reopen({});
    EXPECT_TRUE(recording_->find_refusal("p", {1, large}));
    EXPECT_TRUE(recording_->find_refusal("p", {large, 1}));
    EXPECT_EQ(recording_->find_event("p", {large, large}), 1U);
    EXPECT_EQ(recording_->producer_marks().at("p"), (ProducerMark{large, large}));
}

}  // namespace
}  // namespace fairstream::log::sqlite::test
