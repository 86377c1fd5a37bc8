#include <fairstream/service/service.hpp>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include <fairstream/base/refuse_option.hpp>

namespace fairstream::service {

void check(const Settings& settings) {
    constexpr std::size_t most_ring_bytes = std::size_t{128} << 20;
    require_at_least("credit", settings.credit, 1);
    if (settings.ring.bytes > most_ring_bytes)
        throw InvalidInput(Reason::bad_option, "ring.bytes = " + std::to_string(settings.ring.bytes) +
                                                   ": must be at most " + std::to_string(most_ring_bytes) +
                                                   ", because a range of missed publications is sent as one message");
    require_at_least("checkpoint_events", settings.checkpoint_events, 1);
    require_at_least("checkpoint_bytes", settings.checkpoint_bytes, 1);
    require_at_least("checkpoint_work", settings.checkpoint_work, 1);
    require_at_least("producer_idle_events", settings.producer_idle_events, 1);
    require_at_least("producers", settings.producers, 1);
    require_at_least("ahead_at_most", settings.ahead_at_most, 0);
}

// Runs `action`, which must not stop half-way: any exception from it ends the service.
void Service::run_or_fail(std::string_view what, const std::function<void()>& action) {
    try {
        action();
    } catch (const Interrupted&) {
        interrupted_ = true;
        throw;
    } catch (const std::exception& error) {
        failed_ = true;
        throw ServiceFailure(std::string(what) + " failed: " + error.what());
    }
}

void Service::require_usable() const {
    if (failed_) throw ServiceFailure("the service has failed before: only a recovery can continue");
}

void Service::require_uninterrupted() const {
    require_usable();
    if (interrupted_) throw Interrupted();
}

bool Service::pending() const noexcept {
    return journal_.staged() || !held_.answers.empty() || !held_.publications.empty() || journal_.checkpoint_pending();
}

void Service::commit() {
    require_usable();
    finish_commit(true);
    if (!pending()) return;
    run_or_fail("the commit", [&] {
        board_.note_commit();
        journal_.write();
        ++counters_.commits;
        held_.committed_state = committed_state();
        require_recorded(held_.committed_state);
        release(held_);
        if (checkpoint_due() && !journal_.checkpoint_pending()) begin_checkpoint();
    });
}

void Service::begin_commit(const std::function<void()>& done) {
    require_usable();
    if (committing() || !pending()) return;
    run_or_fail("the commit", [&] {
        held_.committed_state = committed_state();
        if (!journal_.staged() && !journal_.checkpoint_pending()) return release(held_);  // nothing to write
        std::swap(held_, in_flight_);
        board_.note_commit();
        journal_.begin_write([this, done] {
            board_.note_written();
            if (done) done();
        });
    });
}

void Service::finish_commit(bool wait) {
    require_usable();
    if (!committing() || (!wait && !journal_.written())) return;
    run_or_fail("the commit", [&] {
        journal_.finish_write();
        if (check_recording_) require_recording();
        ++counters_.commits;
        require_recorded(in_flight_.committed_state);
        release(in_flight_);
        if (checkpoint_due() && !journal_.checkpoint_pending()) begin_checkpoint();
    });
}

bool Service::checkpoint_due() const noexcept {
    return !interrupted_ && (events_since_checkpoint_ >= settings_.checkpoint_events ||
                             bytes_since_checkpoint_ >= settings_.checkpoint_bytes ||
                             work_since_checkpoint_ >= settings_.checkpoint_work);
}

void Service::release(HeldMessages& held) {
    for (Answer& answer : held.answers) {
        const bool duplicate = answer.message.size() == 0;
        released_.ingest.push_back(
            {std::move(answer.client), duplicate ? answer_again(answer) : std::move(answer.message)});
    }
    held.answers.clear();
    std::ranges::move(held.publications, std::back_inserter(released_.publications));
    held.publications.clear();
    std::ranges::move(held.control, std::back_inserter(released_.control));
    held.control.clear();
    held.control_bytes = 0;
    held.question = false;
    held.committed_state.storage = journal_.log().storage();
    board_.note(held.committed_state);
}

// Returns the commit that an answer given now must wait for: the next one, the running one, or none (null).
Service::HeldMessages* Service::awaited_commit() noexcept {
    if (journal_.staged()) return &held_;
    return committing() ? &in_flight_ : nullptr;
}

CommittedState Service::committed_state() const {
    const std::size_t producers = producers_.size() - (producers_.knows(control_producer) ? 1 : 0);
    return {engine_.sequence(), engine_.window().size(), static_cast<std::uint32_t>(producers),
            refused_before_ + counters_.refused, hashes_.after(engine_.sequence()), condition_of(engine_),
            // An interruption leaves the models half-way through an event.
            interrupted_ ? board_.overview() : std::make_shared<const Overview>(overview())};
}

// Throws unless the recording's running hash equals the answered and published one.
void Service::require_recorded(const CommittedState& committed_state) const {
    const std::optional<std::uint64_t> written = journal_.log().running_hash();
    if (!written || *written == committed_state.running_hash) return;
    throw log::RecordingError("the running hash of event " + std::to_string(committed_state.sequence) +
                              " was written wrongly: it differs from the event that was taken in");
}

void Service::begin_checkpoint() {
    board_.begin(Board::Work::checkpoint, engine_.sequence());
    journal_.begin_checkpoint({engine_.sequence(), engine_.save(), publisher_.marks()});
    board_.end();
    ++counters_.checkpoints;
    checkpointed_ = engine_.sequence();
    events_since_checkpoint_ = 0;
    bytes_since_checkpoint_ = 0;
    work_since_checkpoint_ = 0;
}

void Service::finish() {
    commit();
    run_or_fail("the last checkpoint", [&] {
        if (!interrupted_ && checkpointed_ != engine_.sequence()) begin_checkpoint();
        while (journal_.checkpoint_pending()) journal_.write();
    });
}

void Service::take(Outbox& out) {
    out.clear();
    take_answer();
    std::swap(out, released_);
}

// Checks that nobody deleted or replaced the files; during a commit, postpones the check to its end.
void Service::require_recording() {
    if (committing()) {
        check_recording_ = true;
        return;
    }
    check_recording_ = false;
    run_or_fail("the recording", [&] { journal_.log().require_claim(); });
}

void Service::publish_status() {
    require_recording();
    const wire::Publication status = publisher_.status(engine_, hashes_.after(engine_.sequence()));
    HeldMessages* const awaited = awaited_commit();
    (awaited != nullptr ? awaited->publications : released_.publications)
        .push_back({"status", SharedBytes(wire::write(status, encoder_))});
}

void Service::publish_end() {
    wire::Publication status = publisher_.status(engine_, hashes_.after(engine_.sequence()));
    std::get<wire::Status>(status.body).ending = true;
    released_.publications.push_back({"status", SharedBytes(wire::write(status, encoder_))});
}

void Service::note_steps(const Update& update) {
    work_since_checkpoint_ += update.work;
    for (std::size_t i = 0; i < stepped_at_.size(); ++i)
        if (update.models[i].stepped) stepped_at_[i] = update.sequence;
}

}  // namespace fairstream::service
