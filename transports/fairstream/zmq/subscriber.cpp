#include <fairstream/zmq/subscriber.hpp>

#include <string>
#include <utility>

#include <fairstream/zmq/detail/subscription.hpp>

namespace fairstream::zmq {
namespace {

std::string topic_if(bool followed, const char* kind, const SubscriberOptions& options) {
    return followed ? std::string(kind) + "." + options.model : "";
}

template <class T> constexpr const char* topic_of = "labels";
template <> constexpr const char* topic_of<Score> = "scores";
template <> constexpr const char* topic_of<wire::Memberships> = "memberships";

}  // namespace

template <class T> struct Subscriber<T>::Impl : Subscription<T, FairnessUpdate, ClusterUpdate, FrontUpdate> {
    static constexpr bool is_of_scores = std::same_as<T, Score>;

    explicit Impl(const SubscriberOptions& o)
        : Subscription<T, FairnessUpdate, ClusterUpdate, FrontUpdate>(
              o, topic_of<T>, {.topic = topic_if(o.fairness, "fairness", o)},
              {.topic = topic_if(o.clusters, "clusters", o), .of_some = is_of_scores},
              {.topic = topic_if(o.front, "front", o), .of_some = true}) {}
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

template class Subscriber<ClusterId>;
template class Subscriber<Score>;
template class Subscriber<wire::Memberships>;

}  // namespace fairstream::zmq
