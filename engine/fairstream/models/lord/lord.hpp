#pragma once
/// Probabilistic clustering of the graph of nearest neighbours, fair, and kept warm while the window moves.
/// W. Lyu, Y. Jia, H. Liu, J. Hou, "Graph-based clustering revisited: a relaxation of kernel k-means perspective".
///
/// S is the graph of similarities (31), scaled to a sum of 1. V (n x k) in the set Omega(mu) of given marginals says
/// how probable each cluster is for each point, P(y_i = j | x_i) = n V_ij mu_j: see `detail/marginals.hpp`. LoRD (17)
/// minimises ||S - V Vᵀ||^2; B-LoRD (20) maximises Tr(Vᵀ S V) + gamma ||V||^2, where gamma says how sharp the
/// probabilities are. Both by projected gradients, from several starts. With `fair` = proportional every group also has
/// its own marginals (an addition to the paper): the sum of the probabilities of a cluster over the points of a group
/// is the group's share of the cluster.
///
/// Labels are the most probable ones with which every cluster keeps the targets of the options, as safairkm finds them.
/// A step starts new rows of V at the means of their neighbours' and goes on from there; clusters keep their numbers.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <fairstream/base/one_or_more.hpp>
#include <fairstream/base/work_handle.hpp>
#include <fairstream/models/model.hpp>
#include <fairstream/numeric/anchors.hpp>
#include <fairstream/numeric/matrix.hpp>
#include <fairstream/targets/targets.hpp>

namespace fairstream::lord {

enum class Method : std::uint8_t {
    b_lord,  ///< (20), whose probabilities are as sharp as tau says
    lord,    ///< (17)
};
enum class Fair : std::uint8_t {
    proportional,  ///< every group has its share of the probabilities of every cluster, exactly
    off,           ///< the clusters' sizes alone are given
};

/// Values of `tau` that are left to the model: the paper's two rules.
inline constexpr double tau2 = -1, tau1 = -2;
/// Value of `starts` that is left to the model.
inline constexpr int automatic_starts = -1;

struct Model;

struct Options {
    using Model = lord::Model;

    int clusters = 8;  ///< k, in [1, 4096]
    /// What every cluster of the labels shall keep. `fair` is about the same attributes; with several, groups are
    /// combinations of theirs.
    Targets targets = {};
    int neighbours = 0;  ///< q of the graph, in [0, 1000]; 0: floor(log2 n) + 1, n points that differ
    Method method = Method::b_lord;
    /// Of B-LoRD: gamma = -largest + tau (largest - smallest eigenvalue of S), in [0, 1]. With 0 the problem is concave
    /// and probabilities are level; the larger, the sharper they are, and the more starts end differently. `tau1`:
    /// min(2 n^-0.24, 1). `tau2`: min(.34 exp(50 b - .03 log n), 1), b the k smallest eigenvalues of the Laplacian of S
    /// over its trace; but at least (largest - lambda) / (largest - smallest), lambda the (k - 1)-th largest eigenvalue
    /// of S on what is orthogonal to 1: below that the objective does not rise from level probabilities in k - 1
    /// directions, and k clusters cannot part (not in the paper; of a graph of neighbours it is below its rule).
    double tau = tau2;
    /// Share of all points that each cluster has, mu_j^2: one for each cluster, scaled to a sum of 1; one value: all
    /// alike. In [1e-6, 1e6].
    OneOrMore<double> priors = 1;
    Fair fair = Fair::proportional;  ///< where the stream has attributes
    /// Points: a group of fewer has no marginals of its own under `fair`, which would make a single point equally
    /// probable everywhere; all such together have some, or are among the largest group where they are as few. In
    /// [0, 1e9].
    double small_below = 20;
    int iterations = 4000;    ///< of projected gradients per step and start, at most, in [1, 1e9]
    double tolerance = 1e-4;  ///< of ||V' - V|| / ||V|| at which they end, in [1e-9, 1]
    /// Random starts where clusters are made anew, the best kept, in [1, 1000]; `automatic`: 10 for up to 100,000
    /// points, and fewer for more, down to 1.
    int starts = automatic_starts;
    int fresh_every = 10;  ///< steps after which fresh starts are made beside, taken where clearly better, in
                           ///< [0, 1e9]; 0: never

    std::uint64_t seed = 1;
    bool operator==(const Options&) const = default;
};

/// Returns the number of starts from nothing for so many points.
[[nodiscard]] int start_count(const Options& options, std::uint64_t points);
[[nodiscard]] inline ClusterTargets targets_of(const Options& options) {
    return {options.targets, options.clusters};
}

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

/// The graph of the points seen last, brought up to date row by row.
class Workspace {
public:
    Workspace();
    ~Workspace();
    Workspace(Workspace&&) noexcept;
    Workspace& operator=(Workspace&&) noexcept;

    struct Kept;
    [[nodiscard]] Kept& kept() noexcept { return *kept_; }

private:
    std::unique_ptr<Kept> kept_;
};

struct Model {
    static constexpr std::string_view name = "lord";
    using Options = lord::Options;
    using State = lord::State;
    using Workspace = lord::Workspace;
    using Output = ClusterId;
    static constexpr bool takes_weights = true;
    static const ModelAbout about;

    /// Puts the state into another measure.
    static void re_express(const Options& options, State& state, const MeasureChange& change);
    [[nodiscard]] static const ModelKind& kind();
    /// Returns the part of a state that predictions and assignments read.
    [[nodiscard]] static State without_points(const State& state);
    /// Throws `InvalidInput` (bad_option) naming the option, its value and its range.
    static void check(const Options& options, const StreamFormat& format);
    [[nodiscard]] static State start(const Options& options, const Window& window);
    /// Throws `InvalidInput` (bad_state) when `state` cannot be one of a stream of this format, whatever its points.
    static void verify(const Options& options, const State& state, const StreamFormat& format);
    /// Throws `InvalidInput` (bad_state) when `state` cannot be one of this window's.
    static void verify(const Options& options, const State& state, const Window& window);
    [[nodiscard]] static WorkEstimate step_work(const Options& options, const StreamFormat& format,
                                                std::uint64_t points, std::uint64_t retained);
    [[nodiscard]] static WorkEstimate refine_work(const Options& options, const StreamFormat& format,
                                                  std::int64_t rounds, std::uint64_t retained);
    /// Makes one step. Warms while there are fewer points than clusters. `Solve::iterations` are those of projected
    /// gradients, of all starts.
    static void step(const Options& options, State& state, Workspace& workspace, const Window& window,
                     const WindowChange& change, StepReport<ClusterId>& report, const WorkHandle& work = {});
    /// Makes `rounds` iterations more from the present probabilities; 0: until they end, and fresh starts beside them,
    /// the best kept under the old names.
    static void refine(const Options& options, State& state, Workspace& workspace, const Window& window,
                       std::int64_t rounds, StepReport<ClusterId>& report, const WorkHandle& work = {});
    /// Returns for new points the cluster of most probability by their neighbours'; `no_cluster` while warming. `rows`
    /// is n x d, `out` is n.
    static void predict(const Options& options, const State& state, ConstRows rows, std::span<ClusterId> out);
    /// Returns the probabilities of all clusters for new points likewise, n x k; zeros while warming.
    static void predict_memberships(const Options& options, const State& state, ConstRows rows, std::span<float> out);
    /// Returns P(y_i = j | x_i) of the retained points, n x k by slot; empty while warming.
    [[nodiscard]] static Matrix memberships(const Options& options, const State& state);

    [[nodiscard]] static int cluster_count(const Options& options) { return options.clusters; }
    [[nodiscard]] static const OneOrMore<int>& balanced_attributes(const Options& options) {
        return options.targets.attribute;
    }
    [[nodiscard]] static std::span<const ClusterId> outputs(const State& state) { return state.labels; }
    [[nodiscard]] static const FairnessTally& tally(const State& state) { return state.tally; }
    /// Means of the clusters' features, k x d; empty while warming.
    [[nodiscard]] static std::span<const float> centres(const State& state) { return state.means; }
    /// Returns `Quality::objective`.
    [[nodiscard]] static double objective(const State& state) { return state.quality.objective; }
    /// Returns the figures of the last step by the names of `Quality`, and average and minimum balance of the first
    /// attribute.
    [[nodiscard]] static std::vector<Figure> figures(const Options& options, const State& state);
};

}  // namespace fairstream::lord
