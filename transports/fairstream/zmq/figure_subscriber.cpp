#include <fairstream/zmq/figure_subscriber.hpp>

#include <algorithm>

#include <fairstream/zmq/detail/subscription.hpp>

namespace fairstream::zmq {

struct FigureSubscriber::Impl : Subscription<NoView, FairnessUpdate> {
    explicit Impl(const SubscriberOptions& options)
        : Subscription<NoView, FairnessUpdate>(options, "", {.topic = "fairness." + options.model}) {}
};

FigureSubscriber::FigureSubscriber(const SubscriberOptions& options) : impl_(std::make_unique<Impl>(options)) {}
FigureSubscriber::~FigureSubscriber() = default;
FigureSubscriber::FigureSubscriber(FigureSubscriber&&) noexcept = default;
FigureSubscriber& FigureSubscriber::operator=(FigureSubscriber&&) noexcept = default;

auto FigureSubscriber::poll(std::chrono::milliseconds timeout) -> std::vector<Event> {
    std::vector<Event> events;
    for (auto& event : impl_->poll(timeout))
        std::visit(
            [&]<class E>(E& of_kind) {
                if constexpr (!std::same_as<E, NoView::Changes>) events.emplace_back(std::move(of_kind));
            },
            event);
    return events;
}
const std::optional<FairnessUpdate>& FigureSubscriber::fairness() const noexcept {
    return impl_->newest<FairnessUpdate>();
}
Sequence FigureSubscriber::fairness_as_of() const noexcept {
    return impl_->newest_as_of<FairnessUpdate>();
}
Sequence FigureSubscriber::sequence() const noexcept {
    return std::max(impl_->view().sequence(), fairness() ? fairness()->sequence : 0);
}
bool FigureSubscriber::consistent() const noexcept {
    return impl_->consistent();
}
const std::optional<wire::RecordingId>& FigureSubscriber::recording() const noexcept {
    return impl_->view().recording();
}
bool FigureSubscriber::engine_ended() const noexcept {
    return impl_->engine_ended();
}
const wire::Condition& FigureSubscriber::condition() const noexcept {
    return impl_->condition();
}

}  // namespace fairstream::zmq
