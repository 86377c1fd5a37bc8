#include <fairstream/zmq/score_subscriber.hpp>

#include <utility>

#include <fairstream/zmq/detail/subscription.hpp>

namespace fairstream::zmq {

struct ScoreSubscriber::Impl : Subscription<Score, ScoreFairnessUpdate> {
    explicit Impl(ScoreSubscriberOptions o)
        : Subscription(o, "scores", {.topic = o.fairness ? "fairness." + o.model : ""}) {}
};

ScoreSubscriber::ScoreSubscriber(ScoreSubscriberOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
ScoreSubscriber::~ScoreSubscriber() = default;
ScoreSubscriber::ScoreSubscriber(ScoreSubscriber&&) noexcept = default;
ScoreSubscriber& ScoreSubscriber::operator=(ScoreSubscriber&&) noexcept = default;

std::vector<ScoreSubscriberEvent> ScoreSubscriber::poll(std::chrono::milliseconds timeout) {
    return impl_->poll(timeout);
}

const ScoreMap& ScoreSubscriber::scores() const noexcept {
    return impl_->view().outputs();
}
Sequence ScoreSubscriber::sequence() const noexcept {
    return impl_->view().sequence();
}
std::uint64_t ScoreSubscriber::topic_sequence() const noexcept {
    return impl_->view().topic_sequence();
}
bool ScoreSubscriber::consistent() const noexcept {
    return impl_->consistent();
}
const std::optional<wire::RecordingId>& ScoreSubscriber::recording() const noexcept {
    return impl_->view().recording();
}
const std::optional<ScoreFairnessUpdate>& ScoreSubscriber::fairness() const noexcept {
    return impl_->newest<ScoreFairnessUpdate>();
}
SubscriberStatistics ScoreSubscriber::statistics() const noexcept {
    return impl_->statistics();
}

}  // namespace fairstream::zmq
