#include <algorithm>
#include <utility>

#include <fairstream/options.hpp>
#include <fairstream/service/detail/bounded_text.hpp>
#include <fairstream/service/detail/question.hpp>
#include <fairstream/service/service.hpp>

namespace fairstream::service {

namespace {

template <class... F> struct Overloaded : F... { using F::operator()...; };
template <class... F> Overloaded(F...) -> Overloaded<F...>;

}  // namespace

void Service::handle_control(std::string_view client, Bytes message, double uptime_seconds, const Client& sender) {
    require_usable();
    ++counters_.requests;
    wire::ControlReply reply{0, id_, {}};
    Bytes bytes;
    bool at_once = false, ended = false;
    try {
        message_.assign(message);
        reply.request = wire::read_request_number(message_);
        const wire::ControlRequest request = wire::read_control_request(message_);
        if (const Rule& rule = rule_of(request); !includes(sender.rights, rule.needed))
            throw InvalidInput(Reason::not_allowed, "this client's key has no right to " + std::string(rule.message) +
                                                        "; [security] in the engine's configuration gives rights");
        at_once = std::holds_alternative<wire::HealthRequest>(request.body);
        if (!at_once) require_answerable(request);
        if (const std::string* const model = Question::model_of(request)) {
            std::unique_ptr<Answers> answers = engine_.answers(*model);
            return ask(
                std::make_shared<Question>(std::string(client), std::move(answers), request, std::move(message_), id_));
        }
        reply.body = answer(request, uptime_seconds);
        bytes = wire::write(reply, encoder_);
    } catch (const Interrupted&) {
        ended = true;
        reply.body =
            wire::Nack{0, Reason::not_ready, "the engine stopped before the request was done: nothing was changed", 0};
        bytes = wire::write(reply, encoder_);
    } catch (const InvalidInput& error) {
        reply.body = wire::Nack{0, error.reason(), bounded(error.what()), 0};
        bytes = wire::write(reply, encoder_);
    }
    hand_over_answer(at_once ? nullptr : awaited_commit(), std::string(client), SharedBytes(bytes));
    if (ended) throw Interrupted();
}

// Queues an answer until the awaited commit releases it; without an awaited commit, for the next `take`.
void Service::hand_over_answer(HeldMessages* awaited, std::string client, SharedBytes answer) {
    if (awaited != nullptr) awaited->control_bytes += answer.size();
    (awaited != nullptr ? awaited->control : released_.control).push_back({std::move(client), std::move(answer)});
}

bool Service::is_question(const wire::ControlRequest& request) {
    return Question::model_of(request) != nullptr;
}

bool Service::answering() const noexcept {
    return question_ && !question_->answered();
}

void Service::ask(const std::shared_ptr<Question>& question) {
    take_answer();
    HeldMessages* const awaited = awaited_commit();
    if (!answer_runner_ || question_) {
        question->answer();
        return hand_over_answer(awaited, question->client(), question->reply());
    }
    if (awaited != nullptr) awaited->question = true;
    question_ = question;
    answer_runner_([question] { question->answer(); });
}

// Takes the answer made in the background, if it is ready. The commit that it waits for, if still running, releases it.
void Service::take_answer() {
    if (!question_ || !question_->answered()) return;
    HeldMessages* const awaited = held_.question ? &held_ : in_flight_.question ? &in_flight_ : nullptr;
    held_.question = in_flight_.question = false;
    hand_over_answer(awaited, question_->client(), question_->reply());
    question_.reset();
}

void Service::end_answer(Reason reason, const std::string& text) {
    if (question_) question_->end(reason, text);
}

// Throws after an interruption, which leaves the engine half-way through an event; a stop is still answered.
void Service::require_answerable(const wire::ControlRequest& request) const {
    if (!interrupted_ || std::holds_alternative<wire::StopRequest>(request.body)) return;
    throw InvalidInput(Reason::not_ready, "the engine is stopping and did not carry out the request");
}

Service::ControlBody Service::answer(const wire::ControlRequest& request, double uptime_seconds) {
    return std::visit(Overloaded{
                          [&](const wire::SnapshotRequest& body) -> ControlBody { return snapshot(body.topic); },
                          [&](const wire::RangeRequest& body) -> ControlBody { return answer_range(body); },
                          [&](const wire::AssignRequest&) -> ControlBody { return {}; },  // see `ask`
                          [&](const wire::RowRequest&) -> ControlBody { return {}; },     // see `ask`
                          [&](const wire::ReportRequest& body) -> ControlBody { return report(body.model); },
                          [&](const KnobChange& body) -> ControlBody { return answer_event(body); },
                          [&](const Refinement& body) -> ControlBody { return answer_event(body); },
                          [&](const wire::HealthRequest&) -> ControlBody {
                              require_recording();
                              return health(uptime_seconds);
                          },
                          [&](const wire::DescriptionRequest&) -> ControlBody { return description(overview()); },
                          [&](const wire::ProducersRequest&) -> ControlBody { return known_producers(); },
                          [&](const wire::RemovalRequest& body) -> ControlBody {
                              if (body.producer == control_producer)
                                  throw InvalidInput(Reason::not_allowed,
                                                     "producer 'control' belongs to the engine and cannot be removed");
                              return answer_event(producers_.removal(body.producer));
                          },
                          [&](const PointRemoval& body) -> ControlBody {
                              engine_.check(body);
                              return remove_points(body);
                          },
                          [&](const wire::KnownRequest& body) -> ControlBody {
                              if (body.event.recording != id_)
                                  throw InvalidInput(Reason::bad_state,
                                                     "the event in the request belongs to another recording");
                              require_known("a subscriber", body.event);
                              return wire::Done{body.event.sequence};
                          },
                          [&](const wire::StopRequest&) -> ControlBody {
                              try {
                                  finish();
                              } catch (const Interrupted&) {
                                  finish();  // after the interruption, and so without a checkpoint
                              }
                              stopping_ = true;
                              return wire::Done{engine_.sequence()};
                          },
                      },
                      request.body);
}

wire::Producers Service::known_producers() const {
    wire::Producers known;
    for (const auto& [name, producer] : producers_.known())
        if (name != control_producer)
            known.producers.push_back(
                {name, producer.owner, producer.mark.epoch, producer.mark.producer_sequence, producer.last_sequence});
    return known;
}

wire::Publication Service::snapshot(const std::string& topic) {
    return publisher_.snapshot(topic, engine_, hashes_.after(engine_.sequence()));
}

/// Describes the models again after a change of their options.
void Service::describe_models() {
    described_.clear();
    options_.clear();
    for (const ModelSetup& model : engine_.options().models) {
        options_.push_back(std::make_shared<const ModelOptions>(engine_.current_options(model.name)));
        described_.push_back(wire::model_description(model, *options_.back(), format_));
    }
}

Overview Service::overview() const {
    Overview overview{engine_.sequence(), counters_.events, counters_.points, described_, {}};
    for (std::size_t i = 0; i < described_.size(); ++i) {
        overview.models[i].stepped_at = stepped_at_[i];
        overview.reports.push_back(report_later(i));
    }
    return overview;
}

wire::ModelReport Service::report(const std::string& model) const {
    return wire::model_report(engine_.report(model), engine_.current_options(model), format_,
                              engine_.window().dimensions());
}

std::function<wire::ModelReport()> Service::report_later(std::size_t model) const {
    return [report = engine_.report_later(described_[model].name), options = options_[model],
            dimensions = engine_.window().dimensions(),
            &format = format_] { return wire::model_report(report(), *options, format, dimensions); };
}

wire::Description Service::description(const Overview& overview) const {
    return {.sequence = overview.sequence,
            .recording = name_,
            .format = format_,
            .reader_settings = settings_.reader_settings,
            .models = overview.models,
            .events = overview.events,
            .points = overview.points,
            .max_message_bytes = message_limit_,
            .capacity = engine_.options().window.capacity};
}

std::optional<Service::ControlBody> Service::answer_of_last_commit(const wire::ControlRequest& request) const {
    const std::shared_ptr<const Overview> overview = board_.overview();
    if (!overview) return std::nullopt;
    if (std::holds_alternative<wire::DescriptionRequest>(request.body)) return description(*overview);
    const auto* const asked = std::get_if<wire::ReportRequest>(&request.body);
    if (asked == nullptr) return std::nullopt;
    const auto model = std::ranges::find(overview->models, asked->model, &wire::ModelDescription::name);
    if (model == overview->models.end()) return std::nullopt;
    return overview->reports[static_cast<std::size_t>(model - overview->models.begin())]();
}

Service::ControlBody Service::answer_range(const wire::RangeRequest& request) {
    const Topic& topic = publisher_.topic(request.topic);
    if (request.first == 0 || request.first > request.last) {
        throw InvalidInput(Reason::malformed, "the range " + std::to_string(request.first) + " to " +
                                                  std::to_string(request.last) +
                                                  ": must begin at 1 or later, and must not end before it begins");
    }
    if (request.first < topic.first_kept()) return snapshot(request.topic);
    wire::Publications publications;
    for (std::uint64_t number = request.first; number <= std::min(request.last, topic.last()); ++number) {
        publications.messages.push_back(topic.at(number).view());
    }
    return publications;
}

// Records only ids of retained points. Other ids change nothing, and may be anything from a wrong file.
wire::RemovedPoints Service::remove_points(const PointRemoval& asked) {
    const bool by_text = engine_.options().format.numbers_texts();
    std::vector<PointId> ids;
    TextColumn texts;
    for (std::size_t i = 0; i < asked.size(); ++i) {
        if (by_text && engine_.id_of(asked.id_texts[i])) texts.add(asked.id_texts[i]);
        if (!by_text && engine_.window().find(asked.ids[i])) ids.push_back(asked.ids[i]);
    }
    const PointRemoval retained{ids, texts.view()};
    wire::RemovedPoints removed{engine_.sequence(), retained.size(), asked.size() - retained.size()};
    if (removed.points == 0) return removed;
    ++removed.sequence;
    ingest_own_event(retained);
    return removed;
}

Service::ControlBody Service::answer_event(Event event) {
    engine_.check(event);
    const Sequence sequence = engine_.sequence() + 1;
    ingest_own_event(std::move(event));
    return wire::Done{sequence};
}

}  // namespace fairstream::service
