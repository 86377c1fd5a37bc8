#include <fairstream/core/detail/engine_core.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include <fairstream/core/detail/merge_changes.hpp>
#include <fairstream/core/detail/score_book.hpp>
#include <fairstream/core/detail/work_limit.hpp>
#include <fairstream/data/detail/check_points.hpp>

namespace fairstream::core {
namespace {

class ListenerCall {
public:
    explicit ListenerCall(bool& now) : is_calling_listeners_(now) { is_calling_listeners_ = true; }
    ~ListenerCall() { is_calling_listeners_ = false; }
    ListenerCall(const ListenerCall&) = delete;
    ListenerCall& operator=(const ListenerCall&) = delete;

private:
    bool& is_calling_listeners_;
};

void check_outcomes(const StreamFormat& format, const Outcomes& outcomes) {
    if (!format.targets_come_later)
        throw InvalidInput(
            Reason::wrong_shape,
            "outcomes: the targets of this stream arrive with their points; outcomes need targets = \"later\"");
    const std::size_t n = outcomes.targets.size();
    if (outcomes.size() != n)
        throw InvalidInput(Reason::wrong_shape, std::to_string(n) + " targets for " + std::to_string(outcomes.size()) +
                                                    " outcomes: must be one per outcome");
    for (std::size_t i = 0; i < n; ++i)
        if (!(std::abs(outcomes.targets[i]) <= feature_limit))
            throw InvalidInput(Reason::bad_feature,
                               "the outcome of point " + id_for_message(format, outcomes.ids, outcomes.id_texts, i) +
                                   " is " + std::to_string(outcomes.targets[i]) + ": must be finite and within +-1e15");
}

/// Counts the points of a batch that replaced a point with their id, and the targets lost with the replaced points.
EventCounts replacements(const Window& window, const WindowChange& change) {
    EventCounts counts;
    for (std::size_t i = 0; i < change.occupied_count(window.size()); ++i) {
        const Slot slot = change.written[i];
        if (change.replaced.ids[i] != window.id(slot) || window.source(i) == Window::no_row) continue;
        ++counts.replaced;
        if (window.format().has_targets && std::isnan(window.target(slot)) && !std::isnan(change.replaced.targets[i]))
            ++counts.outcomes_dropped;
    }
    return counts;
}

void clear(OutputChanges& changes) {
    std::visit([](auto& of_kind) { of_kind.clear(); }, changes);
}

}  // namespace

StreamFormat model_format(const StreamFormat& format, const PrepareOptions& prepare, const WindowOptions& window) {
    StreamFormat prepared = prepared_format(prepare, format);
    prepared.has_weights = prepared.has_weights || !window.half_life.empty();
    return prepared;
}

void check_model(const std::string& name, const ModelOptions& options, const StreamFormat& format) {
    const ModelKind& kind = options.kind();
    if (kind.outputs() == OutputKind::scores) require_targets(format, name);
    if (format.targets_come_later &&
        (kind.outputs() == OutputKind::scores || kind.outputs() == OutputKind::predictions))
        throw InvalidInput(Reason::bad_option, "model " + name + " of kind " + std::string(kind.name()) +
                                                   " needs each target together with its point, but the targets of "
                                                   "this stream come later: set targets = true");
    if (format.has_weights && !kind.takes_weights())
        throw InvalidInput(Reason::bad_option, "model " + name + " of kind " + std::string(kind.name()) +
                                                   " takes only points of weight 1: remove weights and half_life");
    kind.check(options, format);
}

EngineCore::EngineCore(const StreamFormat& format, const WindowOptions& options, int threads,
                       std::uint64_t event_work_limit, RunInBackground run_in_background, const PrepareOptions& prepare,
                       const StepWork& step_work)
    : format_(format),
      preparer_(prepare, format, options.capacity),
      id_texts_(format, options.capacity),
      window_(prepared_format(prepare, format), options),
      arenas_(threads, std::move(run_in_background)),
      event_work_limit_(event_work_limit),
      step_work_(step_work) {}

void EngineCore::add(const std::string& name, const ModelOptions& options, const Schedule& schedule) {
    check_model(name, options, window_.format());
    sessions_.push_back(make_session(name, options, schedule, window_));
    ModelUpdate& update = update_.models.emplace_back();
    update.changes = sessions_.back()->no_changes();
    sessions_.back()->describe(update);
}

std::size_t EngineCore::index(std::string_view name) const {
    const auto found = std::ranges::find(sessions_, name, [](const auto& session) { return session->name(); });
    if (found != sessions_.end()) return static_cast<std::size_t>(found - sessions_.begin());
    std::string known;
    for (const auto& session : sessions_) known += (known.empty() ? "" : ", ") + session->name();
    throw InvalidInput(Reason::unknown_model, "no model '" + std::string(name) + "': this engine runs " + known);
}

void EngineCore::check_event(const Event& event) const {
    check_content(event);
    std::visit([&](const auto& e) { check_work(e); }, event);
}

const Update& EngineCore::ingest(const Event& event, const Decisions& decisions) {
    require_no_listener();
    // A replayed event was within the limit when it was first taken in.
    if (decisions)
        check_content(event);
    else
        check_event(event);
    return ingest_checked(event, decisions);
}

const Update& EngineCore::ingest_checked(const Event& event, const Decisions& decisions) {
    require_no_listener();
    require_not_broken();
    broken_ = true;  // until the event is complete
    update_.sequence = sequence_ + 1;
    update_.decisions.clear();
    update_.counts = {};
    update_.work = 0;
    const bool for_all = std::holds_alternative<PointBatch>(event);
    for (std::size_t i = 0; i < sessions_.size(); ++i) {
        ModelUpdate& update = update_.models[i];
        update.changed = update.stepped = update.network_changed = false;
        for (std::vector<PointId>& ids : update.rows_of.all) ids.clear();
        clear(update.changes);
        if (for_all) continue;
        // If the event does not reach this session, the session's outputs do not change.
        sessions_[i]->describe(update);
        update.churn = 0;
    }
    apply_with_progress(event, decisions);
    ++sequence_;
    update_.arrivals = window_.arrivals();
    update_.preparation = preparer_.figures();
    broken_ = false;
    const ListenerCall listener_call(is_calling_listeners_);
    for (const auto& listener : listeners_) listener(update_);
    return update_;
}

// Takes in an event, and reports its progress to the listener if there is one.
void EngineCore::apply_with_progress(const Event& event, const Decisions& decisions) {
    std::optional<FollowedWork> followed;
    if (on_progress_) followed.emplace(on_progress_);
    WorkBudget budget(step_work_.limit);
    work_ = (followed ? WorkHandle(*followed) : WorkHandle()).under(budget);
    std::visit([&](const auto& e) { apply(e, decisions); }, event);
    work_ = {};
    update_.work += budget.spent();
    if (followed && followed->stopped()) stopped_ = true;
}

void EngineCore::erase(const PointRemoval& removal) {
    (void)ingest(removal, std::span<const Decision>());  // as a replay, which is never refused for its work
    --sequence_;
}

void EngineCore::save(StateWriter& writer) const {
    if (broken_) throw std::logic_error("this engine failed within an event and cannot be saved");
    if (stopped_) throw std::logic_error("this engine was stopped within an event and cannot be saved");
    writer(1, sequence_);
    writer.nested(2, [&](StateWriter& inner) { window_.save(inner); });
    if (preparer_.is_active()) writer.nested(3, [&](StateWriter& inner) { preparer_.save(inner, window_); });
    if (id_texts_.is_active()) writer.nested(4, [&](StateWriter& inner) { id_texts_.save(inner, window_); });
    for (std::size_t i = 0; i < sessions_.size(); ++i)
        writer.nested(static_cast<std::uint32_t>(10 + i), [&](StateWriter& inner) { sessions_[i]->save(inner); });
}

void EngineCore::load(StateReader& reader) {
    reader(1, sequence_);
    StateReader window = reader.nested(2);
    window_.load(window);
    if (preparer_.is_active()) {
        StateReader preparer = reader.nested(3);
        preparer_.load(preparer, window_);
    }
    if (id_texts_.is_active()) {
        StateReader texts = reader.nested(4);
        id_texts_.load(texts, window_);
    }
    for (std::size_t i = 0; i < sessions_.size(); ++i) {
        StateReader inner = reader.nested(static_cast<std::uint32_t>(10 + i));
        sessions_[i]->load(inner, window_);
    }
}

void EngineCore::require_no_listener() const {
    if (is_calling_listeners_) throw std::logic_error("a listener cannot call ingest during an update");
}

void EngineCore::require_not_broken() const {
    if (broken_) throw std::logic_error("this engine failed within an event and cannot go on");
}

void EngineCore::check_content(const Event& event) const {
    require_not_broken();
    if (const auto* batch = std::get_if<PointBatch>(&event)) check_content(*batch);
    if (const auto* knob = std::get_if<KnobChange>(&event))
        (void)session(knob->model).changed_options(*knob, window_.format());
    if (const auto* outcomes = std::get_if<Outcomes>(&event)) check_content(*outcomes);
    if (const auto* removal = std::get_if<PointRemoval>(&event)) check_content(*removal);
    if (const auto* expiry = std::get_if<ProducerExpiry>(&event))
        if (expiry->last_sequence > sequence_)
            throw InvalidInput(Reason::malformed, "expiry of producers up to event " +
                                                      std::to_string(expiry->last_sequence) +
                                                      ": this event is in the future");
    if (const auto* refinement = std::get_if<Refinement>(&event)) {
        if (refinement->rounds < 0)
            throw InvalidInput(Reason::bad_option,
                               "rounds = " + std::to_string(refinement->rounds) + ": must be at least 0");
        session(refinement->model).require_refinable();
    }
}

void EngineCore::check_content(const PointBatch& batch) const {
    check_points(format_, batch);
    PointBatch points = batch;
    if (format_.numbers_texts()) {
        IdTexts::require_different(batch.id_texts);
        points.ids = {};  // ids from clients that hash texts are not used
    }
    window_.validate_ids(points);
    if (!format_.numbers_texts()) id_texts_.require_no_collision(window_, batch);
}

void EngineCore::check_content(const Outcomes& outcomes) const {
    check_outcomes(format_, outcomes);
    check_ids(outcomes.ids, outcomes.id_texts, "outcomes");
}

void EngineCore::check_content(const PointRemoval& removal) const {
    check_ids(removal.ids, removal.id_texts, "removal");
}

// Throws `InvalidInput` unless these are ids of points of this stream, no two equal.
void EngineCore::check_ids(std::span<const PointId> ids, const TextSpan& texts, std::string_view of) const {
    const std::string where(of);
    if (format_.numbers_texts() && texts.empty() && !ids.empty())
        throw InvalidInput(Reason::wrong_shape, where +
                                                    ": ids are numbers, but this stream identifies points by texts: "
                                                    "send the texts, as clients of this version do");
    if (!format_.has_text_ids && !texts.empty())
        throw InvalidInput(Reason::wrong_shape,
                           where + ": ids are texts, but this stream identifies points by numbers");
    if (!ids.empty() && !texts.empty() && ids.size() != texts.size())
        throw InvalidInput(Reason::wrong_shape, where + ": " + std::to_string(texts.size()) + " texts for " +
                                                    std::to_string(ids.size()) + " ids");
    if (!format_.numbers_texts() && ids.size() < texts.size())
        throw InvalidInput(Reason::wrong_shape,
                           where + ": texts without ids; this stream needs the hash of each text as its id");
    check_id_texts(texts);
    if (format_.numbers_texts())
        IdTexts::require_different(texts);
    else
        window_.validate_ids({.ids = ids});
}

void EngineCore::check_work(const PointBatch& batch) const {
    const std::size_t capacity = window_.capacity();
    const std::size_t piece = std::min(batch.size(), capacity);
    const std::size_t retained = std::min<std::size_t>(capacity, window_.size() + batch.size());
    const auto pieces = std::ceil(static_cast<double>(batch.size()) / static_cast<double>(capacity));
    WorkEstimate work;
    for (const auto& session : sessions_)
        work = sum_of({pieces * session->work_of_batch(session->options(), window_.format(), piece, retained), work});
    require_within(event_work_limit_, work, Reason::oversized,
                   "the batch of " + std::to_string(batch.size()) + " points");
}

void EngineCore::check_work(const Outcomes& outcomes) const {
    WorkEstimate work;
    for (const auto& session : sessions_)
        if (session->kind().outputs() == OutputKind::none)
            work = sum_of(
                {session->work_of_batch(session->options(), window_.format(), outcomes.size(), window_.size()), work});
    require_within(event_work_limit_, work, Reason::oversized, std::to_string(outcomes.size()) + " outcomes");
}

void EngineCore::check_work(const PointRemoval& removal) const {
    WorkEstimate work;
    for (const auto& session : sessions_)
        work = sum_of(
            {session->work_of_batch(session->options(), window_.format(), removal.size(), window_.size()), work});
    require_within(event_work_limit_, work, Reason::oversized,
                   "the removal of " + std::to_string(removal.size()) + " points");
}

void EngineCore::check_work(const KnobChange& knob) const {
    const Session& changed = session(knob.model);
    require_within(
        event_work_limit_,
        changed.work_of_batch(changed.changed_options(knob, window_.format()), window_.format(), 1, window_.capacity()),
        Reason::bad_option, knob.option + " = " + knob.value + ": a step of " + knob.model);
}

void EngineCore::check_work(const Refinement& refinement) const {
    const std::string rounds =
        refinement.rounds == 0 ? "until nothing improves" : "by " + std::to_string(refinement.rounds) + " rounds";
    const Session& refined = session(refinement.model);
    const ModelOptions& options = refined.options();
    require_within(event_work_limit_,
                   sum_of({options.kind().refine_work(options, window_.format(), refinement.rounds, window_.size()),
                           refined.work_of_batch(options, window_.format(), 1, window_.size())}),
                   Reason::oversized, "refining " + refinement.model + " " + rounds);
}

void EngineCore::apply(const PointBatch& batch, const Decisions& decisions) {
    const std::size_t piece = window_.capacity();
    if (batch.size() <= piece) return apply_piece(batch, decisions, work_);
    // A batch above the capacity passes through the window in pieces; subscribers see the net change.
    const std::vector<PointId> before(window_.points().ids.begin(), window_.points().ids.end());
    std::vector<OutputChanges> net(sessions_.size());
    std::vector<ByRowKind<std::vector<PointId>>> rows_of(sessions_.size());
    for (std::size_t first = 0; first < batch.size(); first += piece) {
        const std::size_t last = std::min(first + piece, batch.size());
        const auto share = [&](std::size_t at) { return static_cast<double>(at) / static_cast<double>(batch.size()); };
        WorkShares shares(work_, (batch.size() - first + piece - 1) / piece);
        apply_piece(batch.slice(first, last - first), decisions, shares[0].part(share(first), share(last)));
        for (std::size_t i = 0; i < net.size(); ++i) {
            merge_changes(net[i], update_.models[i].changes);
            for (const RowRules& rules : row_rules) {
                const std::vector<PointId>& of_piece = update_.models[i].rows_of[rules.kind];
                std::vector<PointId>& ids = rows_of[i][rules.kind];
                ids.insert(ids.end(), of_piece.begin(), of_piece.end());
            }
        }
    }
    const std::unordered_set<PointId> stayed = still_retained(before);
    for (std::size_t i = 0; i < net.size(); ++i) {
        update_.models[i].changes = std::move(net[i]);
        for (const RowRules& rules : row_rules)
            update_.models[i].rows_of[rules.kind] = unique_retained(std::move(rows_of[i][rules.kind]));
        sessions_[i]->set_churn(stayed, update_.models[i]);
    }
}

// Returns the points of `ids` that are retained, each once, in order.
std::vector<PointId> EngineCore::unique_retained(std::vector<PointId> ids) const {
    std::unordered_set<PointId> listed;
    std::erase_if(ids, [&](PointId id) { return !window_.find(id) || !listed.insert(id).second; });
    return ids;
}

std::unordered_set<PointId> EngineCore::still_retained(std::span<const PointId> before) const {
    std::unordered_set<PointId> stayed;
    for (const PointId id : before)
        if (window_.find(id)) stayed.insert(id);
    return stayed;
}

// Changes the measures of features and the unit of weights if that is due before a batch.
void EngineCore::renew_measures(const PointBatch& batch) {
    if (preparer_.is_active()) {
        std::optional<MeasureChange> change;
        arenas_.run([&] { change = preparer_.renew(window_, batch); });
        if (change) re_express(*change);
    }
    if (const double factor = window_.renew_weight_unit(batch); factor != 1)
        re_express({.factors = {}, .shifts = {}, .weight_factor = factor});
}

void EngineCore::re_express(const MeasureChange& change) {
    for (const auto& session : sessions_) session->re_express(window_, change);
}

void EngineCore::apply_piece(const PointBatch& batch, const Decisions& decisions, const WorkHandle& work) {
    const bool is_late = window_.is_late(batch.event_time);
    PointBatch prepared = batch;
    if (!is_late) {
        if (format_.numbers_texts()) prepared.ids = id_texts_.numbered(window_, batch.id_texts);
        renew_measures(batch);
        if (preparer_.is_active()) prepared.features = preparer_.prepare(batch.features);
    }
    const WindowChange& change = window_.apply(prepared);
    update_.counts += replacements(window_, change);
    if (preparer_.is_active() && !is_late) preparer_.note(window_, change, batch);
    if (!is_late) id_texts_.note(window_, change, batch);
    const std::size_t points = is_late ? 0 : batch.size();
    const auto sessions = static_cast<double>(sessions_.size());
    std::size_t left = awaited_step_count();
    for (std::size_t i = 0; i < sessions_.size(); ++i) {
        const auto at = static_cast<double>(i);
        WorkShares shares(work, std::max<std::size_t>(left, 1));
        if (sessions_[i]->schedule().every == 0) --left;
        sessions_[i]->ingest(context(i, change, points, decisions, shares[0].part(at / sessions, (at + 1) / sessions)),
                             update_.models[i]);
    }
}

// Returns the context of a session for a change of the window by `points` points; `work` bounds a step that the event
// waits for.
BatchContext EngineCore::context(std::size_t session, const WindowChange& change, std::uint64_t points,
                                 const Decisions& decisions, const WorkHandle& work) {
    return {window_,
            change,
            points,
            static_cast<std::uint32_t>(session),
            arenas_,
            decisions,
            update_.decisions,
            work,
            step_work_.limit,
            background_limit(),
            update_.work};
}

// Returns the number of models whose steps an event waits for; they share its limit on work.
std::size_t EngineCore::awaited_step_count() const {
    return static_cast<std::size_t>(
        std::ranges::count(sessions_, 0U, [](const auto& session) { return session->schedule().every; }));
}

std::uint64_t EngineCore::background_limit() const {
    const auto [limit, background_factor] = step_work_;
    return limit > no_work_limit / background_factor ? no_work_limit : limit * background_factor;
}

// Returns the ids of the points that an event names; valid until the next call.
std::span<const PointId> EngineCore::ids_of(std::span<const PointId> ids, const TextSpan& texts) {
    return format_.numbers_texts() ? id_texts_.ids_of(window_, texts) : ids;
}

// Only models without outputs use late targets; other models do not learn from them.
void EngineCore::apply(const Outcomes& outcomes, const Decisions& decisions) {
    const WindowChange& change = window_.set_targets(ids_of(outcomes.ids, outcomes.id_texts), outcomes.targets);
    update_.counts.not_retained = outcomes.size() - change.written.size();
    for (std::size_t i = 0; i < sessions_.size(); ++i) {
        if (sessions_[i]->kind().outputs() != OutputKind::none) continue;
        sessions_[i]->ingest(context(i, change, change.written.size(), decisions, work_), update_.models[i]);
    }
}

void EngineCore::apply(const PointRemoval& removal, const Decisions& decisions) {
    const Slot before = window_.size();
    const WindowChange& change = window_.remove(ids_of(removal.ids, removal.id_texts));
    update_.counts.not_retained = removal.size() - (before - window_.size());
    if (change.written.empty()) return;
    if (preparer_.is_active()) preparer_.note(window_, change, {});
    id_texts_.note(window_, change, {});
    WorkShares shares(work_, std::max<std::size_t>(sessions_.size(), 1));
    for (std::size_t i = 0; i < sessions_.size(); ++i)
        sessions_[i]->remove(context(i, change, 0, decisions, shares[i]), update_.models[i]);
}

void EngineCore::apply(const KnobChange& knob, const Decisions&) {
    const std::size_t i = index(knob.model);
    Session& changed = *sessions_[i];
    changed.change_options(changed.changed_options(knob, window_.format()), window_, work_, update_.models[i]);
}

void EngineCore::apply(const Refinement& refinement, const Decisions&) {
    const std::size_t i = index(refinement.model);
    sessions_[i]->refine(window_, refinement.rounds, arenas_, work_, update_.work, update_.models[i]);
}

}  // namespace fairstream::core
