/// Requests to label or score points are answered beside ingestion: from the state at the request, and as soon as the
/// earlier events are on disk.

#include <deque>

#include "service/fixture.hpp"

namespace fairstream::service {
namespace {

/// Holds tasks until the test runs them.
class Later {
public:
    [[nodiscard]] RunInBackground keep() {
        return [this](std::function<void()> task) { tasks_.push_back(std::move(task)); };
    }
    [[nodiscard]] std::size_t size() const { return tasks_.size(); }
    void run_next() {
        const std::function<void()> task = std::move(tasks_.front());
        tasks_.pop_front();
        task();
    }
    void run_all() {
        while (size() > 0) run_next();
    }

private:
    std::deque<std::function<void()>> tasks_;
};

class Questions : public ServiceTest {
protected:
    void SetUp() override {
        begin({.run_in_background = writes_.keep()});
        feed(1, 10);
        asked_ = points_.next(30);
        // Groups that lie apart, so that a balance target changes labels.
        for (std::size_t i = 0; i < 30; ++i) groups_.push_back(asked_.features[3 * i] > 6 ? 1 : 0);
        service_->set_answer_runner(answers_.keep());
    }
    void ask_together(std::uint64_t number, std::string_view client = "asker") {
        service_->handle_control(client, control(number, wire::AssignRequest{"fair", asked_.features, groups_}), 0);
    }
    /// Returns the only reply released now; empty if none is.
    Message released() {
        const Outbox out = take(*service_);
        EXPECT_LE(out.control.size(), 1U);
        return out.control.empty() ? Message() : copied(out.control[0].message.view());
    }
    /// Returns the reply of an engine that answers at once, from the current state.
    Message at_once(std::uint64_t number) {
        service_->set_answer_runner({});
        ask_together(number);
        service_->commit();
        service_->set_answer_runner(answers_.keep());
        return released();
    }
    void take_in(std::uint64_t number) { service_->handle_ingest("sender", batch("p", 1, number)); }
    static std::uint64_t number_of(const Message& reply) { return read_control_reply(reply).value.request; }

    Later writes_, answers_;
    PointColumns asked_;
    std::vector<GroupId> groups_;
};

TEST_F(Questions, AnswerUsesStateAtRequest) {
    const Message expected = at_once(4);
    ask_together(4);
    EXPECT_EQ(answers_.size(), 1U);
    EXPECT_TRUE(service_->answering());
    for (std::uint64_t number = 11; number <= 20; ++number) {
        const auto reply = send(*service_, batch("p", 1, number));
        EXPECT_EQ(std::get<wire::Ack>(reply.value.body).sequence, number);
    }
    service_->handle_control("controller", control(5, KnobChange{"fair", "balance_at_least", "0"}), 0);
    service_->commit();
    EXPECT_EQ(number_of(released()), 5U) << "nobody has answered the question";
    EXPECT_EQ(answers_.size(), 1U);
    answers_.run_next();
    EXPECT_FALSE(service_->answering());
    EXPECT_EQ(released(), expected);
    EXPECT_NE(at_once(4), expected) << "the state is another one by now";
}

TEST_F(Questions, AnswerWaitsForEarlierEvents) {
    take_in(11);
    ask_together(1);
    answers_.run_next();
    EXPECT_TRUE(released().empty()) << "event 11 is not on disk";
    service_->commit();
    EXPECT_EQ(number_of(released()), 1U);
}

TEST_F(Questions, AnswerWaitsForRunningCommit) {
    take_in(11);
    service_->begin_commit({});
    ask_together(1);
    take_in(12);
    answers_.run_next();
    EXPECT_TRUE(released().empty()) << "event 11 is not on disk";
    writes_.run_all();
    service_->finish_commit();
    const Outbox out = take(*service_);
    ASSERT_EQ(out.control.size(), 1U);
    EXPECT_EQ(number_of(copied(out.control[0].message.view())), 1U);
    EXPECT_EQ(out.ingest.size(), 1U) << "event 12 waits";
}

TEST_F(Questions, LateAnswerIsReleasedAtOnce) {
    take_in(11);
    service_->begin_commit({});
    ask_together(1);
    writes_.run_all();
    service_->finish_commit();
    take_in(12);
    service_->begin_commit({});
    EXPECT_TRUE(released().empty());
    answers_.run_next();
    EXPECT_EQ(number_of(released()), 1U) << "events after the question do not matter";
    writes_.run_all();
}

TEST_F(Questions, SecondQuestionIsAnsweredAtOnce) {
    ask_together(1);
    ask_together(2, "other");
    EXPECT_EQ(answers_.size(), 1U);
    const Outbox out = take(*service_);
    ASSERT_EQ(out.control.size(), 1U);
    EXPECT_EQ(out.control[0].client, "other");
    answers_.run_next();
    ask_together(3, "other");
    EXPECT_EQ(answers_.size(), 1U) << "the first one is answered, and a new one may be asked";
    EXPECT_EQ(number_of(released()), 1U);
}

TEST_F(Questions, EndedAnswerIsRefused) {
    service_->end_answer(Reason::oversized, "nothing is being answered");
    ask_together(1);
    service_->end_answer(Reason::oversized, "that is too long");
    answers_.run_next();
    const auto reply = read_control_reply(released());
    EXPECT_EQ(reply.value.request, 1U);
    EXPECT_EQ(std::get<wire::Nack>(reply.value.body).reason, Reason::oversized);
    EXPECT_EQ(std::get<wire::Nack>(reply.value.body).text, "that is too long");
    ask_together(2);
    answers_.run_next();
    EXPECT_TRUE(std::holds_alternative<wire::Assigned>(read_control_reply(released()).value.body));
}

TEST_F(Questions, BadQuestionIsRefused) {
    service_->handle_control("asker", control(1, wire::AssignRequest{"nobody", asked_.features, {}}), 0);
    EXPECT_EQ(std::get<wire::Nack>(read_control_reply(released()).value.body).reason, Reason::unknown_model);
    const std::vector<float> part(4);
    service_->handle_control("asker", control(2, wire::AssignRequest{"fair", part, {}}), 0);
    answers_.run_next();
    EXPECT_EQ(std::get<wire::Nack>(read_control_reply(released()).value.body).reason, Reason::wrong_shape);
    ask_together(3);
    service_.reset();
    answers_.run_next();
}

TEST_F(Questions, CreditIsSmallerLimit) {
    const auto credit = [&](std::uint64_t number, std::uint32_t allowed) {
        service_->handle_ingest("sender", batch("p", 1, number), {}, allowed);
        service_->commit();
        const Outbox out = take(*service_);
        return read_ingest_reply(out.ingest.at(0).message.view()).value.credit;
    };
    EXPECT_EQ(credit(11, 5), 5U);
    EXPECT_EQ(credit(12, 1000), 64U);
    EXPECT_EQ(credit(13, 0), 1U) << "a producer must be able to go on";
    EXPECT_EQ(credit(13, 7), 7U) << "a duplicate";
}

}  // namespace
}  // namespace fairstream::service
