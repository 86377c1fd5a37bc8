#include <fairstream/service/journal.hpp>

#include <utility>

namespace fairstream::service {

namespace {

// Bounds on message buffers kept for reuse: those of a few commits of usual batches.
constexpr std::size_t kept_messages = 256;
constexpr std::size_t kept_message_bytes = std::size_t{256} << 10;

}  // namespace

void Journal::append(Taken event, wire::AlignedMessage& message) {
    staged_.emplace_back(Appended{std::move(event), std::move(message)});
    message = {};
    if (spare_.empty()) return;
    message = std::move(spare_.back());
    spare_.pop_back();
}

void Journal::refuse(recording::Refusal refusal) {
    staged_.emplace_back(std::move(refusal));
}

void Journal::begin_checkpoint(recording::Checkpoint checkpoint) {
    staged_.emplace_back(std::move(checkpoint));
    checkpoint_pending_ = true;
}

void Journal::put(const Appended& appended) {
    const Taken& event = appended.event;
    recording_.append(event.sequence, event.producer, event.mark, appended.message.bytes(), event.owner, event.time);
    if (!event.decisions.empty()) recording_.attach_decisions(event.sequence, event.decisions);
    recording_.attach_update_digest(event.sequence, event.update_digest);
}

void Journal::write_transaction() {
    for (Entry& entry : transaction_) std::visit([&](auto& each) { put(each); }, entry);
    recording_.commit();
}

void Journal::recycle() {
    for (Entry& entry : transaction_) {
        auto* const event = std::get_if<Appended>(&entry);
        if (event == nullptr || spare_.size() == kept_messages) continue;
        if (event->message.bytes().size() <= kept_message_bytes) spare_.push_back(std::move(event->message));
    }
    transaction_.clear();
    checkpoint_pending_ = recording_.checkpoint_pending();
}

void Journal::write() {
    std::swap(staged_, transaction_);
    write_transaction();
    recycle();
}

void Journal::begin_write(const std::function<void()>& done) {
    std::swap(staged_, transaction_);
    thread_.begin([this] { write_transaction(); }, done);
}

void Journal::finish_write() {
    thread_.finish();
    recycle();
}

}  // namespace fairstream::service
