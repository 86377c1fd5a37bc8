#pragma once
/// The engine as a template over a list of models: `Engine` instantiates it for the public list, tests add models of
/// their own.

#include <algorithm>
#include <cmath>
#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

#include <fairstream/core/detail/live_session.hpp>
#include <fairstream/core/detail/merge_changes.hpp>
#include <fairstream/core/detail/scheduled_session.hpp>
#include <fairstream/core/detail/work_limit.hpp>

namespace fairstream::core {

/// Throws `InvalidInput` unless a model with these options can run on a stream of this format.
template <OnlineModel Model>
void check_model(const std::string& name, const typename Model::Options& options, const StreamFormat& format) {
    if constexpr (ScoringModel<Model>) require_targets(format, name);
    check(options, format);
}

template <OnlineModel... M> class EngineCore {
public:
    using AnySession = std::variant<LiveSession<M>..., ScheduledSession<M>...>;

    EngineCore(const StreamFormat& format, const WindowOptions& options, int threads,
               std::uint64_t event_work_limit = no_work_limit, RunBeside run_beside = {})
        : window_(format, options), arenas_(threads, std::move(run_beside)), event_work_limit_(event_work_limit) {}

    /// Adds a model; to be called before the first event.
    template <OnlineModel Model>
    void add(const std::string& name, const typename Model::Options& options, const Schedule& schedule) {
        check_model<Model>(name, options, window_.format());
        if (schedule.every == 0)
            sessions_.push_back(LiveSession<Model>(name, options, schedule, window_));
        else
            sessions_.push_back(ScheduledSession<Model>(name, options, schedule, window_));
        update_.models.emplace_back();
    }
    void on_update(std::function<void(const Update&)> listener) { listeners_.push_back(std::move(listener)); }
    void on_progress(OnProgress listener) { on_progress_ = std::move(listener); }
    /// Ends the running event and all tasks with `Interrupted`; may be called from any thread.
    void interrupt() noexcept { arenas_.interrupt(); }

    [[nodiscard]] const Window& window() const { return window_; }
    [[nodiscard]] Sequence sequence() const { return sequence_; }
    [[nodiscard]] const AnySession& session(std::string_view name) const {
        for (const AnySession& session : sessions_)
            if (std::visit([](const auto& s) -> const std::string& { return s.name(); }, session) == name)
                return session;
        std::string known;
        for (const AnySession& session : sessions_)
            std::visit([&](const auto& s) { known += (known.empty() ? "" : ", ") + s.name(); }, session);
        throw InvalidInput(Reason::unknown_model, "no model '" + std::string(name) + "': this engine runs " + known);
    }

    void check_event(const Event& event) const {
        check_content(event);
        std::visit([&](const auto& e) { check_work(e); }, event);
    }

    const Update& ingest(const Event& event, const std::optional<std::span<const Decision>>& decisions) {
        require_no_listener();
        // A replayed event was within the limit when it was taken in.
        if (decisions)
            check_content(event);
        else
            check_event(event);
        return ingest_checked(event, decisions);
    }
    const Update& ingest_checked(const Event& event, const std::optional<std::span<const Decision>>& decisions) {
        require_no_listener();
        require_whole();
        broken_ = true;  // until the event is through
        update_.sequence = sequence_ + 1;
        update_.decisions.clear();
        const bool for_all = std::holds_alternative<PointBatch>(event);
        for (std::size_t i = 0; i < sessions_.size(); ++i) {
            update_.models[i].changed = false;
            clear_changes(update_.models[i]);
            if (!for_all) describe(i);
        }
        std::visit([&](const auto& e) { take(e, decisions); }, event);
        ++sequence_;
        broken_ = false;
        const Telling telling(telling_);
        for (const auto& listener : listeners_) listener(update_);
        return update_;
    }

    void save(StateWriter& writer) const {
        if (broken_) throw std::logic_error("this engine failed within an event and cannot be saved");
        writer(1, sequence_);
        writer.nested(2, [&](StateWriter& inner) { window_.save(inner); });
        for (std::size_t i = 0; i < sessions_.size(); ++i)
            writer.nested(static_cast<std::uint32_t>(10 + i),
                          [&](StateWriter& inner) { std::visit([&](const auto& s) { s.save(inner); }, sessions_[i]); });
    }
    void load(StateReader& reader) {
        reader(1, sequence_);
        StateReader window = reader.nested(2);
        window_.load(window);
        for (std::size_t i = 0; i < sessions_.size(); ++i) {
            StateReader inner = reader.nested(static_cast<std::uint32_t>(10 + i));
            std::visit([&](auto& s) { s.load(inner, window_); }, sessions_[i]);
        }
    }

private:
    void require_no_listener() const {
        if (telling_) throw std::logic_error("a listener of an update cannot ingest");
    }
    void require_whole() const {
        if (broken_) throw std::logic_error("this engine failed within an event and cannot go on");
    }
    void check_content(const Event& event) const {
        require_whole();
        if (const auto* batch = std::get_if<PointBatch>(&event)) window_.validate(*batch);
        if (const auto* knob = std::get_if<KnobChange>(&event))
            std::visit([&](const auto& s) { (void)s.changed_options(*knob, window_.format()); }, session(knob->model));
        if (const auto* expiry = std::get_if<ProducerExpiry>(&event))
            if (expiry->last_sequence > sequence_)
                throw InvalidInput(Reason::malformed, "producers cannot expire by event " +
                                                          std::to_string(expiry->last_sequence) + ", which is to come");
        if (const auto* refinement = std::get_if<Refinement>(&event)) {
            if (refinement->rounds < 0)
                throw InvalidInput(Reason::bad_option,
                                   "rounds = " + std::to_string(refinement->rounds) + ": must be at least 0");
            std::visit([](const auto& s) { s.check_refinement(); }, session(refinement->model));
        }
    }

    void check_work(const PointBatch& batch) const {
        const std::size_t capacity = window_.capacity();
        const std::size_t piece = std::min(batch.size(), capacity);
        const std::size_t retained = std::min<std::size_t>(capacity, window_.size() + batch.size());
        const auto pieces = std::ceil(static_cast<double>(batch.size()) / static_cast<double>(capacity));
        WorkEstimate work;
        for (const AnySession& session : sessions_)
            work = std::visit(
                [&](const auto& s) {
                    return sum_of(
                        {pieces * s.work_of_batch(s.options(), window_.format(), s.schedule(), piece, retained), work});
                },
                session);
        require_within(event_work_limit_, work, Reason::oversized,
                       "the batch of " + std::to_string(batch.size()) + " points");
    }
    void check_work(const KnobChange& knob) const {
        std::visit(
            [&](const auto& s) {
                const auto options = s.changed_options(knob, window_.format());
                require_within(event_work_limit_,
                               s.work_of_batch(options, window_.format(), s.schedule(), 1, window_.capacity()),
                               Reason::bad_option, knob.option + " = " + knob.value + ": a step of " + knob.model);
            },
            session(knob.model));
    }
    void check_work(const ProducerExpiry&) const {}
    void check_work(const Refinement& refinement) const {
        const std::string rounds =
            refinement.rounds == 0 ? "until nothing improves" : "by " + std::to_string(refinement.rounds) + " rounds";
        std::visit(
            [&](const auto& s) {
                require_within(
                    event_work_limit_,
                    sum_of({s.work_of_refinement(window_.format(), refinement.rounds, window_.size()),
                            s.work_of_batch(s.options(), window_.format(), s.schedule(), 1, window_.size())}),
                    Reason::oversized, "refining " + refinement.model + " " + rounds);
            },
            session(refinement.model));
    }

    struct Telling {
        explicit Telling(bool& now) : telling(now) { telling = true; }
        ~Telling() { telling = false; }
        Telling(const Telling&) = delete;
        Telling& operator=(const Telling&) = delete;
        bool& telling;
    };

    static void clear_changes(ModelUpdate& update) {
        update.changes.clear();
        update.scores.clear();
    }
    // Sets the figures of a model that the event may not concern; it changes none of its outputs then.
    void describe(std::size_t i) {
        ModelUpdate& update = update_.models[i];
        std::visit(
            [&](const auto& s) {
                update.model = s.name();
                update.solve = s.solve();
                update.churn = 0;
                update.cost = s.cost();
                update.plain_cost = s.plain_cost();
                update.tally = s.visible_tally();
                update.front = s.front();
                update.score_fairness = s.score_fairness();
            },
            sessions_[i]);
    }

    void take(const PointBatch& batch, const std::optional<std::span<const Decision>>& decisions) {
        const std::size_t piece = window_.capacity();
        if (batch.size() <= piece) return take_piece(batch, decisions);
        // A batch above capacity passes through the window in pieces; subscribers see the net change.
        const std::vector<PointId> before(window_.points().ids.begin(), window_.points().ids.end());
        struct Net {
            Changes<ClusterId> labels;
            Changes<Score> scores;
        };
        std::vector<Net> net(sessions_.size());
        for (std::size_t first = 0; first < batch.size(); first += piece) {
            take_piece(batch.slice(first, std::min(piece, batch.size() - first)), decisions);
            for (std::size_t i = 0; i < net.size(); ++i) {
                merge_changes(net[i].labels, update_.models[i].changes);
                merge_changes(net[i].scores, update_.models[i].scores);
            }
        }
        const std::unordered_set<PointId> stayed = still_retained(before);
        for (std::size_t i = 0; i < net.size(); ++i) {
            update_.models[i].changes = std::move(net[i].labels);
            update_.models[i].scores = std::move(net[i].scores);
            std::visit([&](auto& s) { set_churn(s, stayed, update_.models[i]); }, sessions_[i]);
        }
    }
    [[nodiscard]] std::unordered_set<PointId> still_retained(std::span<const PointId> before) const {
        std::unordered_set<PointId> stayed;
        for (const PointId id : before)
            if (window_.find(id)) stayed.insert(id);
        return stayed;
    }
    // Sets a session's churn from the net changes of an event that came in pieces.
    template <class Session>
    static void set_churn(Session& session, const std::unordered_set<PointId>& stayed, ModelUpdate& update) {
        const auto& changes = changes_of<typename Session::Output>(update);
        const auto rule = session.churn_rule();
        std::int64_t count = 0;
        for (std::size_t i = 0; i < changes.ids.size(); ++i)
            count += rule.counts(changes.before[i], changes.after[i]) && stayed.contains(changes.ids[i]);
        update.churn = stayed.empty() ? 0 : static_cast<double>(count) / static_cast<double>(stayed.size());
        session.set_churn(update.churn);
    }
    void take_piece(const PointBatch& batch, const std::optional<std::span<const Decision>>& decisions) {
        const WindowChange& change = window_.apply(batch);
        for (std::size_t i = 0; i < sessions_.size(); ++i) {
            const BatchContext context{window_, change,    batch.size(),     static_cast<std::uint32_t>(i),
                                       arenas_, decisions, update_.decisions};
            std::visit([&](auto& s) { s.ingest(context, update_.models[i]); }, sessions_[i]);
        }
    }
    void take(const KnobChange& knob, const std::optional<std::span<const Decision>>&) {
        AnySession& session = session_of(knob.model);
        const auto i = static_cast<std::size_t>(&session - sessions_.data());
        std::visit(
            [&](auto& s) { s.change_options(s.changed_options(knob, window_.format()), window_, update_.models[i]); },
            session);
    }
    void take(const Refinement& refinement, const std::optional<std::span<const Decision>>&) {
        AnySession& session = session_of(refinement.model);
        const auto i = static_cast<std::size_t>(&session - sessions_.data());
        std::visit([&](auto& s) { s.refine(window_, refinement.rounds, arenas_, on_progress_, update_.models[i]); },
                   session);
    }
    void take(const ProducerExpiry&, const std::optional<std::span<const Decision>>&) {}
    AnySession& session_of(std::string_view name) { return const_cast<AnySession&>(session(name)); }

    Window window_;
    Arenas arenas_;
    std::uint64_t event_work_limit_;
    std::vector<AnySession> sessions_;  // after `arenas_`: their tasks run in it
    Sequence sequence_ = 0;
    Update update_;
    std::vector<std::function<void(const Update&)>> listeners_;
    OnProgress on_progress_;
    bool broken_ = false;
    bool telling_ = false;  // listeners are called
};

}  // namespace fairstream::core
