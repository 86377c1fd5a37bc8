#pragma once
/// Models of any kind while they run: options, state and workspace behind one interface, by kind of output.
/// `model_adapter.hpp` makes them from model types.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <fairstream/base/archive.hpp>
#include <fairstream/base/types.hpp>
#include <fairstream/base/work_handle.hpp>
#include <fairstream/data/window.hpp>
#include <fairstream/models/list_changes.hpp>
#include <fairstream/models/model.hpp>
#include <fairstream/models/model_options.hpp>
#include <fairstream/models/point_rows.hpp>

namespace fairstream {

/// The improvement of a snapshot, running or done (see `SelfImproving`).
class RunningImprovement {
public:
    RunningImprovement() = default;
    RunningImprovement(const RunningImprovement&) = delete;
    RunningImprovement& operator=(const RunningImprovement&) = delete;
    virtual ~RunningImprovement() = default;

    /// Improves the snapshot.
    virtual void run(const Window& window, const WorkHandle& work) = 0;
    virtual void save(StateWriter& writer, std::uint32_t field) const = 0;
    virtual void load(StateReader& reader, std::uint32_t field) = 0;
};

/// A source of rows of numbers for points, besides their outputs.
class RowSource {
public:
    RowSource(const RowSource&) = delete;
    RowSource& operator=(const RowSource&) = delete;
    virtual ~RowSource() = default;

    /// Returns the rows of the retained points, by slot; empty while warming, and for a model without rows of this
    /// kind.
    [[nodiscard]] virtual Matrix rows(RowKind kind) const = 0;
    /// Predicts the rows of points. Throws `std::logic_error` for a model without rows of this kind.
    virtual void predict_rows(RowKind kind, ConstRows features, std::span<float> out) const = 0;

protected:
    RowSource() = default;
};

/// A model with outputs `T`. Each function does the same as the function of its name in `model.hpp`.
template <class T> class RunningModel : public RowSource {
public:
    using Output = T;

    [[nodiscard]] virtual const ModelOptions& options() const noexcept = 0;
    /// Sets options of the same kind, which `check` must accept; the state does not change.
    virtual void set_options(const ModelOptions& options) = 0;

    virtual void re_express(const MeasureChange& change) = 0;
    virtual void verify(const StreamFormat& format) const = 0;
    virtual void verify(const Window& window) const = 0;
    virtual void step(const Window& window, const WindowChange& change, StepReport<T>& report,
                      const WorkHandle& work) = 0;
    /// Applies the improvement of an earlier snapshot, which this model began, and steps.
    virtual void step(const Window& window, const WindowChange& change, const RunningImprovement& improvement,
                      std::span<const std::uint8_t> changed, StepReport<T>& report, const WorkHandle& work) = 0;
    virtual void refine(const Window& window, std::int64_t rounds, StepReport<T>& report, const WorkHandle& work) = 0;
    /// Applies changed options and sets the report; returns false if this kind of model does neither.
    virtual bool adjust(const Window& window, StepReport<T>& report, const WorkHandle& work) = 0;

    [[nodiscard]] virtual std::span<const T> outputs() const = 0;
    /// Predicts points. `groups` is n x a, or empty if the model does not need them.
    virtual void predict(ConstRows rows, std::span<const GroupId> groups, std::span<T> out) const = 0;
    [[nodiscard]] virtual bool needs_groups() const = 0;
    [[nodiscard]] virtual ChurnRule<T> churn_rule() const = 0;
    [[nodiscard]] virtual double objective() const = 0;
    [[nodiscard]] virtual std::vector<Figure> figures() const = 0;
    [[nodiscard]] virtual std::vector<OperatingPoint> front() const = 0;

    virtual void save_state(StateWriter& writer, std::uint32_t field) const = 0;
    virtual void load_state(StateReader& reader, std::uint32_t field) = 0;
    /// Takes the state of another model of this kind.
    virtual void take_state(RunningModel& other) = 0;

    [[nodiscard]] virtual ImprovementIntervals improvement_intervals(const Window& window) const = 0;
    /// Takes a snapshot to improve; reuses `reused` if it is not null.
    [[nodiscard]] virtual std::unique_ptr<RunningImprovement> begin_improvement(
        std::unique_ptr<RunningImprovement> reused) const = 0;
    virtual void verify(const RunningImprovement& improvement, const Window& window) const = 0;
};

/// A model that gives each point a cluster.
class Clusterer : public RunningModel<ClusterId> {
public:
    [[nodiscard]] virtual const FairnessTally& tally() const = 0;
    [[nodiscard]] virtual std::span<const float> centres() const = 0;
    /// Labels points for the targets if the kind of model can (`AssignsFairly`), otherwise as `predict` does.
    virtual void assign_fair(const StreamFormat& format, ConstRows rows, std::span<const GroupId> groups,
                             std::span<ClusterId> out) const = 0;
    /// Returns a copy with these options and this state. It shares the workspace: only one of the two may step at a
    /// time.
    [[nodiscard]] virtual std::unique_ptr<Clusterer> copy() const = 0;
    /// Returns a copy that predicts and assigns as this one does; it may lack the points, and cannot step.
    [[nodiscard]] virtual std::unique_ptr<Clusterer> predictor() const = 0;
};

/// A model that gives each point a number: a score of a class, or a prediction.
class Scorer : public RunningModel<Score> {
public:
    /// Measures scores, without confidence intervals, or predictions.
    [[nodiscard]] virtual NumberFairness measure(const ScoreTally& settled, const StreamFormat& format) const = 0;
    /// Returns the network that predicts; null while warming, and for models of scores.
    [[nodiscard]] virtual const Network* network() const = 0;
    /// Returns a number that differs between networks.
    [[nodiscard]] virtual std::uint64_t network_version() const = 0;
    [[nodiscard]] virtual std::unique_ptr<Scorer> copy() const = 0;
    /// Returns a copy that predicts as this one does; it may lack the points, and cannot step.
    [[nodiscard]] virtual std::unique_ptr<Scorer> predictor() const = 0;
};

/// A model that measures the predictions that points carry. It has no outputs and predicts none.
class Monitor : public RunningModel<NoOutput> {
public:
    /// Measures points of this format; a point of weight 1 that comes now has `weight_unit` in the window.
    [[nodiscard]] virtual GroupMetrics measure(const StreamFormat& format, double weight_unit) const = 0;
};

}  // namespace fairstream
