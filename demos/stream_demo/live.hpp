#pragma once
/// The subscribers of the demo, one for each model's labels and figures.

#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include <fairstream/zmq/subscriber.hpp>

namespace demo {

/// Figures of both models after the same event.
struct Row {
    fairstream::Sequence event = 0;
    std::array<fairstream::wire::FairnessReport, 2> figures;  ///< of `plain` and `fair`
};

class Live {
public:
    Live(const std::string& updates, const std::string& control);

    /// Processes arriving messages for up to `time`.
    void poll(std::chrono::milliseconds time);
    /// Returns the first event, from `event` on, for which figures of both models have arrived; drops earlier figures.
    [[nodiscard]] std::optional<Row> take(fairstream::Sequence event);
    /// Returns whether both views are complete, and reflect the engine after `event`.
    [[nodiscard]] bool is_at(fairstream::Sequence event) const;
    /// Returns the newest event for which figures of both models have arrived.
    [[nodiscard]] std::optional<Row> newest() const;
    [[nodiscard]] const fairstream::zmq::LabelMap& labels(std::size_t model) const {
        return models_[model].subscriber.labels();
    }

private:
    struct Model {
        fairstream::zmq::LabelSubscriber subscriber;
        std::map<fairstream::Sequence, fairstream::wire::FairnessReport> figures;
    };
    std::array<Model, 2> models_;
};

}  // namespace demo
