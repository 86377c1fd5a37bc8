#pragma once
/// Updates that events make of an engine's models, and reports of the models between events.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <fairstream/base/types.hpp>
#include <fairstream/core/events.hpp>
#include <fairstream/fairness/score_fairness.hpp>
#include <fairstream/fairness/tally.hpp>
#include <fairstream/models/model.hpp>

namespace fairstream {

struct ModelUpdate {
    std::string_view model;      ///< its name; lives as long as the engine
    bool changed = false;        ///< whether this event stepped the model or changed any of its outputs
    Changes<ClusterId> changes;  ///< of a clustering; empty of a model of scores
    Changes<Score> scores;       ///< of a model of scores; empty of a clustering
    Solve solve;                 ///< of the last step that is visible
    double cost = 0;             ///< what the model minimises, of the step that is visible; 0 while warming
    double plain_cost = 0;       ///< what `cost` was found to be without a target, by as much effort; 0: not known
    /// Share of the points retained before and after that have another label, or a score on the other side of the
    /// decision threshold.
    double churn = 0;
    FairnessTally tally;                          ///< of the visible labels, all attributes
    std::vector<OperatingPoint> front;            ///< of a model that keeps several clusterings, in their order
    std::optional<ScoreFairness> score_fairness;  ///< of the visible scores of a model of scores
};

struct Update {
    Sequence sequence = 0;
    std::vector<ModelUpdate> models;  ///< in the order of `EngineOptions::models`
    std::vector<Decision> decisions;
};

/// Size and centre of a cluster, as the `clusters` topic and the report of a fit show.
struct ClusterSummary {
    std::int64_t size = 0;
    std::vector<float> centre;  ///< d
};

/// The present state of a model, read without stepping it.
struct ModelReport {
    std::string_view model;
    Solve solve;
    double cost = 0;
    double plain_cost = 0;  ///< as in `ModelUpdate`
    double churn = 0;
    FairnessTally tally;
    std::vector<ClusterSummary> clusters;         ///< k; empty while warming
    std::vector<OperatingPoint> front;            ///< as in `ModelUpdate`
    std::vector<Figure> figures;                  ///< of this kind of model; empty while warming
    std::optional<ScoreFairness> score_fairness;  ///< as in `ModelUpdate`
};

}  // namespace fairstream
