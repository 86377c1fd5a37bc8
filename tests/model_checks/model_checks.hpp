#pragma once
/// The common part of checks of models: an engine with one model, its stream, and its outputs.

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <memory>
#include <tuple>
#include <type_traits>
#include <vector>

#include <fairstream/core/detail/engine_core.hpp>
#include <fairstream/models/model_adapter.hpp>

#include "model_streams.hpp"

namespace fairstream::test {

template <class M> class ModelChecks : public ::testing::Test {
protected:
    using Stream = ModelStream<M>;
    using Output = typename M::Output;
    using Core = core::EngineCore;
    using Kind = std::conditional_t<NumberModel<M>, Scorer, std::conditional_t<MonitoringModel<M>, Monitor, Clusterer>>;
    using Session = core::SessionOf<Kind>;
    static constexpr Slot capacity = 300;
    static constexpr bool scores = NumberModel<M>;
    /// Whether it uses targets: to learn scores or predictions, or to measure given ones.
    static constexpr bool has_targets = scores || MonitoringModel<M>;

    static StreamFormat format() {
        StreamFormat made = two_attributes();
        made.has_targets = has_targets;
        return made;
    }

    static std::unique_ptr<Core> engine(const typename M::Options& options = Stream::options(), int threads = 1,
                                        Slot slots = capacity, const StreamFormat& stream_format = format()) {
        auto core = std::make_unique<Core>(stream_format, WindowOptions{slots, WindowPolicy::sliding, 1}, threads);
        core->add("model", options, {});
        return core;
    }
    static std::vector<PointColumns> stream(std::size_t count = 12) {
        std::vector<PointColumns> made = batches(format(), count, 70, 5, 0.1F);
        // The first feature is the measured prediction, a probability.
        if constexpr (MonitoringModel<M>)
            for (PointColumns& batch : made)
                for (std::size_t at = 0; at < batch.features.size(); at += format().dimensions)
                    batch.features[at] = 1 / (1 + std::exp(-batch.features[at]));
        return made;
    }
    static std::vector<std::byte> bytes(const Core& core) {
        StateWriter writer;
        core.save(writer);
        return writer.take();
    }
    /// Labels, scores or predictions, by slot.
    static std::span<const Output> visible(const Core& core) { return session(core).visible(); }
    static const Changes<Output>& changes(const Update& update) {
        return std::get<Changes<Output>>(update.models[0].changes);
    }
    static std::vector<Output> predicted(const Core& core, const PointColumns& points) {
        std::vector<Output> out(points.ids.size());
        session(core).model().predict(points.features, points.groups, out);
        return out;
    }
    /// Returns cost, churn, fairness and the model's own figures.
    static auto described(const Core& core) {
        ModelFigures figures;
        core.session("model").describe(figures);
        return std::tuple(figures.cost, figures.churn, figures.fairness, figures.figures);
    }
    static OutputFairness fairness_of(const Core& core) { return std::get<OutputFairness>(described(core)); }
    static const typename M::State& state(const Core& core) {
        using Running = adapter::Running<M, Kind>;
        return dynamic_cast<const Running&>(session(core).model()).state();
    }
    static const Session& session(const Core& core) { return dynamic_cast<const Session&>(core.session("model")); }
    static void fold(std::map<PointId, Output>& view, const Changes<Output>& moved) {
        for (std::size_t i = 0; i < moved.departed.size(); ++i) {
            ASSERT_EQ(view.at(moved.departed[i]), moved.departed_outputs[i]);
            view.erase(moved.departed[i]);
        }
        for (std::size_t i = 0; i < moved.ids.size(); ++i) {
            const auto at = view.find(moved.ids[i]);
            ASSERT_EQ(at == view.end() ? absent<Output>() : at->second, moved.before[i]);
            ASSERT_NE(moved.before[i], moved.after[i]);
            view[moved.ids[i]] = moved.after[i];
        }
    }
    /// Returns everything that a subscriber should see.
    static std::map<PointId, Output> seen(const Core& core) {
        std::map<PointId, Output> all;
        if constexpr (MonitoringModel<M>) return all;
        for (Slot slot = 0; slot < core.window().size(); ++slot)
            if (visible(core)[slot] != absent<Output>()) all[core.window().id(slot)] = visible(core)[slot];
        return all;
    }
    static NumberFairness number_fairness(const ModelUpdate& update) {
        if constexpr (ScoringModel<M>)
            return update.score_fairness();
        else
            return update.prediction_fairness();
    }
    /// Measures all points of a window, put in at once.
    static GroupMetrics counted_metrics(const Window& window) {
        const auto options = Stream::options();
        auto state = M::start(options, window);
        typename M::Workspace workspace;
        StepReport<Output> report;
        M::step(options, state, workspace, window, {}, report);
        return M::measure(options, state, window.format(), window.weight_unit());
    }
    /// Expects the fairness figures of `update` to equal those counted from all visible outputs.
    static void expect_counted_fairness(const Core& core, const ModelUpdate& update) {
        ASSERT_EQ(update.fairness, fairness_of(core));
        if constexpr (scores) {
            const int attribute = M::score_attribute(Stream::options());
            ScoreTally counted(core.window().format().attributes[attribute].groups.size());
            for (Slot slot = 0; slot < core.window().size(); ++slot)
                counted.add(visible(core)[slot], core.window().group(slot, attribute), core.window().target(slot));
            counted.settle();
            ASSERT_EQ(adapter::measure_named<M>(Stream::options(), counted, core.window().format()),
                      number_fairness(update));
        } else if constexpr (MonitoringModel<M>) {
            const Window& window = core.window();
            ASSERT_EQ(counted_metrics(window), update.group_metrics());
        } else {
            FairnessTally counted(update.tally().clusters(), std::vector<int>{2, 3});
            for (Slot slot = 0; slot < core.window().size(); ++slot)
                if (visible(core)[slot] != no_cluster) counted.add(visible(core)[slot], core.window().groups(slot));
            ASSERT_EQ(counted, update.tally());
        }
    }
};

}  // namespace fairstream::test
