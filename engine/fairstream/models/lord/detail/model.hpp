#pragma once
/// The state of lord, and the functions that the engine calls.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fairstream/base/work_handle.hpp>
#include <fairstream/models/detail/kept_affinity.hpp>
#include <fairstream/models/lord/lord.hpp>
#include <fairstream/models/model.hpp>
#include <fairstream/numeric/anchors.hpp>
#include <fairstream/numeric/matrix.hpp>

namespace fairstream::lord {

/// Returns the number of cold starts for this many points.
[[nodiscard]] int start_count(const Options& options, std::uint64_t points);

/// Figures of a solve.
struct Quality {
    double objective = 0;  ///< LoRD: ||S - V Vᵀ||^2; B-LoRD: -(Tr(Vᵀ S V) + gamma ||V||^2); of S with a sum of 1
    double normalised_cut = 0;     ///< normalised cut of the labels, in [0, k]
    double block_diagonality = 0;  ///< n ||V||^2 / k, in [1/k, 1]: 1 if each point belongs to one cluster only
    double share_gap = 0;          ///< largest difference between a group's share of a cluster's probabilities and the
                                   ///< cluster's share of all points
    double tau = 0, gamma = 0;     ///< parameters of B-LoRD
    double projection_rounds = 0;  ///< passes over the rows per iteration
    double confidence = 0;         ///< mean probability of the labels
    bool operator==(const Quality&) const = default;
    template <class Self, class Archive> static void fields(Self& self, Archive& archive) {
        archive(1, self.objective);
        archive(2, self.normalised_cut);
        archive(3, self.block_diagonality);
        archive(4, self.share_gap);
        archive(5, self.tau);
        archive(6, self.gamma);
        archive(7, self.projection_rounds);
        archive(8, self.confidence);
    }
};

/// State for a warm start of a step.
struct State {
    Matrix v;                       ///< n x k by slot
    std::vector<float> means;       ///< k x d: means of the clusters' features; 0 if a cluster is empty
    std::vector<ClusterId> labels;  ///< by slot, [0, window.size()); `no_cluster` while warming
    FairnessTally tally;            ///< all attributes
    Anchors anchors;                ///< anchors whose values are probabilities
    double mass = 0;                ///< W, total weight of the points at the last step; 0 before the first
    double tau2 = 0;  ///< last tau by the rule tau2, computed again with new clusters and fresh starts; 0: unknown
    std::uint64_t settled_at = 0;  ///< number of points when clusters were last made anew
    std::uint64_t steps = 0;       ///< number of steps since the start; determines the draws of a step
    Quality quality;               ///< figures of the last step
    std::uint64_t parts = 0;       ///< number of connected parts of the last step's graph; 0: unknown
    bool started = false;

    bool operator==(const State&) const = default;
    template <class Self, class Archive> static void fields(Self& self, Archive& archive) {
        archive(1, self.v);
        archive(2, self.means);
        archive(3, self.labels);
        archive(4, self.tally);
        archive(5, self.anchors);
        archive(6, self.settled_at);
        archive(7, self.steps);
        archive(8, self.quality);
        archive(9, self.started);
        archive(10, self.mass);
        archive(11, self.tau2);
        archive.later(12, self.parts);
    }
};

/// The graph of the points of the last call, by its number of neighbours, updated row by row.
using Workspace = KeptAffinity<std::size_t>;

struct Model {
    static constexpr std::string_view name = "lord";
    using Options = lord::Options;
    using State = lord::State;
    using Workspace = lord::Workspace;
    using Output = ClusterId;
    static constexpr bool takes_weights = true;
    static const ModelAbout about;

    static void re_express(const Options& options, State& state, const MeasureChange& change);
    [[nodiscard]] static State without_points(const State& state);
    static void check(const Options& options, const StreamFormat& format);
    [[nodiscard]] static State start(const Options& options, const Window& window);
    static void verify(const Options& options, const State& state, const StreamFormat& format);
    static void verify(const Options& options, const State& state, const Window& window);
    [[nodiscard]] static WorkEstimate step_work(const Options& options, const StreamFormat& format,
                                                std::uint64_t points, std::uint64_t retained);
    [[nodiscard]] static WorkEstimate refine_work(const Options& options, const StreamFormat& format,
                                                  std::int64_t rounds, std::uint64_t retained);
    /// `Solve::iterations` counts the iterations of projected gradients, over all starts.
    static void step(const Options& options, State& state, Workspace& workspace, const Window& window,
                     const WindowChange& change, StepReport<ClusterId>& report, const WorkHandle& work = {});
    /// Makes `rounds` more iterations from the present probabilities. With 0, makes up to the options' `iterations`,
    /// and also makes fresh starts. The best result keeps the old cluster numbers.
    static void refine(const Options& options, State& state, Workspace& workspace, const Window& window,
                       std::int64_t rounds, StepReport<ClusterId>& report, const WorkHandle& work = {});
    /// Gives new points the most probable cluster by the probabilities of their neighbours.
    static void predict(const Options& options, const State& state, ConstRows rows, std::span<ClusterId> out);
    static void predict_memberships(const Options& options, const State& state, ConstRows rows, std::span<float> out);
    [[nodiscard]] static Matrix memberships(const Options& options, const State& state);

    [[nodiscard]] static int cluster_count(const Options& options) { return options.clusters; }
    [[nodiscard]] static std::span<const ClusterId> outputs(const State& state) { return state.labels; }
    [[nodiscard]] static const FairnessTally& tally(const State& state) { return state.tally; }
    [[nodiscard]] static std::span<const float> centres(const State& state) { return state.means; }
    [[nodiscard]] static double objective(const State& state) { return state.quality.objective; }
    [[nodiscard]] static std::vector<Figure> figures(const Options& options, const State& state);
};

}  // namespace fairstream::lord
