#include <fairstream/service/journal.hpp>

#include <utility>

namespace fairstream::service {

namespace {

// Number of message buffers kept for reuse: enough for a few commits of usual batches.
constexpr std::size_t kept_messages = 256;
constexpr std::size_t kept_message_bytes = std::size_t{256} << 10;

}  // namespace

void Journal::append(EventRecord event, wire::AlignedMessage& message) {
    staged_.emplace_back(Appended{std::move(event), std::move(message)});
    message = {};
    if (spare_.empty()) return;
    message = std::move(spare_.back());
    spare_.pop_back();
}

void Journal::refuse(log::Refusal refusal) {
    staged_.emplace_back(std::move(refusal));
}

void Journal::begin_checkpoint(log::Checkpoint checkpoint) {
    staged_.emplace_back(std::move(checkpoint));
    checkpoint_pending_ = true;
}

void Journal::put(const Appended& appended) {
    const EventRecord& event = appended.event;
    log_->append({.sequence = event.sequence,
                  .producer = event.producer,
                  .mark = event.mark,
                  .message = appended.message.bytes(),
                  .owner = event.owner,
                  .time = event.time,
                  .decisions = event.decisions,
                  .update_digest = event.update_digest,
                  .expiry = event.expiry ? &*event.expiry : nullptr});
}

void Journal::write_staged() {
    for (Entry& entry : writing_) std::visit([&](auto& each) { put(each); }, entry);
    log_->flush();
}

void Journal::recycle() {
    for (Entry& entry : writing_) {
        auto* const event = std::get_if<Appended>(&entry);
        if (event == nullptr || spare_.size() == kept_messages) continue;
        if (event->message.bytes().size() <= kept_message_bytes) spare_.push_back(std::move(event->message));
    }
    writing_.clear();
    checkpoint_pending_ = log_->checkpoint_pending();
}

void Journal::write() {
    std::swap(staged_, writing_);
    write_staged();
    recycle();
}

void Journal::begin_write(const std::function<void()>& done) {
    std::swap(staged_, writing_);
    thread_.begin([this] { write_staged(); }, done);
}

void Journal::finish_write() {
    thread_.finish();
    recycle();
}

}  // namespace fairstream::service
