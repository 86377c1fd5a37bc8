#include <fairstream/zmq/network_subscriber.hpp>

#include <algorithm>
#include <variant>

#include <fairstream/zmq/detail/subscription.hpp>

namespace fairstream::zmq {

struct NetworkSubscriber::Impl : Subscription<NoOutput, NetworkUpdate> {
    explicit Impl(const SubscriberOptions& options)
        : Subscription<NoOutput, NetworkUpdate>(options, "", {.topic = "network." + options.model}) {}

    std::shared_ptr<const Evaluation> evaluation;
};

NetworkSubscriber::NetworkSubscriber(const SubscriberOptions& options) : impl_(std::make_unique<Impl>(options)) {}
NetworkSubscriber::~NetworkSubscriber() = default;
NetworkSubscriber::NetworkSubscriber(NetworkSubscriber&&) noexcept = default;
NetworkSubscriber& NetworkSubscriber::operator=(NetworkSubscriber&&) noexcept = default;

bool NetworkSubscriber::poll(std::chrono::milliseconds timeout) {
    const Clock::time_point deadline = deadline_after(timeout);
    for (;;) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
        const auto events = impl_->poll(std::max(left, std::chrono::milliseconds(0)));
        const bool changed =
            std::ranges::any_of(events, [](const auto& event) { return std::holds_alternative<NetworkUpdate>(event); });
        if (changed) {
            const Network& network = newest()->report.network;
            impl_->evaluation = network.layers.empty() ? nullptr : std::make_shared<const Evaluation>(network);
            return true;
        }
        if (Clock::now() >= deadline) return false;
    }
}

const std::optional<NetworkUpdate>& NetworkSubscriber::newest() const noexcept {
    return impl_->newest<NetworkUpdate>();
}
std::shared_ptr<const Evaluation> NetworkSubscriber::evaluation() const noexcept {
    return impl_->evaluation;
}
bool NetworkSubscriber::consistent() const noexcept {
    return impl_->consistent();
}
const std::optional<wire::RecordingId>& NetworkSubscriber::recording() const noexcept {
    return impl_->view().recording();
}
const wire::Condition& NetworkSubscriber::condition() const noexcept {
    return impl_->condition();
}
SubscriberStatistics NetworkSubscriber::statistics() const noexcept {
    return impl_->statistics();
}

}  // namespace fairstream::zmq
