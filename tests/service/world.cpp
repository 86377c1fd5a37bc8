#include "service/world.hpp"

#include <gtest/gtest.h>

#include <fairstream/config/config.hpp>
#include <fairstream/log/sqlite/recording.hpp>
#include <fairstream/service/recorded_events.hpp>

namespace fairstream::service {

using log::RecordedEvent;
using log::sqlite::Recording;

namespace {

const std::vector<std::string> producers{"a", "b", "the producer with the long name"};

}  // namespace

World::World(std::uint64_t seed, WindowPolicy policy, const Settings& settings)
    : options_(small_options(policy)), settings_(settings), points_(seed) {
    const auto path = directory_ / "stream.fairstream";
    service_ = std::make_unique<Service>(Recording::create(path, config::write_toml(options_)), options_, settings_);
    for (const ModelSetup& model : options_.models) subscribers_.push_back({"labels." + model.name, 0, {}, false});
}

void World::open() {
    service_.reset();
    service_ = std::make_unique<Service>(Recording::open(directory_ / "stream.fairstream"), options_, settings_);
    ASSERT_EQ(service_->engine().sequence(), durable_.events.size());
}

void World::end_and_open_again() {
    const std::uint64_t how = points_.below(4);
    if (how == 0) service_->finish();  // orderly
    if (how == 1) service_->commit();  // before anything is sent
    if (how <= 1) durable_ = now_;
    now_ = durable_;
    // Nothing is kept of a producer whose messages were all refused.
    for (const std::string& producer : producers) {
        const bool known =
            std::ranges::any_of(durable_.events, [&](const Accepted& event) { return event.producer == producer; });
        if (known) continue;
        now_.marks.erase(producer);
        std::erase_if(now_.verdicts, [&](const auto& verdict) { return std::get<0>(verdict.first) == producer; });
        durable_ = now_;
    }
    waiting_.clear();
    open();
    check_ranges();
}

void World::act() {
    const std::string& producer = producers[points_.below(producers.size())];
    const std::uint64_t dice = points_.below(100);
    if (dice < 45) {
        send_batch(producer);
    } else if (dice < 55) {
        send_bad(producer);
    } else if (dice < 65) {
        send_old(producer);
    } else if (dice < 70) {
        send_out_of_order(producer);
    } else if (dice < 73) {
        send_garbage();
    } else if (dice < 75) {
        const ProducerMark mark = now_.marks[producer];
        submit(hello(producer, mark.epoch + 1), {.welcome = 1});
        submit(hello(producer, mark.epoch), {.welcome = mark.producer_sequence + 1});
    } else if (dice < 77) {
        now_.marks[producer] = {now_.marks[producer].epoch + 1 + points_.below(3), 0};  // a new life of the producer
        send_batch(producer);
    } else if (dice < 80) {
        change_a_knob();
    } else if (dice < 95) {
        commit();
    } else {
        end_and_open_again();
    }
}

void World::submit(const Message& message, const Expected& expected) {
    service_->handle_ingest("client " + std::to_string(waiting_.size()), message);
    waiting_.push_back(expected);
    const Outbox out = take(*service_);
    EXPECT_TRUE(out.ingest.empty() && out.control.empty() && out.publications.empty())
        << "something left before the commit";
}

void World::send_batch(const std::string& producer) {
    ProducerMark& mark = now_.marks[producer];
    columns_ = points_.next(1 + points_.below(40));
    const Message message = event(producer, mark.epoch, ++mark.producer_sequence, columns_.view());
    now_.events.push_back({producer, mark, message});
    const Expected ack{.number = mark.producer_sequence, .sequence = now_.events.size()};
    now_.verdicts[{producer, mark.epoch, mark.producer_sequence}] = ack;
    submit(message, ack);
}

std::pair<Event, Reason> World::bad_event() {
    columns_ = points_.next(2 + points_.below(10));
    switch (points_.below(7)) {
        case 0:
            columns_.features[1] = std::numeric_limits<float>::quiet_NaN();
            return {columns_.view(), Reason::bad_feature};
        case 1:
            columns_.features.back() = 2 * feature_limit;
            return {columns_.view(), Reason::bad_feature};
        case 2:
            columns_.ids[1] = columns_.ids[0];
            return {columns_.view(), Reason::repeated_id};
        case 3:
            columns_.groups[0] = 2;
            return {columns_.view(), Reason::unknown_group};
        case 4:
            columns_.ids[1] = no_point;
            return {columns_.view(), Reason::reserved_id};
        case 5:
            columns_.features.pop_back();
            return {columns_.view(), Reason::wrong_shape};
        default:
            return {KnobChange{"nobody", "swaps", "3"}, Reason::unknown_model};
    }
}

void World::send_bad(const std::string& producer) {
    ProducerMark& mark = now_.marks[producer];
    const auto [bad, reason] = bad_event();
    const Message message = event(producer, mark.epoch, ++mark.producer_sequence, bad);
    const Expected nack{.number = mark.producer_sequence, .reason = reason};
    now_.verdicts[{producer, mark.epoch, mark.producer_sequence}] = nack;
    submit(message, nack);
}

void World::send_old(const std::string& producer) {
    const ProducerMark mark = now_.marks[producer];
    if (mark.producer_sequence == 0) return;
    const std::uint64_t number = 1 + points_.below(mark.producer_sequence);
    columns_ = points_.next(1);  // a duplicate is recognised by its number alone
    submit(event(producer, mark.epoch, number, columns_.view()), now_.verdicts.at({producer, mark.epoch, number}));
}

void World::send_out_of_order(const std::string& producer) {
    const ProducerMark mark = now_.marks[producer];
    columns_ = points_.next(1);
    const std::uint64_t gap = mark.producer_sequence + 2 + points_.below(5);
    submit(event(producer, mark.epoch, gap, columns_.view()), {.number = gap, .reason = Reason::sequence_gap});
    submit(event(producer, mark.epoch + 1, 2, columns_.view()), {.number = 2, .reason = Reason::sequence_gap});
    if (mark.epoch == 0 || mark.producer_sequence == 0) return;
    submit(event(producer, mark.epoch - 1, 1, columns_.view()), {.number = 1, .reason = Reason::stale_epoch});
    submit(hello(producer, mark.epoch - 1), {.number = 0, .reason = Reason::stale_epoch});
}

void World::send_garbage() {
    Message garbage(8 * points_.below(40) + (points_.below(2) == 0 ? 0 : points_.below(8)));
    for (std::byte& byte : garbage) byte = static_cast<std::byte>(points_.below(256));
    submit(garbage, {.number = 0, .reason = Reason::malformed});
}

void World::change_a_knob() {
    commit();
    const std::string value = std::to_string(points_.below(30));
    const auto reply = ask(*service_, KnobChange{"fair", "kmeans_updates", value});
    ASSERT_TRUE(std::holds_alternative<wire::Done>(reply.value.body));
    EXPECT_EQ(std::get<wire::Done>(reply.value.body).sequence, now_.events.size() + 1);
    ProducerMark& mark = now_.marks[std::string(control_producer)];
    ++mark.producer_sequence;
    const KnobChange knob{"fair", "kmeans_updates", value};
    now_.events.push_back(
        {std::string(control_producer), mark, event(std::string(control_producer), 0, mark.producer_sequence, knob)});
    durable_ = now_;
    // `ask` took the publications of the change from the outbox; the subscribers and the final check find them in the
    // rings.
}

void World::commit() {
    service_->commit();
    durable_ = now_;
    check_released(take(*service_));
    EXPECT_EQ(service_->recording().last_sequence(), durable_.events.size());
}

void World::check_released(const Outbox& out) {
    ASSERT_EQ(out.ingest.size(), waiting_.size());
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
        const Expected& expected = waiting_[i];
        EXPECT_EQ(out.ingest[i].client, "client " + std::to_string(i));
        const auto reply = read_ingest_reply(out.ingest[i].message.view());
        EXPECT_EQ(reply.value.recording, service_->recording().id());
        if (const auto* const welcome = std::get_if<wire::Welcome>(&reply.value.body)) {
            ASSERT_TRUE(expected.welcome.has_value());
            EXPECT_EQ(welcome->next_producer_sequence, *expected.welcome);
        } else if (const auto* const nack = std::get_if<wire::Nack>(&reply.value.body)) {
            ASSERT_TRUE(expected.reason.has_value()) << nack->text;
            EXPECT_EQ(nack->reason, *expected.reason) << nack->text;
            EXPECT_EQ(nack->producer_sequence, expected.number);
        } else {
            ASSERT_FALSE(expected.reason.has_value() || expected.welcome.has_value());
            EXPECT_EQ(std::get<wire::Ack>(reply.value.body).producer_sequence, expected.number);
            EXPECT_EQ(std::get<wire::Ack>(reply.value.body).sequence, expected.sequence);
        }
    }
    waiting_.clear();
    for (const Outgoing& sent : out.publications) {
        const auto read = read_publication(sent.message.view());
        EXPECT_EQ(read.value.topic, sent.topic);
        const Message bytes = copied(sent.message.view());
        const auto [at, added] = seen_[read.value.topic].emplace(read.value.topic_sequence, bytes);
        EXPECT_EQ(at->second, bytes) << "publication " << read.value.topic_sequence << " of " << sent.topic
                                     << " changed";
        for (Subscriber& subscriber : subscribers_) {
            if (subscriber.topic != sent.topic || points_.below(5) == 0) continue;  // lost on the way
            join_or_repair(subscriber, read.value.topic_sequence - 1);
            if (read.value.topic_sequence != subscriber.at + 1) continue;  // already in the snapshot
            fold(std::get<wire::LabelUpdate>(read.value.body), subscriber.view);
            ++subscriber.at;
        }
    }
}

// Brings a subscriber to publication `last` or further: by a snapshot if it is new, otherwise by the missing range.
void World::join_or_repair(Subscriber& subscriber, std::uint64_t last) {
    if (subscriber.joined && subscriber.at >= last) return;
    const auto reply = subscriber.joined ? ask(*service_, wire::RangeRequest{subscriber.topic, subscriber.at + 1, last})
                                         : ask(*service_, wire::SnapshotRequest{subscriber.topic});
    subscriber.joined = true;
    if (const auto* const snapshot = std::get_if<wire::Publication>(&reply.value.body)) {
        ASSERT_GE(snapshot->topic_sequence, last);
        subscriber.at = snapshot->topic_sequence;
        subscriber.view.clear();
        fold(std::get<wire::LabelUpdate>(snapshot->body), subscriber.view);
        return;
    }
    for (const Bytes bytes : std::get<wire::Publications>(reply.value.body).messages) {
        const auto read = read_publication(bytes);
        ASSERT_EQ(read.value.topic_sequence, ++subscriber.at);
        fold(std::get<wire::LabelUpdate>(read.value.body), subscriber.view);
    }
    ASSERT_EQ(subscriber.at, last);
}

// After a recovery the rings must hold what was published before.
void World::check_ranges() {
    for (auto& [topic, publications] : seen_) {
        for (std::uint64_t first = publications.rbegin()->first; first > 0; first /= 2) {
            const auto reply = ask(*service_, wire::RangeRequest{topic, first, first + 3});
            const auto* const range = std::get_if<wire::Publications>(&reply.value.body);
            if (range == nullptr) break;  // older than the ring: the snapshot is checked by the subscribers
            for (std::uint64_t i = 0; i < range->messages.size(); ++i) {
                const Message bytes = copied(range->messages[i]);
                EXPECT_EQ(publications.emplace(first + i, bytes).first->second, bytes) << topic << ' ' << first + i;
            }
        }
    }
}

void World::check_recorded(Engine& oracle, Publisher& publisher) {
    std::vector<Outgoing> published;
    std::size_t count = 0;
    replay_events(service_->recording(), oracle, 0, [&](const Replayed& replayed) {
        const RecordedEvent& recorded = replayed.event;
        ASSERT_LT(count, durable_.events.size());
        const Accepted& accepted = durable_.events[count++];
        EXPECT_EQ(recorded.producer, accepted.producer);
        EXPECT_EQ(recorded.mark, accepted.mark);
        EXPECT_EQ(recorded.message, accepted.message);
        publisher.publish(oracle, replayed.update, replayed.running_hash, published);
    });
    EXPECT_EQ(count, durable_.events.size());
    std::map<std::string, std::uint64_t> numbers;
    for (const Outgoing& each : published) {
        const std::string topic(each.topic);
        const std::uint64_t number = ++numbers[topic];
        const auto& seen = seen_[topic];
        EXPECT_TRUE(!seen.contains(number) || seen.at(number) == copied(each.message.view())) << topic << ' ' << number;
    }
    for (const auto& [topic, publications] : seen_) {
        EXPECT_TRUE(publications.empty() || publications.rbegin()->first <= numbers[topic]) << topic;
    }
}

void World::finish() {
    commit();
    Engine oracle(options_);
    Publisher publisher(service_->recording().id(), options_, {});
    check_recorded(oracle, publisher);
    for (Subscriber& subscriber : subscribers_) {
        join_or_repair(subscriber, publisher.topic(subscriber.topic).last());
        const std::string model = subscriber.topic.substr(std::string("labels.").size());
        EXPECT_EQ(subscriber.view, view_of(service_->engine(), model)) << model;
        EXPECT_EQ(subscriber.view, view_of(oracle, model)) << model;
    }
    EXPECT_EQ(saved_state(*service_), oracle.save());
    EXPECT_EQ(service_->recording().newest_checkpoint()->topics, publisher.marks());
}

}  // namespace fairstream::service
