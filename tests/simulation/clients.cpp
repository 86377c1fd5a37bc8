#include "simulation/clients.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace fairstream::simulation {

using zmq::ProducerWindow;

SimulatedProducer::SimulatedProducer(Agenda& agenda, Dice& dice, Ledger& ledger, Tags& tags, std::string name,
                                     ProducedStream stream, ToEngine send)
    : agenda_(agenda),
      dice_(dice),
      ledger_(ledger),
      tags_(tags),
      name_(std::move(name)),
      stream_(stream),
      send_(std::move(send)),
      points_(dice.below(std::numeric_limits<std::uint64_t>::max())),
      pause_(dice.between(20ms, 500ms)) {}

void SimulatedProducer::begin() {
    epoch_ += dice_.between(1, 3);
    ++session_;
    window_.emplace(ProducerWindow::Limits{.messages = dice_.between(1, 30), .bytes = std::size_t{1} << 20},
                    zmq::ProducerTiming{}, agenda_.now(), zmq::ProducerEpoch{epoch_});
    kept_.clear();
    first_kept_ = 1;
    pump();
    produce(epoch_);
}

void SimulatedProducer::die() {
    begin();
}

void SimulatedProducer::produce(std::uint64_t life) {
    if (life != epoch_ || !producing_) return;
    if (window_->has_room(0)) {
        const std::uint64_t number = window_->next_number();
        const bool is_of_outcomes = stream_.outcomes_come_later && dice_.chance(0.3);
        kept_.push_back(is_of_outcomes ? next_outcomes(number) : next_points(number));
        window_->add(kept_.back().size(), agenda_.now());
        pump();
    }
    agenda_.after(dice_.between(1ms, 2 * pause_), [this, life] { produce(life); });
}

Message SimulatedProducer::next_points(std::uint64_t number) {
    constexpr float unknown = std::numeric_limits<float>::quiet_NaN();
    PointColumns columns = points_.next(dice_.between(1, 20));
    columns.ids[0] = tags_.next();
    const bool is_bad = dice_.chance(0.05);
    if (is_bad) columns.features[1] = unknown;
    for (std::size_t i = 0; stream_.outcomes_come_later && i < columns.ids.size(); ++i)
        columns.targets.push_back(dice_.chance(0.7) ? unknown : static_cast<float>(dice_.below(2)));
    constexpr std::size_t most_recent = 100;
    recent_.insert(recent_.end(), columns.ids.begin(), columns.ids.end());
    while (recent_.size() > most_recent) recent_.pop_front();
    ledger_.on_sent(name_, epoch_, number, columns.ids[0], is_bad);
    return test::event(name_, epoch_, number, columns.view());
}

/// Sends outcomes of recent points, and of one unknown point, whose id identifies the event.
Message SimulatedProducer::next_outcomes(std::uint64_t number) {
    PointColumns columns;
    columns.ids.push_back(tags_.next());
    for (const PointId id : recent_)
        if (dice_.chance(0.2) && std::ranges::count(columns.ids, id) == 0) columns.ids.push_back(id);
    for (std::size_t i = 0; i < columns.ids.size(); ++i) columns.targets.push_back(static_cast<float>(dice_.below(2)));
    const bool is_bad = dice_.chance(0.05);
    if (is_bad) columns.targets.back() = std::numeric_limits<float>::quiet_NaN();
    ledger_.on_sent(name_, epoch_, number, columns.ids[0], is_bad);
    return test::event(name_, epoch_, number, Outcomes{columns.ids, columns.targets});
}

void SimulatedProducer::pump() {
    for (;;) {
        const ProducerWindow::Step step = window_->next(agenda_.now());
        if (step.action == ProducerWindow::Action::none) break;
        if (step.action == ProducerWindow::Action::reconnect) ++session_;
        if (step.action == ProducerWindow::Action::event)
            send_(client(), kept_[step.producer_sequence - first_kept_]);
        else
            send_(client(), hello());
        window_->done(step, agenda_.now());
    }
    wake_when_due();
}

Message SimulatedProducer::hello() const {
    wire::Encoder encoder;
    return test::copied(wire::write(wire::IngestRequest{window_->hello(name_)}, encoder));
}

void SimulatedProducer::wake_when_due() {
    const Time due = window_->due();
    if (due == Time::max() || (woken_at_ && *woken_at_ <= due && *woken_at_ > agenda_.now())) return;
    woken_at_ = due;
    agenda_.at(std::max(due, agenda_.now() + 1us), [this] { pump(); });
}

void SimulatedProducer::receive(const std::string& client, const Message& message) {
    if (client != this->client()) return;  // of an earlier connection
    const auto read = test::read_ingest_reply(message);
    std::vector<zmq::Refused> refused;
    window_->on_reply(read.value, agenda_.now(), refused);
    for (const zmq::Refused& each : refused) ledger_.on_refused(name_, epoch_, each.producer_sequence);
    if (window_->failure()) {
        const bool lost = window_->failure()->fault() == zmq::ProducerFault::lost_events;
        found_loss_ = found_loss_ || lost;
        if (lost && ledger_.damaged()) return begin();  // also if a refusal is missing, by its number
        // A producer that was idle for long is forgotten, and needs a new epoch.
        if (!stream_.may_expire || window_->failure()->fault() != zmq::ProducerFault::stale_epoch)
            ledger_.problem(name_ + " gave up: " + window_->failure()->what());
        return begin();
    }
    for (; first_kept_ < window_->first_unanswered(); ++first_kept_) kept_.pop_front();
    pump();
}

SimulatedSubscriber::SimulatedSubscriber(Agenda& agenda, Dice& dice, Ledger& ledger, std::string name,
                                         std::string topic, ToEngine ask)
    : agenda_(agenda),
      dice_(dice),
      ledger_(ledger),
      name_(std::move(name)),
      topic_(std::move(topic)),
      ask_(std::move(ask)) {
    begin_anew();
}

void SimulatedSubscriber::begin_anew() {
    view_.emplace(topic_, zmq::ViewLimits{.messages = dice_.between(1, 50)}, 3s);
    pending_.reset();
}

void SimulatedSubscriber::note(const std::vector<zmq::LabelChanges>& changes) {
    if (view_->take_loss() && !ledger_.lost_events()) ledger_.problem(name_ + " found events missing that are there");
    if (!changes.empty() && view_->topic_sequence() > 0)
        ledger_.on_view(topic_, view_->topic_sequence(), digest(view_->outputs()));
    ask();
}

void SimulatedSubscriber::receive_update(const Message& message) {
    const wire::AlignedMessage bytes{std::span<const std::byte>(message)};
    const wire::Publication publication = wire::read_publication(bytes);
    std::vector<zmq::LabelChanges> changes;
    if (publication.topic == "status")
        view_->on_status(publication, agenda_.now());
    else
        view_->on_update(publication, bytes, changes);
    note(changes);
}

void SimulatedSubscriber::receive_reply(const std::string& client, const Message& message) {
    if (client != name_) return;
    const auto read = test::read_control_reply(message);
    if (!pending_ || pending_->request != read.value.request) return;
    pending_.reset();
    std::vector<zmq::LabelChanges> changes;
    if (const auto* const snapshot = std::get_if<wire::Publication>(&read.value.body))
        view_->on_snapshot(*snapshot, changes);
    else if (const auto* const range = std::get_if<wire::Publications>(&read.value.body))
        view_->on_range(*range, changes);
    else if (view_->need() == asked_)
        view_->on_known_answer(!std::holds_alternative<wire::Nack>(read.value.body));
    note(changes);
}

void SimulatedSubscriber::ask() {
    if (pending_ && agenda_.now() < pending_->deadline) return;
    pending_.reset();
    const zmq::ViewNeed need = view_->need();
    if (need.kind == zmq::ViewNeed::Kind::nothing) return;
    pending_ = {++requests_, agenda_.now() + 1s};
    asked_ = need;
    if (need.kind == zmq::ViewNeed::Kind::snapshot)
        ask_(name_, test::control(requests_, wire::SnapshotRequest{topic_}));
    else if (need.kind == zmq::ViewNeed::Kind::known)
        ask_(name_, test::control(requests_, wire::KnownRequest{need.known}));
    else
        ask_(name_, test::control(requests_, wire::RangeRequest{topic_, need.first, need.last}));
    agenda_.at(pending_->deadline, [this] { ask(); });
}

}  // namespace fairstream::simulation
