#pragma once
/// A kind of model, as the engine and whoever sets options or shows results knows it: a table of what its type can do.

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
    none,         ///< nothing: the model has figures of groups alone
};

using AnyModel = std::variant<std::unique_ptr<Clusterer>, std::unique_ptr<Scorer>, std::unique_ptr<Monitor>>;

/// There is one object of each kind, for as long as the program runs: what `kind_of` returns of its options. Options
/// that are handed in must be of this kind.
class ModelKind {
public:
    ModelKind(const ModelKind&) = delete;
    ModelKind& operator=(const ModelKind&) = delete;
    virtual ~ModelKind() = default;

    [[nodiscard]] virtual std::string_view name() const noexcept = 0;
    [[nodiscard]] virtual const ModelAbout& about() const noexcept = 0;
    [[nodiscard]] virtual OutputKind outputs() const noexcept = 0;
    /// Says whether it keeps several clusterings (`HasFront`), can be refined (`Refinable`), gives points such rows.
    [[nodiscard]] virtual bool keeps_front() const noexcept = 0;
    [[nodiscard]] virtual bool is_refinable() const noexcept = 0;
    [[nodiscard]] virtual bool gives(RowKind kind) const noexcept = 0;
    [[nodiscard]] bool has_memberships() const noexcept { return gives(RowKind::memberships); }
    /// Says whether points may weigh other than 1.
    [[nodiscard]] virtual bool takes_weights() const noexcept = 0;
    /// Says whether the fair assignment of new points can differ from the usual one (`AssignsFairly`).
    [[nodiscard]] virtual bool assigns_fairly() const noexcept = 0;
    /// Says whether it clusters graphs, too (`TakesGraphs`).
    [[nodiscard]] virtual bool takes_graphs() const noexcept = 0;

    [[nodiscard]] virtual ModelOptions default_options() const = 0;
    [[nodiscard]] virtual bool equal(const ModelOptions& a, const ModelOptions& b) const = 0;
    [[nodiscard]] virtual std::vector<OptionText> list_options(const ModelOptions& options) const = 0;
    /// Throws `InvalidInput` for an unknown name or a value out of range; `options` is then as it was.
    virtual void set_option(ModelOptions& options, std::string_view name, std::string_view value) const = 0;
    /// Sets the options that came later than others to what texts mean that do not mention them.
    virtual void set_to_when_missing(ModelOptions& options) const = 0;
    /// Throws `InvalidInput` unless a model with these options can run on a stream of this format.
    virtual void check(const ModelOptions& options, const StreamFormat& format) const = 0;
    /// Throws `InvalidInput` when options cannot become these while a model runs.
    virtual void check_change(const ModelOptions& now, const ModelOptions& changed) const = 0;
    [[nodiscard]] virtual WorkEstimate step_work(const ModelOptions& options, const StreamFormat& format,
                                                 std::uint64_t new_points, std::uint64_t retained) const = 0;
    /// Returns no work for a kind that cannot be refined.
    [[nodiscard]] virtual WorkEstimate refine_work(const ModelOptions& options, const StreamFormat& format,
                                                   std::int64_t rounds, std::uint64_t retained) const = 0;

    /// Returns the number of clusters; 0 for a model that gives none.
    [[nodiscard]] virtual std::int64_t cluster_count(const ModelOptions& options) const = 0;
    /// Returns the indices of the protected attributes whose groups are balanced, or compared; none of a model without
    /// outputs.
    [[nodiscard]] virtual std::vector<int> protected_attributes(const ModelOptions& options) const = 0;
    /// Returns what the clusters that a model shows shall keep; nothing of a kind that keeps no targets.
    [[nodiscard]] virtual std::optional<ClusterTargets> targets(const ModelOptions& options) const = 0;
    /// Says whether new points must come with their groups to be scored; never of a clustering.
    [[nodiscard]] virtual bool needs_groups(const ModelOptions& options) const = 0;
    /// Measures scores or predictions as this model does, with the intervals of the figures where it has such; throws
    /// `std::logic_error` for a model that gives neither.
    [[nodiscard]] virtual NumberFairness judge(const ModelOptions& options, const ScoreTally& settled) const = 0;

    /// Clusters the nodes of a graph as a whole, as the model's own `cluster_graph`; throws `std::logic_error` where
    /// the kind takes no graphs.
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
