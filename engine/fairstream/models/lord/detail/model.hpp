#pragma once
/// The state of lord, and what the engine calls.

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

/// Returns the number of starts from nothing for so many points.
[[nodiscard]] int start_count(const Options& options, std::uint64_t points);

/// Figures of a solve.
struct Quality {
    double objective = 0;  ///< LoRD: ||S - V Vᵀ||^2; B-LoRD: -(Tr(Vᵀ S V) + gamma ||V||^2); of S with a sum of 1
    double normalised_cut = 0;     ///< of the labels, in [0, k]
    double block_diagonality = 0;  ///< n ||V||^2 / k, in [1/k, 1]: 1 where each point belongs to one cluster wholly
    double share_gap = 0;          ///< largest difference between a group's share of a cluster's probabilities and the
                                   ///< cluster's share of all points
    double tau = 0, gamma = 0;     ///< of B-LoRD
    double projection_rounds = 0;  ///< passes over the rows, for each iteration
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

/// State from which a step starts warm.
struct State {
    Matrix v;                       ///< n x k by slot
    std::vector<float> means;       ///< k x d: of the clusters' points, in the features; 0 where a cluster is empty
    std::vector<ClusterId> labels;  ///< by slot, [0, window.size()); `no_cluster` while warming
    FairnessTally tally;            ///< all attributes
    Anchors anchors;                ///< values are probabilities
    double mass = 0;                ///< W, weight of all points at the last step; 0 before the first
    double tau2 = 0;                ///< as worked out last: anew with clusters, and with fresh starts; 0: not known
    std::uint64_t settled_at = 0;   ///< number of points when clusters were last made anew
    std::uint64_t steps = 0;        ///< since the start; decides the draws of a step
    Quality quality;                ///< of the last step
    std::uint64_t parts = 0;        ///< of the graph of the last step that nothing joins to each other; 0: not known
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

/// The graph of the points seen last, by its number of neighbours, brought up to date row by row.
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
    /// `Solve::iterations` are those of projected gradients, of all starts.
    static void step(const Options& options, State& state, Workspace& workspace, const Window& window,
                     const WindowChange& change, StepReport<ClusterId>& report, const WorkHandle& work = {});
    /// Makes `rounds` iterations more from the present probabilities; 0: until they end, and fresh starts beside them,
    /// the best kept under the old names.
    static void refine(const Options& options, State& state, Workspace& workspace, const Window& window,
                       std::int64_t rounds, StepReport<ClusterId>& report, const WorkHandle& work = {});
    /// Returns for new points the cluster of most probability by their neighbours'.
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
