#include <fairstream/service/detail/question.hpp>

#include <vector>

#include <fairstream/models/model_kind.hpp>
#include <fairstream/options.hpp>
#include <fairstream/service/detail/bounded_text.hpp>

namespace fairstream::service {

namespace {

struct Outputs {
    std::vector<ClusterId> labels;
    std::vector<Score> scores;
    std::vector<float> rows;
};

// Returns the number of points with these features; throws for an incomplete point.
std::size_t rows_of(const Answers& answers, std::span<const float> features) {
    const std::size_t dimensions = answers.dimensions();
    if (features.size() % dimensions == 0) return features.size() / dimensions;
    throw InvalidInput(Reason::wrong_shape, std::to_string(features.size()) + " features do not divide into rows of " +
                                                std::to_string(dimensions));
}

wire::Assigned answer(const Answers& answers, const wire::AssignRequest& request, Outputs& outputs) {
    const std::size_t points = rows_of(answers, request.features);
    if (gives_numbers(answers.options())) {
        outputs.scores.resize(points);
        answers.score(request.features, request.groups, outputs.scores);
        return {wire::Answered<Score>{outputs.scores}};
    }
    outputs.labels.resize(points);
    if (request.groups.empty())
        answers.assign(request.features, outputs.labels);
    else
        answers.assign_fair(request.features, request.groups, outputs.labels);
    return {wire::Answered<ClusterId>{outputs.labels}};
}

wire::Assigned answer(const Answers& answers, const wire::RowRequest& request, Outputs& outputs) {
    outputs.rows.resize(rows_of(answers, request.features) * cluster_count(answers.options()));
    answers.predict_rows(request.rows, request.features, outputs.rows);
    wire::Assigned assigned;
    wire::PointOutputs::visit(request.rows, [&]<class T>() { assigned.outputs = wire::Answered<T>{outputs.rows}; });
    return assigned;
}

}  // namespace

const std::string* Question::model_of(const wire::ControlRequest& request) {
    if (const auto* const assign = std::get_if<wire::AssignRequest>(&request.body)) return &assign->model;
    if (const auto* const rows = std::get_if<wire::RowRequest>(&request.body)) return &rows->model;
    return nullptr;
}

void Question::answer() {
    wire::ControlReply reply{request_.request, recording_, {}};
    wire::Encoder encoder;
    Outputs outputs;
    try {
        if (const auto* const assign = std::get_if<wire::AssignRequest>(&request_.body))
            reply.body = service::answer(*answers_, *assign, outputs);
        else
            reply.body = service::answer(*answers_, std::get<wire::RowRequest>(request_.body), outputs);
        reply_ = SharedBytes(wire::write(reply, encoder));
    } catch (const std::exception& error) {
        reply.body = refusal(error);
        reply_ = SharedBytes(wire::write(reply, encoder));
    }
    answered_.store(true, std::memory_order_release);
}

wire::Nack Question::refusal(const std::exception& error) {
    const std::scoped_lock lock(mutex_);
    if (dynamic_cast<const Interrupted*>(&error) != nullptr) return refusal_;
    const auto* const invalid = dynamic_cast<const InvalidInput*>(&error);
    return {0, invalid == nullptr ? Reason::not_ready : invalid->reason(), bounded(error.what()), 0};
}

void Question::end(Reason reason, const std::string& text) {
    {
        const std::scoped_lock lock(mutex_);
        refusal_ = wire::Nack{0, reason, text, 0};
    }
    answers_->interrupt();
}

}  // namespace fairstream::service
