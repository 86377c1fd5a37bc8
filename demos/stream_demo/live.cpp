#include "live.hpp"

#include <algorithm>
#include <utility>

#include "stream.hpp"

namespace demo {

using namespace fairstream;

namespace {

zmq::LabelSubscriber subscribe(const std::string& updates, const std::string& control, const char* model,
                               const std::shared_ptr<zmq::Context>& context) {
    zmq::SubscriberOptions options;
    options.updates_endpoint = updates;
    options.control_endpoint = control;
    options.model = model;
    options.context = context;
    return zmq::LabelSubscriber(options);
}

}  // namespace

Live::Live(const std::string& updates, const std::string& control)
    : models_([&]() -> std::array<Model, 2> {
          const auto context = std::make_shared<zmq::Context>();
          return {
              {{subscribe(updates, control, plain, context), {}}, {subscribe(updates, control, fair, context), {}}}};
      }()) {}

void Live::poll(std::chrono::milliseconds time) {
    for (Model& model : models_) {
        for (zmq::LabelSubscriber::Event& event : model.subscriber.poll(time / 2)) {
            if (auto* figures = std::get_if<zmq::FairnessUpdate>(&event))
                model.figures[figures->sequence] = std::move(figures->report);
        }
    }
}

std::optional<Row> Live::take(Sequence event) {
    auto &first = models_[0].figures, &second = models_[1].figures;
    for (auto at = first.lower_bound(event); at != first.end(); ++at) {
        const auto other = second.find(at->first);
        if (other == second.end()) continue;
        Row row{at->first, {at->second, other->second}};
        first.erase(first.begin(), std::next(at));
        second.erase(second.begin(), std::next(other));
        return row;
    }
    return std::nullopt;
}

bool Live::is_at(Sequence event) const {
    return std::all_of(models_.begin(), models_.end(), [event](const Model& model) {
        const auto& figures = model.subscriber.fairness();
        return model.subscriber.consistent() && model.subscriber.sequence() >= event && figures &&
               figures->sequence >= event;
    });
}

std::optional<Row> Live::newest() const {
    const auto &first = models_[0].figures, &second = models_[1].figures;
    for (auto at = first.rbegin(); at != first.rend(); ++at) {
        const auto other = second.find(at->first);
        if (other != second.end()) return Row{at->first, {at->second, other->second}};
    }
    return std::nullopt;
}

}  // namespace demo
