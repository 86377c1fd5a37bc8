#include <fairstream/zmq/producer_window.hpp>

#include <algorithm>
#include <limits>
#include <utility>

#include <fairstream/base/refuse_option.hpp>

namespace fairstream::zmq {

namespace {

/// Number of successive Welcomes that lack answered events, after which these events count as lost. A single such
/// Welcome may have been overtaken, in ZeroMQ or on the way, by answers to events sent after its Hello.
constexpr int lacking_welcomes_until_lost = 3;

void check(const ProducerWindow::Limits& limits, const ProducerTiming& timing) {
    require_at_least("limits.messages", limits.messages, 1);
    require_at_least("answer_timeout", timing.answer_timeout.count(), 1, " ms");
    require_at_least("hello_interval", timing.hello_interval.count(), 1, " ms");
    require_at_least("hello_interval_max", timing.hello_interval_max.count(), timing.hello_interval.count(), " ms");
}

}  // namespace

ProducerWindow::ProducerWindow(const Limits& limits, const ProducerTiming& timing, Time now, const ProducerEpoch& epoch)
    : limits_(limits),
      timing_(timing),
      epoch_(epoch),
      progress_at_(now),
      hello_due_(now),
      hello_interval_(timing.hello_interval) {
    check(limits, timing);
}

wire::Hello ProducerWindow::hello(const std::string& producer) const {
    return {.producer = producer,
            .epoch = epoch_.value,
            .refused_up_to = statistics_.acked == 0 ? first_ - 1 : 0,
            .known = known_};
}

bool ProducerWindow::has_room(std::size_t bytes) const noexcept {
    if (entries_.empty()) return true;
    return entries_.size() < limits_.messages && bytes_ <= limits_.bytes && bytes <= limits_.bytes - bytes_;
}

void ProducerWindow::add(std::size_t bytes, Time now) {
    if (entries_.empty()) progress_at_ = now;
    entries_.push_back({.bytes = bytes, .answered = false});
    bytes_ += bytes;
    ++statistics_.accepted;
}

ProducerWindow::Step ProducerWindow::next(Time now) const noexcept {
    if (failure_) return {};
    if (phase_ == Phase::asking) {
        if (now < hello_due_) return {};
        return {.action = unanswered_hellos_ == 0 ? Action::hello : Action::reconnect, .producer_sequence = 0};
    }
    if (!entries_.empty() && now >= progress_at_ + timing_.answer_timeout) {
        return {.action = Action::hello, .producer_sequence = 0};
    }
    if (cursor_ < entries_.size() && cursor_ < credit_) {
        return {.action = Action::event, .producer_sequence = first_ + cursor_};
    }
    return {};
}

void ProducerWindow::done(const Step& step, Time now) {
    if (step.action == Action::none) return;
    if (step.action == Action::event) {
        if (cursor_ == 0) progress_at_ = now;
        ++statistics_.sent;
        statistics_.resent += step.producer_sequence <= transmitted_;
        transmitted_ = std::max(transmitted_, step.producer_sequence);
        rewind(cursor_ + 1);
        return;
    }
    ++statistics_.hellos;
    ++unanswered_hellos_;
    phase_ = Phase::asking;
    hello_due_ = now + hello_interval_;
    hello_interval_ = std::min(2 * hello_interval_, timing_.hello_interval_max);
}

ProducerWindow::Time ProducerWindow::due() const noexcept {
    if (failure_) return Time::max();
    if (phase_ == Phase::asking) return hello_due_;
    return entries_.empty() ? Time::max() : progress_at_ + timing_.answer_timeout;
}

void ProducerWindow::on_reply(const wire::IngestReply& reply, Time now, std::vector<Refused>& refused) {
    if (failure_) return;
    if (!recording_) recording_ = reply.recording;
    if (*recording_ != reply.recording) {
        return fail(ProducerFault::other_recording,
                    "the engine at the endpoint now has another recording, which lacks the events sent before: to "
                    "record them there too, send everything again");
    }
    credit_ = reply.credit;
    if (const auto* welcome = std::get_if<wire::Welcome>(&reply.body)) {
        on(*welcome, now);
        if (welcome->known_sequence == (known_ ? known_->sequence : 0)) confirm(reply.life);
    } else if (const auto* ack = std::get_if<wire::Ack>(&reply.body)) {
        on(*ack, reply.life, now);
    } else if (const auto* nack = std::get_if<wire::Nack>(&reply.body)) {
        on(*nack, now, refused);
    } else {
        return on_ending(now);
    }
    // The engine restarted: a Hello asks whether it still has the known event.
    if (phase_ == Phase::open && reply.life != life_) schedule_hello(now);
}

/// Events acked by a new life of the engine are kept apart, since they do not confirm events acked by the life before.
void ProducerWindow::on(const wire::Ack& ack, std::uint64_t life, Time now) {
    if (!answer(ack.producer_sequence, now)) return;
    ++statistics_.acked;
    statistics_.last_sequence = std::max(statistics_.last_sequence, ack.sequence);
    statistics_.counts += ack.counts;
    if (ack.late_points > 0) {
        statistics_.late_points += ack.late_points;
        statistics_.late_before = std::max(ack.late_before, statistics_.late_before.value_or(ack.late_before));
    }
    if (ack.running_hash == 0) return;
    if (life != life_ && life != next_life_) {
        next_life_ = life;
        next_known_.reset();
    }
    auto& known = life == life_ ? known_ : next_known_;
    if (!known || known->sequence < ack.sequence) known = {*recording_, ack.sequence, ack.running_hash};
}

void ProducerWindow::confirm(std::uint64_t life) {
    const bool newer = next_known_ && (!known_ || known_->sequence < next_known_->sequence);
    if (life != life_ && life == next_life_ && newer) known_ = next_known_;
    life_ = life;
}

/// Events are sent again once the engine's next process, or another one, has answered a Hello.
void ProducerWindow::on_ending(Time now) {
    engine_ended_ = true;
    schedule_hello(now + hello_interval_);
}

void ProducerWindow::on(const wire::Welcome& welcome, Time now) {
    engine_ended_ = false;
    if (!format_) {
        format_ = welcome.format;
        reader_settings_ = welcome.reader_settings;
        engine_scales_ = welcome.scales;
    }
    if (*format_ != welcome.format) {
        return fail(ProducerFault::other_recording,
                    "the format of the engine's stream has changed: start a new producer");
    }
    if (welcome.next_producer_sequence > transmitted_ + 1) {
        return fail(ProducerFault::foreign_numbers,
                    "the engine expects event " + std::to_string(welcome.next_producer_sequence) + " next, but only " +
                        std::to_string(transmitted_) +
                        " were sent: another process uses this producer's name and epoch");
    }
    message_limit_ = welcome.max_message_bytes;
    window_limits_ = welcome.window_limits;
    for (std::size_t i = 0; message_limit_ > 0 && i < entries_.size(); ++i) {
        if (entries_[i].answered || entries_[i].bytes <= message_limit_) continue;
        return fail(ProducerFault::oversized, "event " + std::to_string(first_ + i) + " has " +
                                                  std::to_string(entries_[i].bytes) +
                                                  " bytes; the engine takes at most " + std::to_string(message_limit_));
    }
    const bool awaited = std::exchange(unanswered_hellos_, 0) > 0;
    hello_interval_ = timing_.hello_interval;
    if (!awaited || phase_ == Phase::open) return;  // one more answer to a repeated Hello
    if (welcome.next_producer_sequence < first_) {
        if (++lacking_welcomes_ < lacking_welcomes_until_lost) return schedule_hello(now + hello_interval_);
        return fail(ProducerFault::lost_events,
                    "the engine expects event " + std::to_string(welcome.next_producer_sequence) +
                        " next: its recording lost events, because the engine had answered all events before number " +
                        std::to_string(first_));
    }
    lacking_welcomes_ = 0;
    phase_ = Phase::open;
    progress_at_ = now;
    rewound_to_ = 0;
    rewind(0);
}

void ProducerWindow::on(const wire::Nack& nack, Time now, std::vector<Refused>& refused) {
    if (nack.reason == Reason::stale_epoch) return on_stale_epoch(nack, now);
    if (nack.reason == Reason::sequence_gap) return on_gap(nack, now);
    if (nack.reason == Reason::lost_events) return fail(ProducerFault::lost_events, nack.text);
    if (nack.reason == Reason::ahead_of_clock) return fail(ProducerFault::ahead_of_clock, nack.text);
    if (nack.producer_sequence == 0) {
        return fail(ProducerFault::rejected, "the engine refuses this producer: " + nack.text);
    }
    if (!answer(nack.producer_sequence, now)) return;
    ++statistics_.refused;
    refused.push_back({nack.producer_sequence, nack.reason, nack.text});
}

/// A clock that was set back gives a new life an epoch below earlier epochs. That life has sent no event yet, so it may
/// choose another.
void ProducerWindow::on_stale_epoch(const wire::Nack& nack, Time now) {
    constexpr std::uint64_t last = std::numeric_limits<std::uint64_t>::max();
    const bool may_change = epoch_.may_rise && !format_ && nack.newest_epoch != 0 && nack.newest_epoch != last;
    if (!may_change)
        return fail(ProducerFault::stale_epoch,
                    "another process now sends under this producer's name (each process needs a different name), or "
                    "this process was silent for so long that the engine forgot it: " +
                        nack.text);
    if (nack.newest_epoch < epoch_.value) return;  // answers a Hello with the earlier epoch
    epoch_.value = nack.newest_epoch + 1;
    unanswered_hellos_ = 0;
    hello_interval_ = timing_.hello_interval;
    hello_due_ = now;
}

/// Every event in flight after a lost one is answered by the same gap; one rewind sends them all again. If the repeated
/// events are lost, too, the answer timeout ends the session.
void ProducerWindow::on_gap(const wire::Nack& nack, Time now) {
    const std::uint64_t expected = nack.next_producer_sequence;
    if (phase_ == Phase::asking || expected == rewound_to_) return;
    // A Welcome will tell whether the engine lost events or this answer is an old one.
    if (expected < first_ || expected > transmitted_ || entries_[expected - first_].answered)
        return schedule_hello(now);
    rewound_to_ = expected;
    progress_at_ = now;
    rewind(std::min(cursor_, static_cast<std::size_t>(expected - first_)));
}

bool ProducerWindow::answer(std::uint64_t number, Time now) {
    if (number < first_ || number > transmitted_ || entries_[number - first_].answered) {
        ++statistics_.repeated;
        return false;
    }
    entries_[number - first_].answered = true;
    ++answered_;
    progress_at_ = now;
    if (unanswered_hellos_ > 0) hello_due_ = now + hello_interval_;  // the connection works: the Hello is in the queue
    lacking_welcomes_ = 0;
    while (!entries_.empty() && entries_.front().answered) {
        bytes_ -= entries_.front().bytes;
        entries_.pop_front();
        ++first_;
        --answered_;
        cursor_ -= cursor_ > 0;
    }
    rewind(cursor_);
    return true;
}

void ProducerWindow::rewind(std::size_t position) {
    cursor_ = position;
    while (cursor_ < entries_.size() && entries_[cursor_].answered) ++cursor_;
}

void ProducerWindow::schedule_hello(Time when) {
    phase_ = Phase::asking;
    hello_due_ = when;
}

void ProducerWindow::fail(ProducerFault fault, const std::string& what) {
    failure_.emplace(fault, what);
}

}  // namespace fairstream::zmq
