#include <fairstream/zmq/subscriber.hpp>

#include <algorithm>
#include <string>
#include <utility>

#include <fairstream/zmq/detail/subscription.hpp>

namespace fairstream::zmq {
namespace {

template <class T> constexpr bool is_of_figures = std::same_as<T, NoOutput>;

std::string topic_if(bool followed, const char* kind, const SubscriberOptions& options) {
    return followed ? std::string(kind) + "." + options.model : "";
}

}  // namespace

template <class T> struct Subscriber<T>::Impl : Subscription<T, FairnessUpdate, ClusterUpdate, FrontUpdate> {
    explicit Impl(const SubscriberOptions& o)
        : Subscription<T, FairnessUpdate, ClusterUpdate, FrontUpdate>(
              o, wire::PointOutput<T>::name, {.topic = topic_if(o.fairness || is_of_figures<T>, "fairness", o)},
              {.topic = topic_if(o.clusters && !is_of_figures<T>, "clusters", o),
               .only_some_models = std::same_as<T, Score>},
              {.topic = topic_if(o.front && !is_of_figures<T>, "front", o), .only_some_models = true}) {}
};

template <class T> Subscriber<T>::Subscriber(const SubscriberOptions& options)
    : impl_(std::make_unique<Impl>(options)) {}
template <class T> Subscriber<T>::~Subscriber() = default;
template <class T> Subscriber<T>::Subscriber(Subscriber&&) noexcept = default;
template <class T> Subscriber<T>& Subscriber<T>::operator=(Subscriber&&) noexcept = default;

template <class T> auto Subscriber<T>::poll(std::chrono::milliseconds timeout) -> std::vector<Event> {
    return impl_->poll(timeout);
}

template <class T> std::string_view Subscriber<T>::id_text(PointId id) const noexcept {
    return impl_->view().id_text(id);
}

template <class T> const PointMap<T>& Subscriber<T>::outputs() const noexcept {
    return impl_->view().outputs();
}
template <class T> Sequence Subscriber<T>::sequence() const noexcept {
    if (is_of_figures<T> && fairness()) return std::max(impl_->view().sequence(), fairness()->sequence);
    return impl_->view().sequence();
}
template <class T> std::uint64_t Subscriber<T>::topic_sequence() const noexcept {
    return impl_->view().topic_sequence();
}
template <class T> bool Subscriber<T>::consistent() const noexcept {
    return impl_->consistent();
}
template <class T> const std::optional<wire::RecordingId>& Subscriber<T>::recording() const noexcept {
    return impl_->view().recording();
}
template <class T> const std::optional<FairnessUpdate>& Subscriber<T>::fairness() const noexcept {
    return impl_->template newest<FairnessUpdate>();
}
template <class T> Sequence Subscriber<T>::fairness_as_of() const noexcept {
    return impl_->template newest_as_of<FairnessUpdate>();
}
template <class T> const std::optional<ClusterUpdate>& Subscriber<T>::clusters() const noexcept {
    return impl_->template newest<ClusterUpdate>();
}
template <class T> const std::optional<FrontUpdate>& Subscriber<T>::front() const noexcept {
    return impl_->template newest<FrontUpdate>();
}
template <class T> const wire::Condition& Subscriber<T>::condition() const noexcept {
    return impl_->condition();
}
template <class T> bool Subscriber<T>::engine_ended() const noexcept {
    return impl_->engine_ended();
}
template <class T> SubscriberStatistics Subscriber<T>::statistics() const noexcept {
    return impl_->statistics();
}

#define FAIRSTREAM_INSTANTIATE(T) template class Subscriber<T>;
FAIRSTREAM_EACH_POINT_OUTPUT(FAIRSTREAM_INSTANTIATE)
FAIRSTREAM_INSTANTIATE(NoOutput)
#undef FAIRSTREAM_INSTANTIATE

}  // namespace fairstream::zmq
