#pragma once
/// Updates of an engine's models by events, and reports on the models between events.

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

/// Changes of a model's outputs: labels, or numbers (scores or predictions). A model without outputs never has changes.
using OutputChanges = ModelOutputs::AnyChanges;
/// Fairness of a model's visible outputs: the tally of labels by all attributes, or measures of scores or of
/// predictions. For a model without outputs: figures of the predictions that points carry.
using OutputFairness = std::variant<FairnessTally, ScoreFairness, PredictionFairness, GroupMetrics>;

/// The common part of a model's updates and reports.
struct ModelFigures {
    std::string_view model;  ///< its name; lives as long as the engine
    Solve solve;             ///< solve of the last visible step
    double cost = 0;         ///< value of the function that the model minimises, at the visible step; 0 while warming
    /// Among the points retained both before and after the event, the share whose label changed, whose score crossed
    /// the decision threshold, or whose prediction changed.
    double churn = 0;
    OutputFairness fairness;
    std::vector<OperatingPoint> front;  ///< the clusterings of a model that keeps several, in their order
    std::vector<Figure> figures;        ///< this kind of model's own figures; empty while warming

    /// Returns one of the model's own figures by name; empty if it has none of this name.
    [[nodiscard]] std::optional<double> figure(std::string_view name) const { return value_of(figures, name); }
    /// Returns the fairness of a clustering. Throws `std::bad_variant_access` for a model of another kind.
    [[nodiscard]] const FairnessTally& tally() const { return std::get<FairnessTally>(fairness); }
    /// Return the fairness of scores, or of predictions. Throw `std::bad_variant_access` for a model of another kind.
    [[nodiscard]] const ScoreFairness& score_fairness() const { return std::get<ScoreFairness>(fairness); }
    [[nodiscard]] const PredictionFairness& prediction_fairness() const {
        return std::get<PredictionFairness>(fairness);
    }
    /// Returns the figures by group of a model without outputs. Throws `std::bad_variant_access` for a model with
    /// outputs.
    [[nodiscard]] const GroupMetrics& group_metrics() const { return std::get<GroupMetrics>(fairness); }
};

struct ModelUpdate : ModelFigures {
    bool changed = false;  ///< whether this event stepped the model or changed any of its outputs
    /// True if the event made a step visible, refined the model, or changed its figures by an option. False if the
    /// event only brought predictions for new points.
    bool stepped = false;
    OutputChanges changes;  ///< empty unless `changed`
    /// The points, each once, whose rows this event changed enough to tell subscribers (`RowRules`).
    ByRowKind<std::vector<PointId>> rows_of;
    /// True if the model predicts with another network than before the event.
    bool network_changed = false;

    /// Return the changes of labels, or of scores or predictions. Throw `std::bad_variant_access` for a model of
    /// another kind.
    [[nodiscard]] const Changes<ClusterId>& labels() const { return std::get<Changes<ClusterId>>(changes); }
    [[nodiscard]] const Changes<Score>& scores() const { return std::get<Changes<Score>>(changes); }
};

struct Update {
    Sequence sequence = 0;
    std::vector<ModelUpdate> models;  ///< in the order of `EngineOptions::models`
    std::vector<Decision> decisions;
    EventCounts counts;              ///< counts of this event
    Arrivals arrivals;               ///< since the start
    PreparationFigures preparation;  ///< since the start
    /// Work in multiply-adds, as models counted it: of the steps that the event waited for, and of background steps
    /// whose results it made visible.
    std::uint64_t work = 0;
};

/// The present state of a model, read without stepping it. Figures of scores have confidence intervals if this kind of
/// model gives them. Updates leave them out, because they can take longer than the event.
struct ModelReport : ModelFigures {
    std::vector<float> centres;  ///< k x d, row-major; empty while warming and for a model without clusters
};

}  // namespace fairstream
