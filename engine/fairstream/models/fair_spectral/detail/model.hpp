#pragma once
/// The state of fair_spectral, and the functions that the engine calls.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fairstream/base/work_handle.hpp>
#include <fairstream/models/detail/kept_affinity.hpp>
#include <fairstream/models/fair_spectral/fair_spectral.hpp>
#include <fairstream/models/model.hpp>
#include <fairstream/numeric/anchors.hpp>
#include <fairstream/numeric/matrix.hpp>

namespace fairstream::fair_spectral {

/// Figures of a solve.
struct Quality {
    double cost = 0;  ///< k - Tr(Hᵀ M H), at least 0; "SC cost" of the paper
    double normalised_cut =
        -1;  ///< of the labels, in [0, k]; -1: not computed; without `sweeps` only a refinement computes it
    double fairness_residual = 0;  ///< ||Fᵀ H||_F^2
    double fairness_residual_before_polish = 0;
    double orthogonality = 0;          ///< ||Hᵀ H - I||_F^2
    double residual = 0;               ///< residual of the solver, compared with `tolerance`
    double operator_applications = 0;  ///< products of M with n x k blocks, only in this solve
    bool operator==(const Quality&) const = default;
    template <class Self, class Archive> static void fields(Self& self, Archive& archive) {
        archive(1, self.cost);
        archive(2, self.normalised_cut);
        archive(3, self.fairness_residual);
        archive(4, self.fairness_residual_before_polish);
        archive(5, self.orthogonality);
        archive(6, self.residual);
        archive(7, self.operator_applications);
    }
};

/// Shape of the graph, of nearest neighbours or given. 0 for other affinities.
struct GraphShape {
    std::uint64_t places = 0;  ///< number of different points; equal points are joined into one with their weight
    std::uint64_t parts = 0;   ///< number of connected parts
    bool operator==(const GraphShape&) const = default;
    template <class Self, class Archive> static void fields(Self& self, Archive& archive) {
        archive(1, self.places);
        archive(2, self.parts);
    }
};

/// State for a warm start of a step.
struct State {
    Matrix embedding;    ///< n x m by slot, m >= k: the columns of T, and up to five more for the solver's start
    Matrix inverse;      ///< Lambda^-1 with Lambda = Hᵀ M H, k x k
    Matrix multipliers;  ///< C of P = F C: one row per column of F that attributes make, k columns; only admm
    double penalty = 0;  ///< alpha; 0 before the first step
    std::vector<float> centres;        ///< k x k: centres of the clusters in the embedding
    std::vector<float> means;          ///< k x d: means of the clusters' features; 0 if a cluster is empty
    std::vector<ClusterId> labels;     ///< by slot, [0, window.size()); `no_cluster` while warming
    FairnessTally tally;               ///< all attributes
    Anchors anchors;                   ///< anchors whose values are T Lambda^-1
    double bandwidth = 0;              ///< sigma; 0 if weights are self-tuning
    std::uint64_t settled_at = 0;      ///< number of points when sigma and clusters were last computed afresh
    std::uint64_t steps = 0;           ///< number of steps since the start; determines the draws of a step
    Quality quality;                   ///< figures of the last step
    GraphShape graph;                  ///< graph of the last step
    double operator_applications = 0;  ///< over all steps
    bool started = false;
    bool stale = false;  ///< whether the measure of the points changed since the last step

    bool operator==(const State&) const = default;
    template <class Self, class Archive> static void fields(Self& self, Archive& archive) {
        archive(1, self.embedding);
        archive(2, self.multipliers);
        archive(3, self.penalty);
        archive(4, self.centres);
        archive(5, self.labels);
        archive(6, self.tally);
        archive(7, self.anchors);
        archive(8, self.bandwidth);
        archive(9, self.settled_at);
        archive(10, self.steps);
        archive(11, self.quality);
        archive(12, self.started);
        archive(13, self.means);
        archive(14, self.inverse);
        archive(15, self.operator_applications);
        archive.later(16, self.graph);
        archive.later(17, self.stale);
    }
};

/// Parameters of an affinity apart from the points.
struct AffinitySetup {
    AffinityKind kind = AffinityKind::knn;
    std::size_t neighbours = 0, landmarks = 0;
    double bandwidth = 0;  ///< 0: self-tuning
    std::uint64_t seed = 0;
    bool operator==(const AffinitySetup&) const = default;
};
/// The affinities of the points of the last call, updated row by row.
using Workspace = KeptAffinity<AffinitySetup>;

struct Model {
    static constexpr std::string_view name = "fair_spectral";
    using Options = fair_spectral::Options;
    using State = fair_spectral::State;
    using Workspace = fair_spectral::Workspace;
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
    /// Warms while there are fewer points than k plus, for each attribute, its number of groups minus one.
    /// `Solve::iterations` and the outcome are those of the solver.
    static void step(const Options& options, State& state, Workspace& workspace, const Window& window,
                     const WindowChange& change, StepReport<ClusterId>& report, const WorkHandle& work = {});
    /// Runs `rounds` iterations of the solver; 0: until it converges or stalls. Then k-means starts afresh, from
    /// `starts` starts and from the present centres; the best result keeps the old cluster numbers.
    static void refine(const Options& options, State& state, Workspace& workspace, const Window& window,
                       std::int64_t rounds, StepReport<ClusterId>& report, const WorkHandle& work = {});
    /// Gives points the cluster to which they have the largest affinity, by the labels of their nearest points. For
    /// affinities other than `knn`, and if points were merged, places them in the embedding as a step places new
    /// points, and gives them the nearest centre.
    static void predict(const Options& options, const State& state, ConstRows rows, std::span<ClusterId> out);

    /// The constraint needs groups even without targets.
    [[nodiscard]] static std::string_view group_option(const Options&) { return "attribute"; }
    [[nodiscard]] static int cluster_count(const Options& options) { return options.clusters; }
    [[nodiscard]] static std::span<const ClusterId> outputs(const State& state) { return state.labels; }
    [[nodiscard]] static const FairnessTally& tally(const State& state) { return state.tally; }
    [[nodiscard]] static std::span<const float> centres(const State& state) { return state.means; }
    [[nodiscard]] static double objective(const State& state) { return state.quality.cost; }
    [[nodiscard]] static std::vector<Figure> figures(const Options& options, const State& state);
};

}  // namespace fairstream::fair_spectral
