#pragma once
/// The model on a window, without an engine around it.

#include <fairstream/models/partial_fair_scorer/detail/model.hpp>

#include "samples.hpp"
#include "support/model_bench.hpp"

namespace fairstream::partial_fair_scorer::test {

constexpr std::size_t dimensions = 4;

inline StreamFormat labelled(std::size_t groups = 2) {
    Attribute sex{"sex", {}};
    for (std::size_t g = 0; g < groups; ++g) sex.groups.push_back(std::to_string(g));
    return {dimensions, {sex}, true};
}

struct ScorerBench : fairstream::test::ModelBench<partial_fair_scorer::Model> {
    explicit ScorerBench(const Options& given, Slot capacity = 3000, std::size_t groups = 2)
        : ModelBench(given, labelled(groups), capacity) {
        partial_fair_scorer::Model::check(options, window.format());
    }
    void ingest(const PointBatch& batch) {
        ModelBench::ingest(batch);
        partial_fair_scorer::Model::verify(options, state, window);
    }
    void improve(std::int64_t rounds = 0) {
        ModelBench::improve(rounds);
        partial_fair_scorer::Model::verify(options, state, window);
    }
    /// Returns the fairness of the current scores, computed from scratch.
    [[nodiscard]] ScoreFairness fairness() const {
        ScoreTally tally(window.format().attributes[0].groups.size());
        for (Slot slot = 0; slot < window.size(); ++slot)
            tally.add(state.scores[slot], window.group(slot, 0), window.target(slot) > 0);
        tally.settle();
        return partial_fair_scorer::Model::measure(options, tally);
    }
};

inline Options among(double from, double to, double kappa) {
    Options options;
    options.interval = {from, to};
    options.kappa = kappa;
    return options;
}

/// Points [first, first + n) of one stream.
inline PointColumns stream_part(std::size_t first, std::size_t n, std::uint32_t groups = 2) {
    PointColumns points = random_points(n, dimensions, groups, 40 + first);
    for (PointId& id : points.ids) id += first;
    return points;
}

}  // namespace fairstream::partial_fair_scorer::test
