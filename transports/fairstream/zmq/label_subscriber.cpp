#include <fairstream/zmq/label_subscriber.hpp>

#include <utility>

#include <fairstream/zmq/detail/subscription.hpp>

namespace fairstream::zmq {

struct LabelSubscriber::Impl : Subscription<ClusterId, FairnessUpdate, ClusterUpdate, FrontUpdate> {
    explicit Impl(LabelSubscriberOptions o)
        : Subscription(o, "labels", {.topic = o.fairness ? "fairness." + o.model : ""},
                       {.topic = o.clusters ? "clusters." + o.model : ""},
                       {.topic = o.front ? "front." + o.model : "", .of_some = true}) {}
};

LabelSubscriber::LabelSubscriber(LabelSubscriberOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
LabelSubscriber::~LabelSubscriber() = default;
LabelSubscriber::LabelSubscriber(LabelSubscriber&&) noexcept = default;
LabelSubscriber& LabelSubscriber::operator=(LabelSubscriber&&) noexcept = default;

std::vector<SubscriberEvent> LabelSubscriber::poll(std::chrono::milliseconds timeout) {
    return impl_->poll(timeout);
}

const LabelMap& LabelSubscriber::labels() const noexcept {
    return impl_->view().outputs();
}
Sequence LabelSubscriber::sequence() const noexcept {
    return impl_->view().sequence();
}
std::uint64_t LabelSubscriber::topic_sequence() const noexcept {
    return impl_->view().topic_sequence();
}
bool LabelSubscriber::consistent() const noexcept {
    return impl_->consistent();
}
const std::optional<wire::RecordingId>& LabelSubscriber::recording() const noexcept {
    return impl_->view().recording();
}
const std::optional<FairnessUpdate>& LabelSubscriber::fairness() const noexcept {
    return impl_->newest<FairnessUpdate>();
}
const std::optional<ClusterUpdate>& LabelSubscriber::clusters() const noexcept {
    return impl_->newest<ClusterUpdate>();
}
const std::optional<FrontUpdate>& LabelSubscriber::front() const noexcept {
    return impl_->newest<FrontUpdate>();
}
SubscriberStatistics LabelSubscriber::statistics() const noexcept {
    return impl_->statistics();
}

}  // namespace fairstream::zmq
