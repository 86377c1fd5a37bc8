/// Running hashes in answers and publications, and the answer to a client with another hash.

#include <filesystem>

#include <fairstream/zmq/point_view.hpp>
#include <fairstream/zmq/producer_window.hpp>

#include "service/fixture.hpp"
#include "support/names.hpp"

namespace fairstream::service {
namespace {

using test::Names;
using testing::ElementsAre;
using testing::HasSubstr;
using wire::Ack;
using wire::Done;
using wire::KnownRequest;
using wire::Nack;
using wire::Welcome;

class History : public ServiceTest {
protected:
    [[nodiscard]] wire::KnownEvent known(Sequence event, std::uint64_t hash) const {
        return {service_->id(), event, hash};
    }
    [[nodiscard]] Message hello_of(const std::string& producer, Sequence event, std::uint64_t hash) const {
        wire::Encoder encoder;
        return copied(wire::write(wire::IngestRequest{wire::Hello{producer, 1, 0, known(event, hash)}}, encoder));
    }
    [[nodiscard]] std::uint64_t hash() const { return service_->recording().running_hash().value(); }
    template <class Body> Body answer(const Message& message) {
        const auto reply = send(*service_, message);
        EXPECT_TRUE(std::holds_alternative<Body>(reply.value.body)) << reply.value.body.index();
        return std::get<Body>(reply.value.body);
    }
    /// Takes in `count` batches of "p", and keeps the running hash after each.
    void grow(std::uint64_t count) {
        for (; count > 0; --count) hashes_.push_back(answer<Ack>(batch("p", 1, hashes_.size())).running_hash);
    }
    /// Closes the recording, and replaces it by an earlier copy of the file.
    void go_back_to(const std::filesystem::path& copy) {
        service_.reset();
        std::filesystem::copy_file(copy, path_, std::filesystem::copy_options::overwrite_existing);
    }
    [[nodiscard]] std::filesystem::path copy_of_closed() {
        service_.reset();
        auto copy = directory_ / "copy";
        std::filesystem::copy_file(path_, copy);
        return copy;
    }

    std::vector<std::uint64_t> hashes_{0};  // after event n
};

TEST_F(History, AckCarriesRunningHash) {
    begin();
    grow(5);
    EXPECT_EQ(hashes_.back(), hash());
    for (Sequence event = 1; event <= 5; ++event)
        EXPECT_EQ(answer<Ack>(batch("p", 1, event)).running_hash, hashes_[event]);
    reopen();
    EXPECT_EQ(hashes_.back(), hash());
    for (Sequence event = 1; event <= 5; ++event)
        EXPECT_EQ(answer<Ack>(batch("p", 1, event)).running_hash, hashes_[event]);
    EXPECT_EQ(service_->health(0).running_hash, hashes_.back());
}

TEST_F(History, PublicationsChainHashes) {
    begin({.checkpoint_events = 4});
    std::map<std::string, std::uint64_t> newest;
    const auto follow = [&](const Outbox& out) {
        for (const Outgoing& each : out.publications) {
            const wire::Publication publication = read_publication(each.message.view()).value;
            EXPECT_EQ(publication.previous_hash, newest[publication.topic]) << publication.topic;
            EXPECT_EQ(publication.running_hash, hash());
            newest[publication.topic] = publication.running_hash;
        }
    };
    for (std::uint64_t number = 1; number <= 30; ++number) {
        if (number % 7 == 0) reopen({.checkpoint_events = 4});
        service_->handle_ingest("p", batch("p", 1, number));
        service_->commit();
        follow(take(*service_));
    }
    EXPECT_GE(newest.size(), 6U);
}

TEST_F(History, SnapshotsCarryTopicHash) {
    begin();
    grow(6);
    const std::uint64_t published = hashes_.back();
    // An event without a publication on any topic of this model.
    ASSERT_TRUE(std::holds_alternative<Done>(ask(*service_, Refinement{"plain", 1}).value.body));
    const auto reply = ask(*service_, wire::SnapshotRequest{"labels.fair"});
    const auto& snapshot = std::get<wire::Publication>(reply.value.body);
    EXPECT_EQ(snapshot.sequence, 7U);
    EXPECT_EQ(snapshot.running_hash, hash());
    EXPECT_EQ(snapshot.previous_hash, published);
    service_->publish_status();
    const Outbox out = take(*service_);
    const wire::Publication status = read_publication(out.publications.back().message.view()).value;
    EXPECT_EQ(status.running_hash, hash());
    for (const wire::TopicMark& mark : std::get<wire::Status>(status.body).topics) {
        if (mark.topic.ends_with(".fair")) {
            EXPECT_EQ(mark.running_hash, published);
        } else if (mark.topic.ends_with(".plain")) {
            EXPECT_EQ(mark.running_hash, hash());
        }
    }
}

TEST_F(History, KnownEventsAreConfirmed) {
    begin();
    grow(6);
    for (Sequence event = 1; event <= 6; ++event) {
        EXPECT_EQ(answer<Welcome>(hello_of("q", event, hashes_[event])).known_sequence, event);
        EXPECT_TRUE(
            std::holds_alternative<Done>(ask(*service_, KnownRequest{known(event, hashes_[event])}).value.body));
    }
    EXPECT_EQ(answer<Welcome>(hello_of("q", 0, 0)).known_sequence, 0U);
    EXPECT_EQ(answer<Welcome>(hello_of("q", 100, 0)).known_sequence, 100U) << "of which no hash is known";
    EXPECT_EQ(service_->counters().lost_events, 0U);
}

TEST_F(History, OfAnotherRecordingNothingIsSaid) {
    begin();
    grow(2);
    wire::KnownEvent other = known(9, 1);
    other.recording[0] ^= std::byte{1};
    EXPECT_EQ(std::get<Nack>(ask(*service_, KnownRequest{other}).value.body).reason, Reason::bad_state);
    EXPECT_EQ(service_->counters().lost_events, 0U);
}

TEST_F(History, LossIsReportedToClientAndOperator) {
    std::vector<std::string> warnings;
    const Settings settings{.warn = [&](const std::string& text) { warnings.push_back(text); }};
    begin();
    grow(4);
    const auto copy = copy_of_closed();
    reopen();
    grow(4);
    go_back_to(copy);
    reopen(settings);
    const Nack beyond = answer<Nack>(hello_of("p", 8, hashes_[8]));
    EXPECT_EQ(beyond.reason, Reason::lost_events);
    EXPECT_EQ(beyond.producer_sequence, 0U);
    EXPECT_THAT(beyond.text, Names({"'p'", "event 8", "event 4"}));
    EXPECT_EQ(answer<Welcome>(hello_of("p", 4, hashes_[4])).next_producer_sequence, 5U);
    // It continues with other events, beyond the missing ones.
    for (std::uint64_t number = 5; number <= 9; ++number) answer<Ack>(batch("q", 1, number - 4));
    const auto reply = ask(*service_, KnownRequest{known(8, hashes_[8])});
    EXPECT_EQ(std::get<Nack>(reply.value.body).reason, Reason::lost_events);
    EXPECT_THAT(std::get<Nack>(reply.value.body).text, ::testing::HasSubstr("differ"));
    EXPECT_EQ(service_->counters().lost_events, 2U);
    EXPECT_THAT(warnings, ElementsAre(HasSubstr("event 8"), HasSubstr("event 8")));
}

TEST_F(History, ManyClaimsDoNotFloodLog) {
    std::vector<std::string> warnings;
    begin({.warn = [&](const std::string& text) { warnings.push_back(text); }});
    for (int claim = 0; claim < 300; ++claim) {
        const Nack nack = answer<Nack>(hello_of("x'\nerror\x1b[2J", 1'000'000'000, 1));
        EXPECT_EQ(nack.reason, Reason::lost_events);
    }
    EXPECT_EQ(service_->counters().lost_events, 300U);
    ASSERT_EQ(warnings.size(), 102U) << "the first hundred, 128 and 256";
    EXPECT_THAT(warnings.front(), Names({"'x'\\x0aerror\\x1b[2J'", "event 1000000000"}));
    EXPECT_THAT(warnings.back(), ::testing::HasSubstr("256"));
}

TEST_F(History, ProducerDetectsForeignLoss) {
    using zmq::ProducerWindow;
    begin();
    std::vector<zmq::Refused> refused;
    const auto now = ProducerWindow::Time{};
    ProducerWindow window({}, {}, now, {1});
    std::vector<Message> kept;
    const auto transmit = [&] {
        for (auto step = window.next(now); step.action != ProducerWindow::Action::none; step = window.next(now)) {
            wire::Encoder encoder;
            const bool event = step.action == ProducerWindow::Action::event;
            service_->handle_ingest("p", event ? kept[step.producer_sequence - 1]
                                               : copied(wire::write(wire::IngestRequest{window.hello("p")}, encoder)));
            window.done(step, now);
            service_->commit();
            for (const Reply& each : take(*service_).ingest)
                window.on_reply(read_ingest_reply(each.message.view()).value, now, refused);
        }
    };
    const auto produce = [&] {
        kept.push_back(batch("p", 1, window.next_number()));
        window.add(kept.back().size(), now);
        transmit();
    };
    transmit();
    produce();
    const auto copy = copy_of_closed();
    reopen();
    answer<Ack>(batch("q", 1, 1));  // which will be missing
    produce();
    EXPECT_EQ(window.unanswered(), 0U);
    ASSERT_FALSE(window.failure()) << window.failure()->what();
    EXPECT_EQ(window.statistics().last_sequence, 3U);
    go_back_to(copy);
    reopen();
    // Its own second event again, so that its numbers fit; the other producer's event is missing.
    answer<Ack>(kept[1]);
    produce();
    ASSERT_TRUE(window.failure());
    EXPECT_EQ(window.failure()->fault(), zmq::ProducerFault::lost_events);
    EXPECT_THAT(window.failure()->what(), ::testing::HasSubstr("event 3"));
}

}  // namespace
}  // namespace fairstream::service
