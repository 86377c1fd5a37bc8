#include <fairstream/zmq/control_client.hpp>

#include <fairstream/zmq/detail/control_session.hpp>

namespace fairstream::zmq {

struct ControlClient::Impl {
    explicit Impl(ControlOptions given)
        : options(std::move(given)), session(options.context, options.endpoint, options.security) {}

    /// Sends `body` and returns the answer; throws for refusals.
    wire::ControlReply ask(const ControlSession::Body& body);
    template <class Answer> Answer ask_for(const ControlSession::Body& body);
    /// Asks for outputs of this kind, and returns them.
    template <class T, class Request>
    std::vector<typename wire::PointOutput<T>::Answer> ask_for_outputs(const Request& request);

    ControlOptions options;
    ControlSession session;
    wire::RecordingId recording{};
};

wire::ControlReply ControlClient::Impl::ask(const ControlSession::Body& body) {
    const std::uint64_t request = session.ask(body);
    const auto deadline = deadline_after(options.timeout);
    const std::uint64_t unreadable = session.unreadable();
    for (;;) {
        while (auto reply = session.receive()) {
            const auto* refusal = std::get_if<wire::Nack>(&reply->body);
            // A refusal with number 0 answers a request whose number could not be read. Any other number belongs to a
            // late answer to a request that timed out.
            if (reply->request != request && !(reply->request == 0 && refusal)) continue;
            recording = reply->recording;
            if (refusal) throw ControlRefused(refusal->reason, refusal->text);
            return std::move(*reply);
        }
        if (Clock::now() >= deadline) break;
        ::zmq::pollitem_t item = session.poll_item();
        wait({&item, 1}, deadline);
    }
    session.reconnect();
    if (session.unreadable() != unreadable)
        throw ControlMismatch("'" + options.endpoint +
                              "' is not the control endpoint of an engine of this version: fairstream serve logs its "
                              "endpoints at its start");
    throw ControlTimeout("no answer from '" + options.endpoint + "' within " + std::to_string(options.timeout.count()) +
                         " ms");
}

template <class Answer> Answer ControlClient::Impl::ask_for(const ControlSession::Body& body) {
    wire::ControlReply reply = ask(body);
    if (auto* answer = std::get_if<Answer>(&reply.body)) return std::move(*answer);
    throw ControlMismatch("the answer of '" + options.endpoint + "' is of kind " + std::to_string(reply.body.index()) +
                          ", which does not answer a request of kind " + std::to_string(body.index()));
}

template <class T, class Request>
std::vector<typename wire::PointOutput<T>::Answer> ControlClient::Impl::ask_for_outputs(const Request& request) {
    const wire::Assigned assigned = ask_for<wire::Assigned>(request);
    if (const auto* outputs = std::get_if<wire::Answered<T>>(&assigned.outputs))
        return {outputs->values.begin(), outputs->values.end()};
    throw ControlMismatch("model " + request.model + " of '" + options.endpoint + "' gives " +
                          wire::PointOutputs::names.at(assigned.outputs.index()) + ", not " +
                          wire::PointOutput<T>::name);
}

ControlClient::ControlClient(ControlOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
ControlClient::~ControlClient() = default;
ControlClient::ControlClient(ControlClient&&) noexcept = default;
ControlClient& ControlClient::operator=(ControlClient&&) noexcept = default;

wire::Publication ControlClient::snapshot(const std::string& topic) {
    return impl_->ask_for<wire::Publication>(wire::SnapshotRequest{topic});
}

ControlClient::Range ControlClient::range(const std::string& topic, std::uint64_t first, std::uint64_t last) {
    wire::ControlReply reply = impl_->ask(wire::RangeRequest{topic, first, last});
    if (auto* snapshot = std::get_if<wire::Publication>(&reply.body)) return std::move(*snapshot);
    const auto* publications = std::get_if<wire::Publications>(&reply.body);
    if (!publications) throw ControlMismatch("the answer of '" + impl_->options.endpoint + "' is no range");
    return std::vector<wire::AlignedMessage>(publications->messages.begin(), publications->messages.end());
}

std::vector<ClusterId> ControlClient::assign(const std::string& model, ConstRows features,
                                             std::span<const GroupId> groups) {
    return impl_->ask_for_outputs<ClusterId>(wire::AssignRequest{model, features, groups, !groups.empty()});
}

std::vector<Score> ControlClient::score(const std::string& model, ConstRows features, std::span<const GroupId> groups) {
    return impl_->ask_for_outputs<Score>(wire::AssignRequest{model, features, groups});
}

std::vector<float> ControlClient::rows(const std::string& model, RowKind kind, ConstRows features) {
    std::vector<float> rows;
    wire::PointOutputs::visit(kind, [&]<class T>() {
        rows = impl_->ask_for_outputs<T>(wire::RowRequest{model, features, kind});
    });
    return rows;
}

wire::ModelReport ControlClient::report(const std::string& model) {
    return impl_->ask_for<wire::ModelReport>(wire::ReportRequest{model});
}

Sequence ControlClient::set_option(const KnobChange& change) {
    return impl_->ask_for<wire::Done>(change).sequence;
}
Sequence ControlClient::refine(const Refinement& refinement) {
    return impl_->ask_for<wire::Done>(refinement).sequence;
}
wire::Health ControlClient::health() {
    return impl_->ask_for<wire::Health>(wire::HealthRequest{});
}
wire::Description ControlClient::description() {
    return impl_->ask_for<wire::Description>(wire::DescriptionRequest{});
}
std::vector<wire::ProducerState> ControlClient::producers() {
    return impl_->ask_for<wire::Producers>(wire::ProducersRequest{}).producers;
}
Sequence ControlClient::remove_producer(const std::string& name) {
    return impl_->ask_for<wire::Done>(wire::RemovalRequest{name}).sequence;
}
wire::RemovedPoints ControlClient::remove_points(const PointRemoval& removal) {
    return impl_->ask_for<wire::RemovedPoints>(removal);
}
Sequence ControlClient::stop() {
    return impl_->ask_for<wire::Done>(wire::StopRequest{}).sequence;
}

void ControlClient::set_timeout(std::chrono::milliseconds timeout) {
    impl_->options.timeout = timeout;
}
const wire::RecordingId& ControlClient::recording() const noexcept {
    return impl_->recording;
}

}  // namespace fairstream::zmq
