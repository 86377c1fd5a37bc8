#pragma once
/// The common part of checks of models: an engine with one model, its stream, and its outputs.

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <vector>

#include <fairstream/core/detail/engine_core.hpp>
#include <fairstream/detail/all_options.hpp>

#include "model_streams.hpp"

namespace fairstream::test {

template <class M> class ModelChecks : public ::testing::Test {
protected:
    using Stream = ModelStream<M>;
    using Output = typename M::Output;
    using Core = core::EngineCore<M>;
    static constexpr Slot capacity = 300;
    static constexpr bool scores = ScoringModel<M>;

    /// With the targets that scores are learned from.
    static StreamFormat format() {
        StreamFormat made = two_attributes();
        made.has_targets = scores;
        return made;
    }

    static std::unique_ptr<Core> engine(const typename M::Options& options = Stream::options(), int threads = 1,
                                        Slot slots = capacity, const StreamFormat& stream_format = format()) {
        auto core = std::make_unique<Core>(stream_format, WindowOptions{slots, WindowPolicy::sliding, 1}, threads);
        core->template add<M>("model", options, {});
        return core;
    }
    static std::vector<PointColumns> stream(std::size_t count = 12) { return batches(format(), count, 70, 5, 0.1F); }
    static std::vector<std::byte> bytes(const Core& core) {
        StateWriter writer;
        core.save(writer);
        return writer.take();
    }
    /// Labels or scores, by slot.
    static std::span<const Output> visible(const Core& core) {
        return std::visit([](const auto& s) { return s.visible(); }, core.session("model"));
    }
    static const Changes<Output>& changes(const Update& update) {
        if constexpr (scores)
            return update.models[0].scores;
        else
            return update.models[0].changes;
    }
    static std::vector<Output> predicted(const Core& core, const PointColumns& points) {
        std::vector<Output> out(points.ids.size());
        core::predict_outputs<M>(Stream::options(), state(core), points.features, points.groups, out);
        return out;
    }
    static std::optional<ScoreFairness> score_fairness_of(const Core& core) {
        return std::visit([](const auto& s) { return s.score_fairness(); }, core.session("model"));
    }
    static const FairnessTally& tally_of(const Core& core) {
        return std::visit([](const auto& s) -> const FairnessTally& { return s.visible_tally(); },
                          core.session("model"));
    }
    static const typename M::State& state(const Core& core) {
        return std::visit([](const auto& s) -> const typename M::State& { return s.state(); }, core.session("model"));
    }
    static void fold(std::map<PointId, Output>& view, const Changes<Output>& moved) {
        for (std::size_t i = 0; i < moved.departed.size(); ++i) {
            ASSERT_EQ(view.at(moved.departed[i]), moved.departed_from[i]);
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
        for (Slot slot = 0; slot < core.window().size(); ++slot)
            if (visible(core)[slot] != absent<Output>()) all[core.window().id(slot)] = visible(core)[slot];
        return all;
    }
    /// Expects the fairness figures of `update` to equal those counted from all visible outputs.
    static void expect_counted_fairness(const Core& core, const ModelUpdate& update) {
        if constexpr (scores) {
            ScoreTally counted(core.window().format().attributes[score_attribute(Stream::options())].groups.size());
            for (Slot slot = 0; slot < core.window().size(); ++slot)
                counted.add(visible(core)[slot], core.window().group(slot, score_attribute(Stream::options())),
                            core.window().target(slot) > 0);
            counted.settle();
            const ScoreFairness expected = measure(Stream::options(), counted);
            ASSERT_EQ(expected, update.score_fairness);
            ASSERT_EQ(expected, score_fairness_of(core));
            ASSERT_TRUE(update.tally == FairnessTally());
        } else {
            FairnessTally counted(tally_of(core).clusters(), std::vector<int>{2, 3});
            for (Slot slot = 0; slot < core.window().size(); ++slot)
                if (visible(core)[slot] != no_cluster) counted.add(visible(core)[slot], core.window().groups(slot));
            ASSERT_EQ(counted, update.tally);
            ASSERT_EQ(counted, tally_of(core));
            ASSERT_FALSE(update.score_fairness);
        }
    }
};

}  // namespace fairstream::test
