#include "simulation/ledger.hpp"

#include <algorithm>

#include <fairstream/service/recorded_events.hpp>
#include <fairstream/service/topics.hpp>

namespace fairstream::simulation {
namespace {

std::uint64_t mixed(std::uint64_t value) {
    value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9;
    value = (value ^ (value >> 27U)) * 0x94d049bb133111eb;
    return value ^ (value >> 31U);
}

std::string name_of(const std::string& producer, std::uint64_t epoch, std::uint64_t number) {
    return "event " + std::to_string(number) + " of " + producer + ", epoch " + std::to_string(epoch);
}

bool equal(const Message& kept, std::span<const std::byte> bytes) {
    return std::ranges::equal(kept, bytes);
}

}  // namespace

std::uint64_t digest(const zmq::PointMap<ClusterId>& view) {
    std::uint64_t sum = view.size();
    for (const auto& [id, label] : view) sum += mixed(mixed(id) + static_cast<std::uint64_t>(label) + 1);
    return sum;
}

void Ledger::problem(std::string what) {
    constexpr std::size_t enough = 20;
    if (problems_.size() < enough) problems_.push_back(std::move(what));
}

std::uint64_t Ledger::published() const {
    std::uint64_t sum = 0;
    for (const auto& [topic, publications] : published_) sum += publications.size();
    return sum;
}

void Ledger::on_sent(const std::string& producer, std::uint64_t epoch, std::uint64_t number, PointId tag, bool is_bad) {
    sent_[{producer, epoch, number}] = {tag, is_bad};
}

void Ledger::on_reply(const wire::IngestReply& reply, const std::string& producer, std::uint64_t epoch) {
    const auto* const ack = std::get_if<wire::Ack>(&reply.body);
    if (ack == nullptr) return;
    const std::string name = name_of(producer, epoch, ack->producer_sequence);
    const Mark mark{producer, epoch, ack->producer_sequence};
    const auto sent = sent_.find(mark);
    if (sent == sent_.end()) return problem(name + " was acked and never sent");
    if (sent->second.is_bad) problem(name + " was acked, and had to be refused");
    const auto [known, fresh] = acked_.emplace(mark, ack->sequence);
    if (!fresh && !damaged_ && known->second != ack->sequence)
        problem(name + " was acked as " + std::to_string(known->second) + " and as " + std::to_string(ack->sequence));
    durable_ = std::max(durable_, ack->sequence);
}

void Ledger::on_done(Sequence sequence) {
    durable_ = std::max(durable_, sequence);
}

void Ledger::on_refused(const std::string& producer, std::uint64_t epoch, std::uint64_t number) {
    const auto sent = sent_.find({producer, epoch, number});
    if (sent == sent_.end() || !sent->second.is_bad)
        problem(name_of(producer, epoch, number) + " was refused, and is a good one");
}

void Ledger::on_publication(const wire::Publication& publication, std::span<const std::byte> bytes) {
    if (publication.topic == "status") return;
    durable_ = std::max(durable_, publication.sequence);
    const auto [at, fresh] =
        published_[publication.topic].try_emplace(publication.topic_sequence, bytes.begin(), bytes.end());
    if (!fresh && !damaged_ && !equal(at->second, bytes))
        problem("publication " + std::to_string(publication.topic_sequence) + " of " + publication.topic + " changed");
}

void Ledger::on_view(const std::string& topic, std::uint64_t topic_sequence, std::uint64_t digest) {
    views_[{topic, topic_sequence}].insert(digest);
}

void Ledger::on_recovery(const log::Log& recording) {
    if (damaged_) {
        lost_events_ = lost_events_ || recording.last_sequence() < durable_;
        return;
    }
    if (recording.last_sequence() < durable_)
        problem("the recording ends with event " + std::to_string(recording.last_sequence()) + ", and event " +
                std::to_string(durable_) + " had been answered");
    // Not by `find_event`, which knows no events of forgotten producers.
    std::map<Mark, Sequence> recorded;
    recording.for_each_event(1, [&](const log::RecordedEvent& event) {
        recorded[{event.producer, event.mark.epoch, event.mark.producer_sequence}] = event.sequence;
        return true;
    });
    for (const auto& [mark, sequence] : acked_) {
        const auto& [producer, epoch, number] = mark;
        const auto found = recorded.find(mark);
        if (found == recorded.end() || found->second != sequence)
            problem(name_of(producer, epoch, number) + " was acked, and is not in the recording");
    }
}

void Ledger::check(const log::Log& recording, const Engine& engine) {
    on_recovery(recording);
    check_events(recording);
    if (!problems_.empty()) return;  // the rest would only repeat it
    Engine oracle(options_, 1);
    check_publications(recording, oracle);
    Engine& running = const_cast<Engine&>(engine);
    if (running.save() != oracle.save()) problem("the engine's state is not that of a replay from the first event");
}

// Checks that every event is recorded once and in its producer's order, that none was unsent or had to be refused, and
// that no batch is there twice.
void Ledger::check_events(const log::Log& recording) {
    std::map<std::string, log::ProducerMark> newest;
    std::set<PointId> tags;
    Sequence expected = 0;
    recording.for_each_event(1, [&](const log::RecordedEvent& event) {
        if (event.sequence != ++expected) problem("event " + std::to_string(expected) + " is missing");
        log::ProducerMark& last = newest[event.producer];
        if (event.mark <= last) problem("events of " + event.producer + " are out of order");
        last = event.mark;
        if (event.producer == service::control_producer) return true;
        const std::string name = name_of(event.producer, event.mark.epoch, event.mark.producer_sequence);
        const auto sent = sent_.find({event.producer, event.mark.epoch, event.mark.producer_sequence});
        if (sent == sent_.end()) problem(name + " is recorded and was never sent");
        const wire::AlignedMessage message{std::span<const std::byte>(event.message)};
        const wire::IngestRequest request = wire::read_ingest_request(message);
        const Event& content = std::get<wire::EventMessage>(request).event;
        const auto* const outcomes = std::get_if<Outcomes>(&content);
        outcomes_ += outcomes != nullptr ? 1 : 0;
        const PointId tag = outcomes != nullptr ? outcomes->ids[0] : std::get<PointBatch>(content).ids[0];
        if (sent != sent_.end() && tag != sent->second.tag) problem(name + " is recorded with another batch");
        if (!tags.insert(tag).second) problem("the batch of " + name + " was taken twice");
        return true;
    });
}

void Ledger::check_publications(const log::Log& recording, Engine& oracle) {
    service::Publisher publisher(recording.id(), options_, {});
    std::vector<service::Outgoing> out;
    std::map<std::string, std::uint64_t> numbers;
    std::map<std::string, test::View> views;
    service::replay_events(recording, oracle, 0, [&](const service::Replayed& replayed) {
        out.clear();
        publisher.publish(oracle, replayed.update, replayed.running_hash, out);
        for (const service::Outgoing& each : out) {
            const std::string topic(each.topic);
            const std::uint64_t number = ++numbers[topic];
            const auto& seen = published_[topic];
            const auto at = seen.find(number);
            if (at != seen.end() && !equal(at->second, each.message.view()))
                problem("publication " + std::to_string(number) + " of " + topic + " is not that of a replay");
            const auto read = test::read_publication(each.message.view());
            const auto* const labels = std::get_if<wire::LabelUpdate>(&read.value.body);
            if (labels == nullptr) continue;
            test::View& view = views[topic];
            test::fold(*labels, view);
            const auto seen_views = views_.find({topic, number});
            if (seen_views == views_.end()) continue;
            zmq::PointMap<ClusterId> map;
            for (const auto& [id, label] : view) map.set(id, label);
            if (seen_views->second != std::set{digest(map)})
                problem("a view of " + topic + " after publication " + std::to_string(number) + " is another one");
        }
    });
    for (const auto& [topic, publications] : published_)
        if (!publications.empty() && publications.rbegin()->first > numbers[topic])
            problem("publication " + std::to_string(publications.rbegin()->first) + " of " + topic +
                    " was sent, and a replay has none");
}

}  // namespace fairstream::simulation
