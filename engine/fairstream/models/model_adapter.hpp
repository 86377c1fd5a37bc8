#pragma once
/// Makes a kind of model from a model type. Include it in one source of each model, which defines `kind_of`.

#include <memory>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <variant>

#include <fairstream/base/option_text.hpp>
#include <fairstream/models/model_kind.hpp>

namespace fairstream {

/// A clustering that meets targets.
template <class M>
concept KeepsTargets = ClusteringModel<M> && requires(const typename M::Options& options) {
    { targets_of(options) } -> std::same_as<ClusterTargets>;
};

/// A clustering that can also cluster a graph as a whole.
template <class M>
concept TakesGraphs = ClusteringModel<M> &&
    requires(const typename M::Options& options, const Graph& graph, std::span<const Attribute> attributes,
             std::span<const GroupId> groups, const OnProgress& on_progress) {
    { cluster_graph(options, graph, attributes, groups, 1, on_progress) } -> std::same_as<GraphClustering>;
};

/// A clustering that can label new points so that they meet its targets. `assign_fair` is `predict` for points of known
/// groups, n x the number of attributes of its targets, on a stream of `format`.
template <class M>
concept AssignsFairly = ClusteringModel<M> &&
    requires(const typename M::Options& options, const typename M::State& frozen, const StreamFormat& format,
             ConstRows rows, std::span<const GroupId> groups, std::span<ClusterId> out) {
    M::assign_fair(options, frozen, format, rows, groups, out);
};

/// A model whose predictions and assignments read only a part of its state, which `M::without_points` returns.
template <class M>
concept PredictsWithoutPoints = OnlineModel<M> && requires(const typename M::State& state) {
    { M::without_points(state) } -> std::same_as<typename M::State>;
};

namespace adapter {

/// An improvement, with the snapshot of options and state that it starts from.
template <SelfImproving M> class Improvement final : public RunningImprovement {
public:
    void take_snapshot(const typename M::Options& options, const typename M::State& state) {
        options_ = options;
        state_ = state;
    }
    void run(const Window& window, const WorkHandle& work) override {
        found_ = M::improve(options_, state_, window, memory_, work);
    }
    void save(StateWriter& writer, std::uint32_t field) const override { writer(field, found_); }
    void load(StateReader& reader, std::uint32_t field) override { reader(field, found_); }
    [[nodiscard]] const typename M::Improvement& found() const noexcept { return found_; }

private:
    typename M::Options options_;
    typename M::State state_;  // consumed by `run`
    typename M::ImprovementMemory memory_;
    typename M::Improvement found_;
};

/// The common part of running models. `Base` is `Clusterer`, `Scorer` or `Monitor`.
template <OnlineModel M, class Base> class Running : public Base {
public:
    using T = typename M::Output;

    Running(const ModelOptions& options, const Window& window)
        : options_(options),
          state_(M::start(chosen(), window)),
          workspace_(std::make_shared<typename M::Workspace>()) {}
    Running(const ModelOptions& options, typename M::State state, std::shared_ptr<typename M::Workspace> workspace)
        : options_(options), state_(std::move(state)), workspace_(std::move(workspace)) {}

    [[nodiscard]] const typename M::State& state() const noexcept { return state_; }

    [[nodiscard]] const ModelOptions& options() const noexcept final { return options_; }
    void set_options(const ModelOptions& options) final { options_ = options; }
    void re_express(const MeasureChange& change) final { M::re_express(chosen(), state_, change); }
    void verify(const StreamFormat& format) const final { M::verify(chosen(), state_, format); }
    void verify(const Window& window) const final { M::verify(chosen(), state_, window); }
    void step(const Window& window, const WindowChange& change, StepReport<T>& report, const WorkHandle& work) final {
        if constexpr (requires { M::step(chosen(), state_, *workspace_, window, change, report, work); })
            M::step(chosen(), state_, *workspace_, window, change, report, work);
        else
            M::step(chosen(), state_, *workspace_, window, change, report);
        note_end(work, report);
    }
    void step(const Window& window, const WindowChange& change, const RunningImprovement& improvement,
              std::span<const std::uint8_t> changed, StepReport<T>& report, const WorkHandle& work) final {
        if constexpr (SelfImproving<M>)
            M::step(chosen(), state_, *workspace_, window, change, own(improvement).found(), changed, report, work);
        else
            step(window, change, report, work);
        note_end(work, report);
    }
    void refine(const Window& window, std::int64_t rounds, StepReport<T>& report, const WorkHandle& work) final {
        if constexpr (requires { M::refine(chosen(), state_, *workspace_, window, rounds, report, work); })
            M::refine(chosen(), state_, *workspace_, window, rounds, report, work);
        else if constexpr (Refinable<M>)
            M::refine(chosen(), state_, *workspace_, window, rounds, report);
        else
            throw std::logic_error("refinement requested from a model that cannot be refined");
        note_end(work, report);
    }
    bool adjust(const Window& window, StepReport<T>& report, const WorkHandle& work) final {
        if constexpr (requires { M::adjust(chosen(), state_, window, report, work); })
            M::adjust(chosen(), state_, window, report, work);
        else if constexpr (Adjustable<M>)
            M::adjust(chosen(), state_, window, report);
        note_end(work, report);
        return Adjustable<M>;
    }
    [[nodiscard]] std::span<const T> outputs() const final {
        if constexpr (GivesOutputs<M>)
            return M::outputs(state_);
        else
            return {};
    }
    [[nodiscard]] double objective() const final { return M::objective(state_); }
    [[nodiscard]] std::vector<Figure> figures() const final {
        if constexpr (HasFigures<M>) {
            std::vector<Figure> figures = M::figures(chosen(), state_);
            for (Figure& figure : figures)
                if (const FigureText* text = find_named(M::about.figures, figure.name)) figure.unit = text->unit;
            return figures;
        } else {
            return {};
        }
    }
    [[nodiscard]] std::vector<OperatingPoint> front() const final {
        if constexpr (HasFront<M>)
            return M::front(chosen(), state_);
        else
            return {};
    }
    [[nodiscard]] Matrix rows(RowKind kind) const final {
        const auto retained = row_functions<M>(kind).retained;
        return retained == nullptr ? Matrix() : retained(chosen(), state_);
    }
    void predict_rows(RowKind kind, ConstRows features, std::span<float> out) const final {
        const auto predict = row_functions<M>(kind).predict;
        if (predict == nullptr) throw std::logic_error("rows requested from a model that gives none");
        predict(chosen(), state_, features, out);
    }
    void save_state(StateWriter& writer, std::uint32_t field) const final { writer(field, state_); }
    void load_state(StateReader& reader, std::uint32_t field) final { reader(field, state_); }
    void take_state(RunningModel<T>& other) final { state_ = std::move(dynamic_cast<Running&>(other).state_); }

    [[nodiscard]] ImprovementIntervals improvement_intervals(const Window& window) const final {
        if constexpr (SelfImproving<M>)
            return M::improvement_intervals(chosen(), state_, window);
        else
            return {};
    }
    [[nodiscard]] std::unique_ptr<RunningImprovement> begin_improvement(
        std::unique_ptr<RunningImprovement> reused) const final {
        if constexpr (SelfImproving<M>) {
            if (!reused) reused = std::make_unique<Improvement<M>>();
            dynamic_cast<Improvement<M>&>(*reused).take_snapshot(chosen(), state_);
        }
        return reused;
    }
    void verify(const RunningImprovement& improvement, const Window& window) const final {
        if constexpr (SelfImproving<M>) M::verify(chosen(), own(improvement).found(), window);
    }

protected:
    [[nodiscard]] const typename M::Options& chosen() const { return options_.get<typename M::Options>(); }
    [[nodiscard]] const std::shared_ptr<typename M::Workspace>& workspace() const noexcept { return workspace_; }
    [[nodiscard]] typename M::State state_of_predictor() const {
        if constexpr (PredictsWithoutPoints<M>)
            return M::without_points(state_);
        else
            return state_;
    }

private:
    // A search that its budget ended has neither converged nor stalled.
    static void note_end(const WorkHandle& work, StepReport<T>& report) {
        work.settle();
        Outcome& outcome = report.solve.outcome;
        if (work.is_cut() && (outcome == Outcome::converged || outcome == Outcome::stalled))
            outcome = Outcome::iteration_limit;
    }
    [[nodiscard]] static decltype(auto) own(const RunningImprovement& improvement) {
        return dynamic_cast<const Improvement<M>&>(improvement);
    }

    ModelOptions options_;
    typename M::State state_;
    std::shared_ptr<typename M::Workspace> workspace_;
};

template <ClusteringModel M> class RunningClusterer final : public Running<M, Clusterer> {
public:
    using Running<M, Clusterer>::Running;

    void predict(ConstRows rows, std::span<const GroupId>, std::span<ClusterId> out) const override {
        M::predict(this->chosen(), this->state(), rows, out);
    }
    [[nodiscard]] bool needs_groups() const override { return false; }
    [[nodiscard]] ChurnRule<ClusterId> churn_rule() const override { return {}; }
    [[nodiscard]] const FairnessTally& tally() const override { return M::tally(this->state()); }
    [[nodiscard]] std::span<const float> centres() const override { return M::centres(this->state()); }
    void assign_fair(const StreamFormat& format, ConstRows rows, std::span<const GroupId> groups,
                     std::span<ClusterId> out) const override {
        if constexpr (AssignsFairly<M>)
            M::assign_fair(this->chosen(), this->state(), format, rows, groups, out);
        else
            M::predict(this->chosen(), this->state(), rows, out);
    }
    [[nodiscard]] std::unique_ptr<Clusterer> copy() const override {
        return std::make_unique<RunningClusterer>(this->options(), this->state(), this->workspace());
    }
    [[nodiscard]] std::unique_ptr<Clusterer> predictor() const override {
        return std::make_unique<RunningClusterer>(this->options(), this->state_of_predictor(), nullptr);
    }
};

template <NumberModel M>
[[nodiscard]] NumberFairness measure(const typename M::Options& options, const ScoreTally& settled, bool have_targets) {
    if constexpr (ScoringModel<M>)
        return M::measure(options, settled);
    else
        return prediction_fairness(settled, have_targets);
}

/// Measures as `measure` does, and adds the names of groups that lack a class.
template <NumberModel M> [[nodiscard]] NumberFairness measure_named(const typename M::Options& options,
                                                                    const ScoreTally& settled,
                                                                    const StreamFormat& format) {
    NumberFairness found = measure<M>(options, settled, format.has_targets);
    auto* const scores = std::get_if<ScoreFairness>(&found);
    if (scores == nullptr || format.attributes.empty()) return found;
    const auto attribute = static_cast<std::size_t>(M::score_attribute(options));
    name_groups_without(settled, format.attributes[attribute].groups, *scores);
    return found;
}

template <NumberModel M> class RunningScorer final : public Running<M, Scorer> {
public:
    using Running<M, Scorer>::Running;

    void predict(ConstRows rows, std::span<const GroupId> groups, std::span<Score> out) const override {
        M::predict(this->chosen(), this->state(), rows, groups, out);
    }
    [[nodiscard]] bool needs_groups() const override { return M::needs_groups(this->chosen()); }
    [[nodiscard]] ChurnRule<Score> churn_rule() const override {
        if constexpr (ScoringModel<M>)
            return ChurnRule<Score>(M::decision_threshold(this->chosen()));
        else
            return {};
    }
    [[nodiscard]] NumberFairness measure(const ScoreTally& settled, const StreamFormat& format) const override {
        return adapter::measure_named<M>(this->chosen(), settled, format);
    }
    [[nodiscard]] const Network* network() const override {
        if constexpr (PredictingModel<M>)
            return M::network(this->state());
        else
            return nullptr;
    }
    [[nodiscard]] std::uint64_t network_version() const override {
        if constexpr (PredictingModel<M>)
            return M::network_version(this->state());
        else
            return 0;
    }
    [[nodiscard]] std::unique_ptr<Scorer> copy() const override {
        return std::make_unique<RunningScorer>(this->options(), this->state(), this->workspace());
    }
    [[nodiscard]] std::unique_ptr<Scorer> predictor() const override {
        return std::make_unique<RunningScorer>(this->options(), this->state_of_predictor(), nullptr);
    }
};

template <MonitoringModel M> class RunningMonitor final : public Running<M, Monitor> {
public:
    using Running<M, Monitor>::Running;

    void predict(ConstRows, std::span<const GroupId>, std::span<NoOutput>) const override {}
    [[nodiscard]] bool needs_groups() const override { return false; }
    [[nodiscard]] ChurnRule<NoOutput> churn_rule() const override { return {}; }
    [[nodiscard]] GroupMetrics measure(const StreamFormat& format, double weight_unit) const override {
        return M::measure(this->chosen(), this->state(), format, weight_unit);
    }
};

template <OnlineModel M> class Kind final : public ModelKind {
    using Options = typename M::Options;

public:
    [[nodiscard]] std::string_view name() const noexcept override { return M::name; }
    [[nodiscard]] const ModelAbout& about() const noexcept override { return M::about; }
    [[nodiscard]] OutputKind outputs() const noexcept override {
        return MonitoringModel<M>   ? OutputKind::none
               : PredictingModel<M> ? OutputKind::predictions
               : ScoringModel<M>    ? OutputKind::scores
                                    : OutputKind::labels;
    }
    [[nodiscard]] bool keeps_front() const noexcept override { return HasFront<M>; }
    [[nodiscard]] bool is_refinable() const noexcept override { return Refinable<M>; }
    [[nodiscard]] bool gives(RowKind kind) const noexcept override {
        return row_functions<M>(kind).retained != nullptr;
    }
    [[nodiscard]] bool takes_weights() const noexcept override { return M::takes_weights; }
    [[nodiscard]] bool assigns_fairly() const noexcept override { return AssignsFairly<M>; }
    [[nodiscard]] bool takes_graphs() const noexcept override { return TakesGraphs<M>; }

    [[nodiscard]] ModelOptions default_options() const override { return Options{}; }
    [[nodiscard]] bool equal(const ModelOptions& a, const ModelOptions& b) const override { return of(a) == of(b); }
    [[nodiscard]] std::vector<OptionText> list_options(const ModelOptions& options) const override {
        return list_options_of(of(options));
    }
    void set_option(ModelOptions& options, std::string_view name, std::string_view value) const override {
        set_option_of(options.get<Options>(), name, value);
    }
    void set_to_when_missing(ModelOptions& options) const override {
        fairstream::set_to_when_missing(options.get<Options>());
    }
    void check(const ModelOptions& options, const StreamFormat& format) const override {
        M::check(of(options), format);
    }
    void check_change(const ModelOptions& now, const ModelOptions& changed) const override {
        if constexpr (ChecksChanges<M>) M::check_change(of(now), of(changed));
    }
    [[nodiscard]] WorkEstimate step_work(const ModelOptions& options, const StreamFormat& format,
                                         std::uint64_t new_points, std::uint64_t retained) const override {
        return M::step_work(of(options), format, new_points, retained);
    }
    [[nodiscard]] WorkEstimate refine_work(const ModelOptions& options, const StreamFormat& format, std::int64_t rounds,
                                           std::uint64_t retained) const override {
        if constexpr (Refinable<M>)
            return M::refine_work(of(options), format, rounds, retained);
        else
            return {};
    }

    [[nodiscard]] std::int64_t cluster_count(const ModelOptions& options) const override {
        if constexpr (ClusteringModel<M>)
            return M::cluster_count(of(options));
        else
            return 0;
    }
    [[nodiscard]] std::optional<ClusterTargets> targets(const ModelOptions& options) const override {
        if constexpr (KeepsTargets<M>)
            return targets_of(of(options));
        else
            return std::nullopt;
    }
    [[nodiscard]] std::vector<int> protected_attributes(const ModelOptions& options) const override {
        if constexpr (KeepsTargets<M>) {
            const ClusterTargets kept = targets_of(of(options));
            return {kept.attribute.begin(), kept.attribute.end()};
        } else if constexpr (NumberModel<M>) {
            return {M::score_attribute(of(options))};
        } else {
            return {};
        }
    }
    [[nodiscard]] std::string_view group_option(const ModelOptions& options) const override {
        if constexpr (ChoosesGroups<M>)
            return M::group_option(of(options));
        else if constexpr (KeepsTargets<M>)
            return first_group_option(targets_of(of(options)));
        else
            return NumberModel<M> ? "attribute" : "";
    }
    [[nodiscard]] std::optional<NetworkUse> network_use(const ModelOptions& options) const override {
        if constexpr (PredictingModel<M>)
            return M::network_use(of(options));
        else
            return std::nullopt;
    }
    [[nodiscard]] bool needs_groups(const ModelOptions& options) const override {
        if constexpr (NumberModel<M>)
            return M::needs_groups(of(options));
        else
            return false;
    }
    [[nodiscard]] NumberFairness judge(const ModelOptions& options, const ScoreTally& settled) const override {
        if constexpr (NumberModel<M>) {
            NumberFairness found = measure<M>(of(options), settled, true);
            if constexpr (HasScoreIntervals<M>) {
                auto& scores = std::get<ScoreFairness>(found);
                scores.intervals = M::intervals(of(options), scores, settled);
            }
            return found;
        } else
            throw std::logic_error("fairness of numbers requested from a model that gives none");
    }
    [[nodiscard]] GraphClustering cluster_nodes(const ModelOptions& options, const Graph& graph,
                                                std::span<const Attribute> attributes, std::span<const GroupId> groups,
                                                int threads, const OnProgress& on_progress) const override {
        if constexpr (TakesGraphs<M>)
            return cluster_graph(of(options), graph, attributes, groups, threads, on_progress);
        else
            throw std::logic_error("graph given to a model that takes none");
    }
    [[nodiscard]] AnyModel start(const ModelOptions& options, const Window& window) const override {
        if constexpr (NumberModel<M>)
            return std::make_unique<RunningScorer<M>>(options, window);
        else if constexpr (MonitoringModel<M>)
            return std::make_unique<RunningMonitor<M>>(options, window);
        else
            return std::make_unique<RunningClusterer<M>>(options, window);
    }

private:
    [[nodiscard]] static const Options& of(const ModelOptions& options) { return options.get<Options>(); }
};

}  // namespace adapter

/// Options that a `visit_options` beside them lists by name.
template <class Options>
concept ListedOptions = requires(Options& options, const Options& frozen) {
    visit_options(options, [](const auto&, auto&) {});
    visit_options(frozen, [](const auto&, const auto&) {});
};

/// Returns the kind of model `M`, for the definition of `kind_of` of its options.
template <OnlineModel M> [[nodiscard]] const ModelKind& kind_of_model() {
    static_assert(ClusteringModel<M> || ScoringModel<M> || PredictingModel<M> || MonitoringModel<M>,
                  "a model gives labels, scores or predictions, or measures groups");
    static_assert(ListedOptions<typename M::Options>, "include the header with visit_options for the model's options");
    static const adapter::Kind<M> kind;
    return kind;
}

}  // namespace fairstream
