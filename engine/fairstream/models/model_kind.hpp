#pragma once
/// A kind of model as a table of its capabilities, for the engine and for programs that set options or show results.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <fairstream/base/option_text.hpp>
#include <fairstream/base/work_estimate.hpp>
#include <fairstream/data/window.hpp>
#include <fairstream/fairness/prediction_fairness.hpp>
#include <fairstream/fairness/score_tally.hpp>
#include <fairstream/models/graph_clustering.hpp>
#include <fairstream/models/model.hpp>
#include <fairstream/models/model_options.hpp>
#include <fairstream/models/running_model.hpp>
#include <fairstream/targets/targets.hpp>

namespace fairstream {

/// The kind of output that a model gives each point.
enum class OutputKind : std::uint8_t {
    labels,       ///< a cluster
    scores,       ///< a score of a class, learned from targets
    predictions,  ///< a prediction of its target
    none,         ///< no output: the model only has figures of groups
};

using AnyModel = std::variant<std::unique_ptr<Clusterer>, std::unique_ptr<Scorer>, std::unique_ptr<Monitor>>;

/// There is one object of each kind, with static lifetime: `kind_of` of its options returns it. Options passed to its
/// functions must be of this kind.
class ModelKind {
public:
    ModelKind(const ModelKind&) = delete;
    ModelKind& operator=(const ModelKind&) = delete;
    virtual ~ModelKind() = default;

    [[nodiscard]] virtual std::string_view name() const noexcept = 0;
    [[nodiscard]] virtual const ModelAbout& about() const noexcept = 0;
    [[nodiscard]] virtual OutputKind outputs() const noexcept = 0;
    /// Return whether the model keeps several clusterings (`HasFront`), can be refined (`Refinable`), and gives points
    /// rows of a kind.
    [[nodiscard]] virtual bool keeps_front() const noexcept = 0;
    [[nodiscard]] virtual bool is_refinable() const noexcept = 0;
    [[nodiscard]] virtual bool gives(RowKind kind) const noexcept = 0;
    [[nodiscard]] bool has_memberships() const noexcept { return gives(RowKind::memberships); }
    /// Returns whether points may have weights other than 1.
    [[nodiscard]] virtual bool takes_weights() const noexcept = 0;
    /// Returns whether the fair assignment of new points can differ from the usual one (`AssignsFairly`).
    [[nodiscard]] virtual bool assigns_fairly() const noexcept = 0;
    /// Returns whether the model can also cluster graphs (`TakesGraphs`).
    [[nodiscard]] virtual bool takes_graphs() const noexcept = 0;

    [[nodiscard]] virtual ModelOptions default_options() const = 0;
    [[nodiscard]] virtual bool equal(const ModelOptions& a, const ModelOptions& b) const = 0;
    [[nodiscard]] virtual std::vector<OptionText> list_options(const ModelOptions& options) const = 0;
    /// Sets an option. Throws `InvalidInput` for an unknown name or a value out of range, and leaves `options`
    /// unchanged.
    virtual void set_option(ModelOptions& options, std::string_view name, std::string_view value) const = 0;
    /// Sets each option that older texts lack to the value that stands for the behaviour before the option existed.
    virtual void set_to_when_missing(ModelOptions& options) const = 0;
    /// Throws `InvalidInput` unless a model with these options can run on a stream of this format.
    virtual void check(const ModelOptions& options, const StreamFormat& format) const = 0;
    /// Throws `InvalidInput` if options cannot change to these while a model runs.
    virtual void check_change(const ModelOptions& now, const ModelOptions& changed) const = 0;
    [[nodiscard]] virtual WorkEstimate step_work(const ModelOptions& options, const StreamFormat& format,
                                                 std::uint64_t new_points, std::uint64_t retained) const = 0;
    /// Estimates the work of a refinement; none if the kind cannot be refined.
    [[nodiscard]] virtual WorkEstimate refine_work(const ModelOptions& options, const StreamFormat& format,
                                                   std::int64_t rounds, std::uint64_t retained) const = 0;

    /// Returns the number of clusters; 0 for a model without clusters.
    [[nodiscard]] virtual std::int64_t cluster_count(const ModelOptions& options) const = 0;
    /// Returns the indices of the protected attributes whose groups are balanced, or compared; none for a model without
    /// outputs.
    [[nodiscard]] virtual std::vector<int> protected_attributes(const ModelOptions& options) const = 0;
    /// Returns the targets of the visible clusters; empty for a kind without targets.
    [[nodiscard]] virtual std::optional<ClusterTargets> targets(const ModelOptions& options) const = 0;
    /// Returns the first option that needs groups: "attribute" if they are always needed, empty if never.
    [[nodiscard]] virtual std::string_view group_option(const ModelOptions& options) const = 0;
    /// Returns the use of the network, which borrows from `options`; empty for a kind that does not predict.
    [[nodiscard]] virtual std::optional<NetworkUse> network_use(const ModelOptions& options) const = 0;
    /// Returns whether new points need their groups to be scored; false for a clustering.
    [[nodiscard]] virtual bool needs_groups(const ModelOptions& options) const = 0;
    /// Measures scores or predictions as this model does, with confidence intervals if it has them; throws
    /// `std::logic_error` for a model without either.
    [[nodiscard]] virtual NumberFairness judge(const ModelOptions& options, const ScoreTally& settled) const = 0;

    /// Clusters the nodes of a graph as a whole, by the model's own `cluster_graph`; throws `std::logic_error` if the
    /// kind does not take graphs.
    [[nodiscard]] virtual GraphClustering cluster_nodes(const ModelOptions& options, const Graph& graph,
                                                        std::span<const Attribute> attributes,
                                                        std::span<const GroupId> groups, int threads,
                                                        const OnProgress& on_progress) const = 0;

    /// Starts a model on a window.
    [[nodiscard]] virtual AnyModel start(const ModelOptions& options, const Window& window) const = 0;

protected:
    ModelKind() = default;
};

}  // namespace fairstream
