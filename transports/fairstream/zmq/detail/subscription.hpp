#pragma once
/// The common part of subscribers: a view of one topic of outputs, and the newest publications of other topics.

#include <algorithm>
#include <array>
#include <chrono>
#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <fairstream/zmq/detail/control_session.hpp>
#include <fairstream/zmq/point_view.hpp>
#include <fairstream/zmq/subscriber_options.hpp>

namespace fairstream::zmq {

/// A topic of which only the newest publication matters.
template <class Update> struct Newest {
    std::string topic;  // empty: not followed
    std::optional<Update> update = {};
    std::optional<wire::RecordingId> recording = {};
    std::uint64_t topic_sequence = 0;
    Sequence as_of = 0;                       // event up to which no newer publication is missing
    bool only_some_models = false;            // only some models have the topic: requested only after a status names it
    bool needs_snapshot = !only_some_models;  // a snapshot is wanted: nothing arrived yet, or the newest was lost

    /// Sets the recording that updates come from; drops figures of another recording.
    void follow(const wire::RecordingId& followed) {
        if (recording && *recording != followed) forget();
        recording = followed;
    }
    void forget() { *this = {.topic = topic, .only_some_models = only_some_models}; }
    /// Keeps `publication` if it is newer than the kept one; returns whether it is.
    bool take(const wire::Publication& publication) {
        const auto* report = std::get_if<decltype(Update::report)>(&publication.body);
        if (!report || publication.topic != topic) return false;
        if (recording && *recording != publication.recording) return false;
        if (update && publication.topic_sequence <= topic_sequence) return false;
        topic_sequence = publication.topic_sequence;
        update = Update{publication.sequence, *report};
        as_of = std::max(as_of, publication.sequence);
        needs_snapshot = false;
        return true;
    }
    void on_status(const wire::Status& status, Sequence sequence) {
        const auto mark = std::ranges::find(status.topics, topic, &wire::TopicMark::topic);
        if (mark == status.topics.end()) return;
        if (mark->topic_sequence > topic_sequence) needs_snapshot = true;
        if (mark->topic_sequence == topic_sequence) as_of = std::max(as_of, sequence);
    }
};

inline constexpr std::chrono::milliseconds shortest_pause{50};
inline constexpr std::chrono::milliseconds longest_pause{5000};

/// Exponential backoff after a missing or useless answer.
class Pause {
public:
    [[nodiscard]] Clock::time_point until() const noexcept { return until_; }
    void longer(Clock::time_point now) noexcept {
        until_ = now + length_;
        length_ = std::min(2 * length_, longest_pause);
    }
    void end() noexcept {
        until_ = {};
        length_ = shortest_pause;
    }

private:
    Clock::time_point until_{};
    std::chrono::milliseconds length_ = shortest_pause;
};

/// An unanswered request, by its number in the session.
struct Pending {
    std::uint64_t request = 0;
    Clock::time_point deadline;
};

/// A view without outputs, for subscribers that only follow figures. It compares each status with the previous status,
/// to find out whether the engine's recording still has the events that earlier statuses named.
class NoView {
public:
    using Changes = ViewChanges<NoOutput>;
    using Need = ViewNeed;

    NoView(const std::string&, const ViewLimits&, std::chrono::milliseconds) {}
    void on_update(const wire::Publication&, const wire::AlignedMessage&, std::vector<Changes>&) {}
    void on_status(const wire::Publication& status, Clock::time_point) {
        const wire::KnownEvent now{status.recording, status.sequence, status.running_hash};
        if (newest_ && newest_->recording != now.recording) forget();
        const bool went_back = newest_ && now.sequence < newest_->sequence;
        const bool is_other = newest_ && now.sequence == newest_->sequence &&
                              now.running_hash != newest_->running_hash && now.running_hash != 0 &&
                              newest_->running_hash != 0;
        if (went_back || is_other) {
            note_loss(newest_->sequence);
        } else if (newest_ && now.sequence > newest_->sequence && newest_->sequence > 0 && !unconfirmed_) {
            unconfirmed_ = newest_;  // other events may have replaced the events named earlier
        }
        newest_ = now;
        recording_ = now.recording;
    }
    void on_snapshot(const wire::Publication&, std::vector<Changes>&) {}
    void on_range(const wire::Publications&, std::vector<Changes>&) {}
    void on_known_answer(bool has_it) {
        if (!has_it && unconfirmed_) note_loss(unconfirmed_->sequence);
        unconfirmed_.reset();
    }
    [[nodiscard]] const PointMap<NoOutput>& outputs() const noexcept { return outputs_; }
    [[nodiscard]] static std::string_view id_text(PointId) noexcept { return {}; }
    [[nodiscard]] static std::uint64_t topic_sequence() noexcept { return 0; }
    [[nodiscard]] bool complete() const noexcept { return newest_.has_value(); }
    [[nodiscard]] Need need() const noexcept {
        return unconfirmed_ ? Need{.kind = Need::Kind::known, .known = *unconfirmed_} : Need{};
    }
    [[nodiscard]] std::optional<Sequence> take_loss() noexcept { return std::exchange(loss_, std::nullopt); }
    [[nodiscard]] Sequence sequence() const noexcept { return newest_ ? newest_->sequence : 0; }
    [[nodiscard]] const std::optional<wire::RecordingId>& recording() const noexcept { return recording_; }
    [[nodiscard]] ViewStatistics statistics() const noexcept { return statistics_; }

private:
    void forget() {
        newest_.reset();
        unconfirmed_.reset();
    }
    void note_loss(Sequence known) {
        loss_ = std::max(loss_.value_or(0), known);
        ++statistics_.losses;
        unconfirmed_.reset();
    }

    PointMap<NoOutput> outputs_;                   // none
    std::optional<wire::KnownEvent> newest_;       // newest event, from the newest status
    std::optional<wire::KnownEvent> unconfirmed_;  // an earlier event to ask the engine about
    std::optional<wire::RecordingId> recording_;
    std::optional<Sequence> loss_;
    ViewStatistics statistics_;
};

/// A view of outputs `T`, or of none, that also follows the topics of `Figures`.
template <class T, class... Figures> class Subscription {
public:
    using View = std::conditional_t<std::same_as<T, NoOutput>, NoView, PointView<T>>;
    using Event = std::variant<typename View::Changes, Figures..., Consistency, LostEvents>;

    /// `figures` with an empty topic are not followed. Throws `InvalidInput` (bad_option) or `SocketError`.
    Subscription(SubscriberOptions options, const std::string& kind, Newest<Figures>... figures)
        : options_(completed(std::move(options))),
          topic_(kind.empty() ? "" : kind + "." + options_.model),
          view_(topic_, options_.kept, options_.liveness),
          control_(options_.context, options_.control_endpoint, options_.security),
          figures_{Followed<Figures>{std::move(figures), {}}...} {
        last_update_at_ = Clock::now();
        open_updates(last_update_at_);
    }

    [[nodiscard]] std::vector<Event> poll(std::chrono::milliseconds timeout) {
        const auto deadline = deadline_after(timeout);
        for (;;) {
            const auto now = Clock::now();
            step(now);
            if (!events_.empty() || now >= deadline) return std::exchange(events_, {});
            std::array items{::zmq::pollitem_t{updates_.handle(), 0, ZMQ_POLLIN, 0}, control_.poll_item()};
            wait(items, std::min(deadline, due(now)));
        }
    }
    [[nodiscard]] const View& view() const noexcept { return view_; }
    [[nodiscard]] bool consistent() const noexcept { return consistent(Clock::now()); }
    /// Returns the newest figures; nothing before the first.
    template <class Update> [[nodiscard]] const std::optional<Update>& newest() const noexcept {
        return std::get<Followed<Update>>(figures_).newest.update;
    }
    /// Returns the event up to which no newer figures are missing.
    template <class Update> [[nodiscard]] Sequence newest_as_of() const noexcept {
        return std::get<Followed<Update>>(figures_).newest.as_of;
    }
    [[nodiscard]] const wire::Condition& condition() const noexcept { return condition_; }
    [[nodiscard]] bool engine_ended() const noexcept { return engine_ended_; }
    [[nodiscard]] SubscriberStatistics statistics() const noexcept {
        SubscriberStatistics out = counts_;
        out.view = view_.statistics();
        out.unreadable += control_.unreadable();
        return out;
    }

private:
    using Need = typename View::Need;
    template <class Update> struct Followed {
        Newest<Update> newest;
        std::optional<Pending> request;
    };

    // Processes arrived messages, and sends requests that are due.
    void step(Clock::time_point now);
    [[nodiscard]] Clock::time_point due(Clock::time_point now) const noexcept;
    void open_updates(Clock::time_point now);
    void receive_updates();
    void on_publication(const std::string& topic);
    void on_figures(const wire::Publication& publication);
    void receive_replies();
    void on_view_reply(const wire::ControlReply& reply);
    void on_known_reply(const wire::ControlReply& reply);
    void ask(Clock::time_point now);
    [[nodiscard]] Pending request(const ControlSession::Body& body, Clock::time_point now);
    void give_up_overdue(Clock::time_point now);
    void add_changes();
    void note_consistency(Clock::time_point now);
    [[nodiscard]] bool consistent(Clock::time_point now) const noexcept {
        return drained_ && view_.complete() && now < last_update_at_ + options_.liveness;
    }
    template <class Each> void for_figures(const Each& each) {
        std::apply([&](auto&... followed) { (each(followed), ...); }, figures_);
    }
    [[nodiscard]] std::array<std::optional<Pending>*, 1 + sizeof...(Figures)> requests() {
        return std::apply(
            [&](auto&... followed) {
                return std::array<std::optional<Pending>*, 1 + sizeof...(Figures)>{&view_request_,
                                                                                   &followed.request...};
            },
            figures_);
    }

    SubscriberOptions options_;
    std::string topic_;
    View view_;
    ::zmq::socket_t updates_;
    wire::Condition condition_;         // condition in the newest status
    bool engine_ended_ = false;         // whether the last publication was the last of an engine
    Clock::time_point last_update_at_;  // when the last update arrived
    Clock::time_point opened_at_;       // when the connection for updates was made
    bool drained_ = false;              // whether all arrived messages were processed
    ControlSession control_;
    std::optional<Pending> view_request_;
    Need asked_ = {};  // need sent in the request
    std::tuple<Followed<Figures>...> figures_;
    Pause pause_;
    bool was_consistent_ = false;

    SubscriberStatistics counts_;
    wire::AlignedMessage message_;
    std::vector<typename View::Changes> changes_;
    std::vector<Event> events_;  // a member, so that an exception loses none
};

template <class T, class... Figures> void Subscription<T, Figures...>::open_updates(Clock::time_point now) {
    std::vector<std::string> topics{"status"};
    if (!topic_.empty()) topics.push_back(topic_);
    for_figures([&](const auto& followed) {
        if (!followed.newest.topic.empty()) topics.push_back(followed.newest.topic);
    });
    updates_.close();
    updates_ = connected(*options_.context, ::zmq::socket_type::sub, options_.updates_endpoint,
                         {.send = 0, .receive = options_.receive_queue}, options_.security, topics);
    opened_at_ = now;
}

template <class T, class... Figures> void Subscription<T, Figures...>::step(Clock::time_point now) {
    receive_updates();
    receive_replies();
    // A connection that is silent for this long may be dead unnoticed.
    if (now >= std::max(last_update_at_, opened_at_) + 2 * options_.liveness) {
        ++counts_.reconnections;
        open_updates(now);
    }
    ask(now);
    note_consistency(now);
}

template <class T, class... Figures> void Subscription<T, Figures...>::receive_updates() {
    constexpr int messages_per_poll = 1000;  // bounds the events of one poll
    std::array<::zmq::message_t, 2> frames;
    drained_ = false;
    for (int i = 0; i < messages_per_poll; ++i) {
        const auto whole = zmq::receive(updates_, frames);
        if (!whole) {
            drained_ = true;
            return;
        }
        try {
            if (!*whole) throw InvalidInput(Reason::malformed, "an update must have two frames");
            message_.assign(bytes(frames[1]));
            on_publication(frames[0].to_string());
        } catch (const InvalidInput&) {
            ++counts_.unreadable;  // if it was an update of the view, its number will be missing
        }
    }
}

template <class T, class... Figures> void Subscription<T, Figures...>::on_publication(const std::string& topic) {
    const bool is_status = topic == "status", is_view = topic == topic_;
    bool is_figures = false;
    for_figures([&](const auto& followed) { is_figures = is_figures || topic == followed.newest.topic; });
    // Subscriptions are prefixes: messages of models with longer names arrive, too.
    if (!is_status && !is_view && !is_figures) return;
    const wire::Publication publication = wire::read_publication(message_);
    if (publication.topic != topic) {
        throw InvalidInput(Reason::malformed, "the topic of an update differs from that of its frame");
    }
    last_update_at_ = Clock::now();
    engine_ended_ = false;
    for_figures([&](auto& followed) { followed.newest.follow(publication.recording); });
    if (is_status) {
        view_.on_status(publication, last_update_at_);
        add_changes();
        if (const auto* status = std::get_if<wire::Status>(&publication.body)) {
            condition_ = status->condition;
            engine_ended_ = status->ending;
            for_figures([&](auto& followed) { followed.newest.on_status(*status, publication.sequence); });
        }
    } else if (is_view) {
        view_.on_update(publication, message_, changes_);
        add_changes();
    } else {
        on_figures(publication);
    }
}

/// Processes figures of any topic; only the `Newest` of that topic takes them.
template <class T, class... Figures>
void Subscription<T, Figures...>::on_figures(const wire::Publication& publication) {
    for_figures([&](auto& followed) {
        if (followed.newest.take(publication)) events_.emplace_back(*followed.newest.update);
    });
}

template <class T, class... Figures> void Subscription<T, Figures...>::receive_replies() {
    const auto answers = [](std::optional<Pending>& pending, const wire::ControlReply& reply) {
        if (!pending || pending->request != reply.request) return false;
        pending.reset();
        return true;
    };
    while (const auto reply = control_.receive()) {
        if (answers(view_request_, *reply)) {
            on_view_reply(*reply);
            continue;
        }
        for_figures([&](auto& followed) {
            if (!answers(followed.request, *reply)) return;
            followed.newest.needs_snapshot = false;
            if (const auto* refusal = std::get_if<wire::Nack>(&reply->body); refusal && topic_.empty())
                throw ControlRefused(refusal->reason, refusal->text);
            const auto* snapshot = std::get_if<wire::Publication>(&reply->body);
            if (snapshot && followed.newest.take(*snapshot)) events_.emplace_back(*followed.newest.update);
        });
    }
}

template <class T, class... Figures> void Subscription<T, Figures...>::on_view_reply(const wire::ControlReply& reply) {
    const Need before = view_.need();
    if (asked_.kind == Need::Kind::known) return on_known_reply(reply);
    if (const auto* snapshot = std::get_if<wire::Publication>(&reply.body)) {
        view_.on_snapshot(*snapshot, changes_);
    } else if (const auto* range = std::get_if<wire::Publications>(&reply.body)) {
        view_.on_range(*range, changes_);
    }
    add_changes();
    if (view_.need() == before && before != Need{}) {
        pause_.longer(Clock::now());  // the answer did not help, so the next request waits
    } else {
        pause_.end();
    }
    if (const auto* refusal = std::get_if<wire::Nack>(&reply.body)) {
        throw ControlRefused(refusal->reason, refusal->text);
    }
}

/// Processes the answer to a KnownRequest. An engine that does not know such requests cannot deny the event, so its
/// refusal counts as a yes.
template <class T, class... Figures> void Subscription<T, Figures...>::on_known_reply(const wire::ControlReply& reply) {
    if (view_.need() != asked_) return;  // the view has restarted since
    const auto* const refusal = std::get_if<wire::Nack>(&reply.body);
    view_.on_known_answer(refusal == nullptr || refusal->reason != Reason::lost_events);
    add_changes();
}

template <class T, class... Figures> void Subscription<T, Figures...>::ask(Clock::time_point now) {
    give_up_overdue(now);
    if (now < pause_.until()) return;
    if (const Need need = view_.need(); !view_request_ && need != Need{}) {
        asked_ = need;
        if (need.kind == Need::Kind::snapshot) {
            view_request_ = request(wire::SnapshotRequest{topic_}, now);
        } else if (need.kind == Need::Kind::known) {
            view_request_ = request(wire::KnownRequest{need.known}, now);
        } else {
            view_request_ = request(wire::RangeRequest{topic_, need.first, need.last}, now);
        }
    }
    for_figures([&](auto& followed) {
        if (followed.newest.topic.empty() || !followed.newest.needs_snapshot || followed.request) return;
        followed.request = request(wire::SnapshotRequest{followed.newest.topic}, now);
    });
}

template <class T, class... Figures>
Pending Subscription<T, Figures...>::request(const ControlSession::Body& body, Clock::time_point now) {
    ++counts_.requests;
    return {.request = control_.ask(body), .deadline = now + options_.request_timeout};
}

template <class T, class... Figures> void Subscription<T, Figures...>::give_up_overdue(Clock::time_point now) {
    const auto overdue = [&](const std::optional<Pending>& pending) { return pending && now >= pending->deadline; };
    if (std::ranges::none_of(requests(), [&](const auto* pending) { return overdue(*pending); })) return;
    // Other requests used the same connection, and are repeated over the new one.
    for (auto* pending : requests()) {
        counts_.timeouts += pending->has_value();
        pending->reset();
    }
    control_.reconnect();
    pause_.longer(now);
}

template <class T, class... Figures> void Subscription<T, Figures...>::add_changes() {
    if (const auto known = view_.take_loss()) {
        events_.emplace_back(LostEvents{*known});
        for_figures([](auto& followed) { followed.newest.forget(); });
    }
    for (auto& change : changes_) events_.emplace_back(std::move(change));
    changes_.clear();
}

template <class T, class... Figures> void Subscription<T, Figures...>::note_consistency(Clock::time_point now) {
    if (consistent(now) == was_consistent_) return;
    was_consistent_ = !was_consistent_;
    events_.emplace_back(Consistency{was_consistent_, view_.sequence()});
}

/// Returns the time of the next action that needs no message.
template <class T, class... Figures>
Clock::time_point Subscription<T, Figures...>::due(Clock::time_point now) const noexcept {
    auto due = std::max(last_update_at_, opened_at_) + 2 * options_.liveness;
    if (was_consistent_) due = std::min(due, last_update_at_ + options_.liveness);
    if (now < pause_.until()) due = std::min(due, pause_.until());
    const auto note = [&](const std::optional<Pending>& pending) {
        if (pending) due = std::min(due, pending->deadline);
    };
    note(view_request_);
    std::apply([&](const auto&... followed) { (note(followed.request), ...); }, figures_);
    return due;
}

}  // namespace fairstream::zmq
