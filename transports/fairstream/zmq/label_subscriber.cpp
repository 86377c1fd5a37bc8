#include <fairstream/zmq/label_subscriber.hpp>

#include <algorithm>
#include <array>
#include <utility>

#include <fairstream/zmq/control_session.hpp>

namespace fairstream::zmq {

namespace {

using Milliseconds = std::chrono::milliseconds;
using Need = LabelView::Need;

constexpr Milliseconds shortest_pause{50};
constexpr Milliseconds longest_pause{5000};
constexpr int messages_per_poll = 1000;  // bounds the events of one poll

LabelSubscriberOptions completed(LabelSubscriberOptions options) {
    const auto require = [](bool holds, const char* rule) {
        if (!holds) throw InvalidInput(Reason::bad_option, rule);
    };
    require(!options.model.empty(), "a subscriber needs the name of a model");
    require(options.liveness.count() >= 1, "liveness must be at least 1 ms");
    require(options.request_timeout.count() >= 1, "request_timeout must be at least 1 ms");
    require(options.receive_queue >= 1, "receive_queue must be at least 1");
    if (options.security) check(*options.security);
    if (!options.context) options.context = std::make_shared<Context>();
    return options;
}

/// A topic of which only the newest publication matters.
template <class Update> struct Newest {
    std::string topic;  // empty: not followed
    std::optional<Update> update = {};
    std::optional<wire::RecordingId> recording = {};
    std::uint64_t topic_sequence = 0;
    bool of_some = false;    // only some models have it: not asked for before a status names it
    bool wanted = !of_some;  // a snapshot, because nothing came yet or the newest was lost

    /// The updates say which engine is the right one: figures of another recording do not count any more.
    void follow(const wire::RecordingId& followed) {
        if (recording && *recording != followed) *this = {.topic = topic, .of_some = of_some};
        recording = followed;
    }
    /// Whether `publication` is newer than what there is; keeps it then.
    bool take(const wire::Publication& publication) {
        const auto* report = std::get_if<decltype(Update::report)>(&publication.body);
        if (!report || publication.topic != topic) return false;
        if (recording && *recording != publication.recording) return false;
        if (update && publication.topic_sequence <= topic_sequence) return false;
        topic_sequence = publication.topic_sequence;
        update = Update{publication.sequence, *report};
        wanted = false;
        return true;
    }
    void on_status(const wire::Status& status) {
        const auto mark = std::ranges::find(status.topics, topic, &wire::TopicMark::topic);
        if (mark != status.topics.end() && mark->topic_sequence > topic_sequence) wanted = true;
    }
};

/// When to ask again after an answer that did not help, or none.
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
    Milliseconds length_ = shortest_pause;
};

/// A request without an answer yet, by its number in the session.
struct Pending {
    std::uint64_t request = 0;
    Clock::time_point deadline;
};

}  // namespace

struct LabelSubscriber::Impl {
    explicit Impl(LabelSubscriberOptions given);

    void step(Clock::time_point now);
    [[nodiscard]] Clock::time_point due(Clock::time_point now) const noexcept;
    [[nodiscard]] std::vector<std::string> topics() const;
    void open_updates(Clock::time_point now);
    void receive_updates();
    void on_publication(const std::string& topic);
    void receive_replies();
    void on_label_reply(const wire::ControlReply& reply);
    template <class Update> void on_figures_reply(Newest<Update>& newest, const wire::ControlReply& reply);
    void ask(Clock::time_point now);
    template <class Update>
    void ask_for(Newest<Update>& newest, std::optional<Pending>& pending, Clock::time_point now);
    [[nodiscard]] Pending request(const ControlSession::Body& body, Clock::time_point now);
    void give_up_overdue(Clock::time_point now);
    void add_changes();
    void note_consistency(Clock::time_point now);
    [[nodiscard]] bool consistent(Clock::time_point now) const noexcept {
        return drained && view.complete() && now < heard_at + options.liveness;
    }

    LabelSubscriberOptions options;
    LabelView view;
    Newest<FairnessUpdate> fairness;
    Newest<ClusterUpdate> clusters;
    Newest<FrontUpdate> front{.topic = {}, .of_some = true};

    ::zmq::socket_t updates;
    Clock::time_point heard_at;   // when the updates last said anything
    Clock::time_point opened_at;  // when their connection was made
    bool drained = false;         // whether everything that had arrived was taken in
    ControlSession control;
    std::optional<Pending> label_request, fairness_request, cluster_request, front_request;
    [[nodiscard]] std::array<std::optional<Pending>*, 4> requests() {
        return {&label_request, &fairness_request, &cluster_request, &front_request};
    }
    Pause pause;
    bool was_consistent = false;

    LabelSubscriberStatistics counts;
    wire::AlignedMessage message;
    std::vector<LabelChanges> changes;
    std::vector<SubscriberEvent> events;  // a member, so that none is lost when something is thrown
};

LabelSubscriber::Impl::Impl(LabelSubscriberOptions given)
    : options(completed(std::move(given))),
      view("labels." + options.model, options.kept, options.liveness),
      control(options.context, options.control_endpoint, options.security) {
    if (options.fairness) fairness.topic = "fairness." + options.model;
    if (options.clusters) clusters.topic = "clusters." + options.model;
    if (options.front) front.topic = "front." + options.model;
    heard_at = Clock::now();
    open_updates(heard_at);
}

std::vector<std::string> LabelSubscriber::Impl::topics() const {
    std::vector<std::string> out{"status", "labels." + options.model};
    if (!fairness.topic.empty()) out.push_back(fairness.topic);
    if (!clusters.topic.empty()) out.push_back(clusters.topic);
    if (!front.topic.empty()) out.push_back(front.topic);
    return out;
}

void LabelSubscriber::Impl::open_updates(Clock::time_point now) {
    updates.close();
    updates = connected(*options.context, ::zmq::socket_type::sub, options.updates_endpoint,
                        {.send = 0, .receive = options.receive_queue}, options.security, topics());
    opened_at = now;
}

/// Takes in what arrived and does what is due.
void LabelSubscriber::Impl::step(Clock::time_point now) {
    receive_updates();
    receive_replies();
    // A connection that has been silent for so long may be dead in a way that nobody noticed.
    if (now >= std::max(heard_at, opened_at) + 2 * options.liveness) {
        ++counts.reconnections;
        open_updates(now);
    }
    ask(now);
    note_consistency(now);
}

void LabelSubscriber::Impl::receive_updates() {
    std::array<::zmq::message_t, 2> frames;
    drained = false;
    for (int i = 0; i < messages_per_poll; ++i) {
        const auto whole = zmq::receive(updates, frames);
        if (!whole) {
            drained = true;
            return;
        }
        try {
            if (!*whole) throw InvalidInput(Reason::malformed, "an update has two frames");
            message.assign(bytes(frames[1]));
            on_publication(frames[0].to_string());
        } catch (const InvalidInput&) {
            ++counts.unreadable;  // if it was an update of the view, its number will be found missing
        }
    }
}

void LabelSubscriber::Impl::on_publication(const std::string& topic) {
    const bool is_status = topic == "status", is_label = topic == "labels." + options.model;
    const bool is_fairness = topic == fairness.topic, is_clusters = topic == clusters.topic;
    const bool is_front = topic == front.topic;
    // Subscriptions are prefixes: what belongs to a model with a longer name comes too.
    if (!is_status && !is_label && !is_fairness && !is_clusters && !is_front) return;
    const wire::Publication publication = wire::read_publication(message);
    if (publication.topic != topic) {
        throw InvalidInput(Reason::malformed, "an update is of another topic than its frame");
    }
    heard_at = Clock::now();
    fairness.follow(publication.recording);
    clusters.follow(publication.recording);
    front.follow(publication.recording);
    if (is_status) {
        view.on_status(publication, heard_at);
        if (const auto* status = std::get_if<wire::Status>(&publication.body)) {
            fairness.on_status(*status);
            clusters.on_status(*status);
            front.on_status(*status);
        }
    } else if (is_label) {
        view.on_update(publication, message, changes);
        add_changes();
    } else if (is_fairness) {
        if (fairness.take(publication)) events.emplace_back(*fairness.update);
    } else if (is_clusters) {
        if (clusters.take(publication)) events.emplace_back(*clusters.update);
    } else {
        if (front.take(publication)) events.emplace_back(*front.update);
    }
}

void LabelSubscriber::Impl::receive_replies() {
    const auto answers = [](std::optional<Pending>& pending, const wire::ControlReply& reply) {
        if (!pending || pending->request != reply.request) return false;
        pending.reset();
        return true;
    };
    while (const auto reply = control.receive()) {
        if (answers(label_request, *reply)) {
            on_label_reply(*reply);
        } else if (answers(fairness_request, *reply)) {
            on_figures_reply(fairness, *reply);
        } else if (answers(cluster_request, *reply)) {
            on_figures_reply(clusters, *reply);
        } else if (answers(front_request, *reply)) {
            on_figures_reply(front, *reply);
        }
    }
}

void LabelSubscriber::Impl::on_label_reply(const wire::ControlReply& reply) {
    const Need before = view.need();
    if (const auto* snapshot = std::get_if<wire::Publication>(&reply.body)) {
        view.on_snapshot(*snapshot, changes);
    } else if (const auto* range = std::get_if<wire::Publications>(&reply.body)) {
        view.on_range(*range, changes);
    }
    add_changes();
    if (view.need() == before && before != Need{}) {
        pause.longer(Clock::now());  // it did not help: do not ask in a tight circle
    } else {
        pause.end();
    }
    if (const auto* refusal = std::get_if<wire::Nack>(&reply.body)) {
        throw ControlRefused(refusal->reason, refusal->text);
    }
}

template <class Update>
void LabelSubscriber::Impl::on_figures_reply(Newest<Update>& newest, const wire::ControlReply& reply) {
    newest.wanted = false;
    const auto* snapshot = std::get_if<wire::Publication>(&reply.body);
    if (snapshot && newest.take(*snapshot)) events.emplace_back(*newest.update);
}

void LabelSubscriber::Impl::ask(Clock::time_point now) {
    give_up_overdue(now);
    if (now < pause.until()) return;
    if (const Need need = view.need(); !label_request && need != Need{}) {
        const std::string topic = "labels." + options.model;
        if (need.kind == Need::Kind::snapshot) {
            label_request = request(wire::SnapshotRequest{topic}, now);
        } else {
            label_request = request(wire::RangeRequest{topic, need.first, need.last}, now);
        }
    }
    ask_for(fairness, fairness_request, now);
    ask_for(clusters, cluster_request, now);
    ask_for(front, front_request, now);
}

template <class Update>
void LabelSubscriber::Impl::ask_for(Newest<Update>& newest, std::optional<Pending>& pending, Clock::time_point now) {
    if (newest.topic.empty() || !newest.wanted || pending) return;
    pending = request(wire::SnapshotRequest{newest.topic}, now);
}

Pending LabelSubscriber::Impl::request(const ControlSession::Body& body, Clock::time_point now) {
    ++counts.requests;
    return {.request = control.ask(body), .deadline = now + options.request_timeout};
}

void LabelSubscriber::Impl::give_up_overdue(Clock::time_point now) {
    const auto overdue = [&](const std::optional<Pending>& pending) { return pending && now >= pending->deadline; };
    if (std::ranges::none_of(requests(), [&](const auto* pending) { return overdue(*pending); })) return;
    // The others went over the same connection, and are asked again over the new one.
    for (auto* pending : requests()) {
        counts.timeouts += pending->has_value();
        pending->reset();
    }
    control.reconnect();
    pause.longer(now);
}

void LabelSubscriber::Impl::add_changes() {
    for (LabelChanges& change : changes) events.emplace_back(std::move(change));
    changes.clear();
}

void LabelSubscriber::Impl::note_consistency(Clock::time_point now) {
    if (consistent(now) == was_consistent) return;
    was_consistent = !was_consistent;
    events.emplace_back(Consistency{was_consistent, view.sequence()});
}

/// When something is to be done although nothing arrives.
Clock::time_point LabelSubscriber::Impl::due(Clock::time_point now) const noexcept {
    auto due = std::max(heard_at, opened_at) + 2 * options.liveness;
    if (was_consistent) due = std::min(due, heard_at + options.liveness);
    if (now < pause.until()) due = std::min(due, pause.until());
    for (const auto* pending : {&label_request, &fairness_request, &cluster_request, &front_request}) {
        if (*pending) due = std::min(due, (*pending)->deadline);
    }
    return due;
}

LabelSubscriber::LabelSubscriber(LabelSubscriberOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
LabelSubscriber::~LabelSubscriber() = default;
LabelSubscriber::LabelSubscriber(LabelSubscriber&&) noexcept = default;
LabelSubscriber& LabelSubscriber::operator=(LabelSubscriber&&) noexcept = default;

std::vector<SubscriberEvent> LabelSubscriber::poll(std::chrono::milliseconds timeout) {
    const auto deadline = deadline_after(timeout);
    for (;;) {
        const auto now = Clock::now();
        impl_->step(now);
        if (!impl_->events.empty() || now >= deadline) return std::exchange(impl_->events, {});
        std::array items{::zmq::pollitem_t{impl_->updates.handle(), 0, ZMQ_POLLIN, 0}, impl_->control.poll_item()};
        wait(items, std::min(deadline, impl_->due(now)));
    }
}

const LabelMap& LabelSubscriber::labels() const noexcept {
    return impl_->view.labels();
}
Sequence LabelSubscriber::sequence() const noexcept {
    return impl_->view.sequence();
}
std::uint64_t LabelSubscriber::topic_sequence() const noexcept {
    return impl_->view.topic_sequence();
}
bool LabelSubscriber::consistent() const noexcept {
    return impl_->consistent(Clock::now());
}
const std::optional<wire::RecordingId>& LabelSubscriber::recording() const noexcept {
    return impl_->view.recording();
}
const std::optional<FairnessUpdate>& LabelSubscriber::fairness() const noexcept {
    return impl_->fairness.update;
}
const std::optional<ClusterUpdate>& LabelSubscriber::clusters() const noexcept {
    return impl_->clusters.update;
}
const std::optional<FrontUpdate>& LabelSubscriber::front() const noexcept {
    return impl_->front.update;
}

LabelSubscriberStatistics LabelSubscriber::statistics() const noexcept {
    LabelSubscriberStatistics out = impl_->counts;
    out.view = impl_->view.statistics();
    out.unreadable += impl_->control.unreadable();
    return out;
}

}  // namespace fairstream::zmq
