/// The order in which waiting messages of several clients are taken, and which are surplus.

#include <fairstream/server/detail/share_queue.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fairstream::zmq {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;

class Share : public testing::Test {
protected:
    static service::Client client(const std::string& name) {
        service::Client made;
        made.identity = name;
        return made;
    }
    void push(const service::Client& sender, const std::string& connection, const std::string& text) {
        queue_.push({"d" + connection, ::zmq::message_t(text), &sender});
    }
    /// Takes the next message, which takes `time`, and returns its text; empty if there is none.
    std::string handle(seconds time) {
        const std::optional<Received> next = queue_.pop();
        if (!next) return {};
        queue_.charge(*next->sender, time);
        return next->message.to_string();
    }

    const service::Client heavy_ = client("heavy"), light_ = client("light"), third_ = client("third");
    ShareQueue queue_;
};

TEST_F(Share, ConnectionsDoNotAddShare) {
    for (int i = 0; i < 64; ++i)
        for (int again = 0; again < 3; ++again) push(heavy_, "c" + std::to_string(i), "heavy");
    EXPECT_EQ(handle(seconds(1)), "heavy");
    for (int i = 0; i < 5; ++i) push(light_, "l", "light " + std::to_string(i));
    // Its messages take less time than the one served before, so all of them come first.
    for (int i = 0; i < 5; ++i) EXPECT_EQ(handle(seconds(0)), "light " + std::to_string(i));
    EXPECT_EQ(handle(seconds(1)), "heavy");
}

TEST_F(Share, ConnectionKeepsOrder) {
    for (const char* const address : {"da", "qa", "da"})
        queue_.push({address, ::zmq::message_t(std::string(address)), &heavy_});
    EXPECT_EQ(handle(seconds(1)), "da");
    EXPECT_EQ(handle(seconds(1)), "qa");
    EXPECT_EQ(handle(seconds(1)), "da");
}

TEST_F(Share, ClientsThatWaitGetEqualTime) {
    for (int i = 0; i < 100; ++i) push(heavy_, "h", "heavy"), push(light_, "l", "light");
    int heavy = 0, light = 0;
    while (light < 40) {
        const std::optional<Received> next = queue_.pop();
        const bool is_heavy = next->sender == &heavy_;
        ++(is_heavy ? heavy : light);
        queue_.charge(*next->sender, seconds(is_heavy ? 10 : 1));
    }
    EXPECT_EQ(heavy, 4);
}

TEST_F(Share, IdleTimeIsNotSaved) {
    push(light_, "l", "light");
    EXPECT_EQ(handle(seconds(1)), "light");
    for (int i = 0; i < 10; ++i) {
        push(heavy_, "h", "heavy");
        EXPECT_EQ(handle(seconds(10)), "heavy");
    }
    // The light client starts where the last one was served, at 90 s, ten seconds before the heavy one.
    for (int i = 0; i < 20; ++i) push(light_, "l", "light"), push(heavy_, "h", "heavy");
    for (int i = 0; i < 10; ++i) EXPECT_EQ(handle(seconds(1)), "light") << i;
    // A newcomer is not behind them.
    push(third_, "t", "third");
    EXPECT_EQ(handle(seconds(1)), "third");
}

TEST_F(Share, ConnectionsTakeTurns) {
    for (const char* const text : {"a1", "a2", "a3"}) push(heavy_, "a", text);
    for (const char* const text : {"b1", "b2"}) push(heavy_, "b", text);
    std::vector<std::string> taken;
    for (std::string next; !(next = handle(seconds(1))).empty();) taken.push_back(next);
    EXPECT_THAT(taken, ElementsAre("a1", "b1", "a2", "b2", "a3"));
    EXPECT_TRUE(queue_.empty());
}

TEST_F(Share, BlockedMessagesDelayNobody) {
    queue_.push({"da", ::zmq::message_t(std::string("question")), &heavy_, true});
    push(heavy_, "a", "behind it");
    push(heavy_, "b", "of another connection");
    const auto none_of_them = [](const Received& each) { return !each.question; };
    EXPECT_EQ(queue_.pop(none_of_them)->message.to_string(), "of another connection");
    EXPECT_FALSE(queue_.pop(none_of_them).has_value());
    EXPECT_EQ(queue_.pop()->message.to_string(), "question");
    EXPECT_EQ(queue_.pop(none_of_them)->message.to_string(), "behind it");
}

TEST_F(Share, SurplusIsNewestOfLargest) {
    push(light_, "l", std::string(900, 'l'));
    push(heavy_, "a", std::string(500, 'a'));
    push(heavy_, "b", std::string(300, 'b'));
    push(heavy_, "b", std::string(301, 'c'));
    EXPECT_EQ(queue_.bytes(), 2001U);
    EXPECT_EQ(queue_.messages_of(heavy_, "b"), 2U);
    EXPECT_EQ(queue_.pop_surplus().message.size(), 301U);
    EXPECT_EQ(queue_.messages_of(heavy_, "b"), 1U);
    EXPECT_EQ(queue_.pop_surplus().message.size(), 900U) << "of 900 and 800 bytes";
    EXPECT_EQ(queue_.pop_surplus().message.size(), 500U);
    EXPECT_EQ(queue_.pop_surplus().message.size(), 300U);
    EXPECT_TRUE(queue_.empty());
    EXPECT_EQ(queue_.bytes(), 0U);
    EXPECT_EQ(queue_.messages_of(heavy_, "b"), 0U);
}

TEST_F(Share, NextClientIsKnown) {
    EXPECT_EQ(queue_.next_client(), nullptr);
    EXPECT_EQ(queue_.usual_time(heavy_), seconds(0));
    push(heavy_, "h", "heavy"), push(light_, "l", "light");
    const service::Client* const first = queue_.next_client();
    EXPECT_EQ(queue_.pop()->sender, first);
    queue_.charge(*first, seconds(8));
    EXPECT_EQ(queue_.usual_time(*first), seconds(8));
    EXPECT_NE(queue_.next_client(), first);
    queue_.charge(*first, seconds(1));
    EXPECT_EQ(queue_.usual_time(*first), seconds(7));
}

TEST_F(Share, UsualSizeDecaysByEighths) {
    queue_ = ShareQueue(100, 8000);
    EXPECT_EQ(queue_.usual_bytes(light_), 8000U) << "nothing is known";
    push(light_, "l", "short");
    EXPECT_EQ(queue_.usual_bytes(light_), 7000U);
    EXPECT_EQ(queue_.bytes(), 100U) << "the least";
    push(light_, "l", std::string(9000, 'l'));
    EXPECT_EQ(queue_.usual_bytes(light_), 9000U);
    for (int i = 0; i < 100; ++i) push(light_, "l", "short");
    EXPECT_EQ(queue_.usual_bytes(light_), 100U);
}

}  // namespace
}  // namespace fairstream::zmq
