#pragma once
/// Updates that events make of an engine's models, and reports of the models between events.

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include <fairstream/base/types.hpp>
#include <fairstream/core/events.hpp>
#include <fairstream/data/preparation.hpp>
#include <fairstream/data/window.hpp>
#include <fairstream/fairness/group_metrics.hpp>
#include <fairstream/fairness/prediction_fairness.hpp>
#include <fairstream/fairness/score_fairness.hpp>
#include <fairstream/fairness/tally.hpp>
#include <fairstream/models/model.hpp>
#include <fairstream/models/point_rows.hpp>

namespace fairstream {

/// Changes of what a model gives the points: of labels, or of numbers, scores or predictions; of a model without
/// outputs none ever.
using OutputChanges = ModelOutputs::AnyChanges;
/// Fairness of the visible outputs of a model: the tally of all attributes, of labels; measures of scores or
/// predictions; of a model without outputs the figures of the predictions that points carry.
using OutputFairness = std::variant<FairnessTally, ScoreFairness, PredictionFairness, GroupMetrics>;

/// The part that updates and reports of a model have in common.
struct ModelFigures {
    std::string_view model;  ///< its name; lives as long as the engine
    Solve solve;             ///< of the last step that is visible
    double cost = 0;         ///< what the model minimises, of the step that is visible; 0 while warming
    /// Share of the points retained before and after that have another label, a score on the other side of the decision
    /// threshold, or another prediction.
    double churn = 0;
    OutputFairness fairness;
    std::vector<OperatingPoint> front;  ///< of a model that keeps several clusterings, in their order
    std::vector<Figure> figures;        ///< of this kind of model; empty while warming

    /// Returns one of the model's own figures; empty where it has none of that name.
    [[nodiscard]] std::optional<double> figure(std::string_view name) const { return value_of(figures, name); }
    /// The fairness of a clustering. Throws `std::bad_variant_access` of a model that gives scores.
    [[nodiscard]] const FairnessTally& tally() const { return std::get<FairnessTally>(fairness); }
    /// The fairness of scores, of predictions. Throw `std::bad_variant_access` of a model that gives others.
    [[nodiscard]] const ScoreFairness& score_fairness() const { return std::get<ScoreFairness>(fairness); }
    [[nodiscard]] const PredictionFairness& prediction_fairness() const {
        return std::get<PredictionFairness>(fairness);
    }
    /// The figures by group of a model without outputs. Throws `std::bad_variant_access` of one that has outputs.
    [[nodiscard]] const GroupMetrics& group_metrics() const { return std::get<GroupMetrics>(fairness); }
};

struct ModelUpdate : ModelFigures {
    bool changed = false;  ///< whether this event stepped the model or changed any of its outputs
    /// Set where the event made a step visible, refined the model, or changed its figures by an option; not by
    /// predictions for new points alone.
    bool stepped = false;
    OutputChanges changes;  ///< empty unless `changed`
    /// Points whose rows this event changed by what subscribers are told (`RowRules`), each once.
    ByRowKind<std::vector<PointId>> rows_of;
    /// Set where predictions are by another network than before the event.
    bool network_changed = false;

    /// The changes of labels, of scores or predictions. Throw `std::bad_variant_access` of a model that gives the
    /// other.
    [[nodiscard]] const Changes<ClusterId>& labels() const { return std::get<Changes<ClusterId>>(changes); }
    [[nodiscard]] const Changes<Score>& scores() const { return std::get<Changes<Score>>(changes); }
};

struct Update {
    Sequence sequence = 0;
    std::vector<ModelUpdate> models;  ///< in the order of `EngineOptions::models`
    std::vector<Decision> decisions;
    EventCounts counts;              ///< of this event
    Arrivals arrivals;               ///< so far
    PreparationFigures preparation;  ///< so far
    /// Multiply-adds that models counted: of what the event waited for, and of steps beside the stream whose results
    /// it made visible.
    std::uint64_t work = 0;
};

/// The present state of a model, read without stepping it. The figures of scores have their intervals, where this kind
/// of model gives such; an update leaves them out, since they take longer than many an event does.
struct ModelReport : ModelFigures {
    std::vector<float> centres;  ///< k x d, row by row; empty while warming and of a model that gives no labels
};

}  // namespace fairstream
