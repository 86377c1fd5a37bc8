#pragma once
/// Engines for tests, and their externally visible state.

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include <fairstream/engine.hpp>
#include <fairstream/options.hpp>

#include "support/streams.hpp"

namespace fairstream::test {

/// safairkm with small steps and without a target, options set by name.
inline ModelSetup model(std::string name, const std::vector<std::pair<std::string, std::string>>& settings = {},
                        std::uint64_t every = 0) {
    ModelOptions options = default_options("safairkm");
    for (const auto& [option, value] : {std::pair<std::string, std::string>{"clusters", "4"},
                                        {"kmeans_updates", "16"},
                                        {"swaps", "2"},
                                        {"candidates", "8"},
                                        {"parity_at_least", "0"},
                                        {"rare_below", "0"},
                                        {"effort", "0"},
                                        {"starts", "1"}})
        set_option(options, option, value);
    for (const auto& [option, value] : settings) set_option(options, option, value);
    return {std::move(name), options, {every, WhenBusy::wait}};
}

inline EngineOptions setup(std::vector<ModelSetup> models = {model("fair")}, Slot capacity = 200,
                           std::uint32_t dimensions = 4) {
    return {two_attributes(dimensions), {capacity, WindowPolicy::sliding, 1}, std::move(models)};
}

/// A subscriber's view: the sum of all changes so far. Fails the test if they are inconsistent.
class View {
public:
    void fold(const Changes<ClusterId>& changes) {
        for (std::size_t i = 0; i < changes.departed.size(); ++i) {
            ASSERT_EQ(label(changes.departed[i]), changes.departed_outputs[i]);
            ASSERT_EQ(labels_.erase(changes.departed[i]), 1U);
        }
        for (std::size_t i = 0; i < changes.ids.size(); ++i) {
            ASSERT_EQ(label(changes.ids[i]), changes.before[i]);
            labels_[changes.ids[i]] = changes.after[i];
        }
    }
    [[nodiscard]] ClusterId label(PointId id) const {
        const auto at = labels_.find(id);
        return at == labels_.end() ? no_cluster : at->second;
    }
    [[nodiscard]] const std::map<PointId, ClusterId>& labels() const { return labels_; }

private:
    std::map<PointId, ClusterId> labels_;
};

/// The labelled points of an engine.
inline std::map<PointId, ClusterId> labelled(const Engine& engine, std::string_view name) {
    std::map<PointId, ClusterId> all;
    const std::span<const ClusterId> labels = engine.labels(name);
    EXPECT_EQ(labels.size(), engine.window().size());
    for (Slot slot = 0; slot < engine.window().size(); ++slot)
        if (labels[slot] != no_cluster) all[engine.window().id(slot)] = labels[slot];
    return all;
}

/// A copy of an update that can be kept and compared (the tally's model and the buffers belong to the engine).
struct Seen {
    std::string model;
    bool changed;
    Changes<ClusterId> changes;
    Solve solve;
    double cost, churn;
    FairnessTally tally;

    explicit Seen(const ModelUpdate& u)
        : model(u.model),
          changed(u.changed),
          changes(u.labels()),
          solve(u.solve),
          cost(u.cost),
          churn(u.churn),
          tally(u.tally()) {
        if (solve.outcome == Outcome::warming) solve.objective = 0;  // NaN, and so not equal to itself
    }
    bool operator==(const Seen&) const = default;
};

/// A batch as an event, of columns that outlive it.
inline Event event(const PointColumns& points) {
    return points.view();
}

}  // namespace fairstream::test
