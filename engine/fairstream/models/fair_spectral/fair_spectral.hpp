#pragma once
/// Fair spectral clustering, kept warm while the window moves.
/// F. Tonin, A. Lambert, J. A. K. Suykens, V. Cevher, "Accelerating spectral clustering under fairness constraints".
///
/// The points' affinities K give M = D^(-1/2) K D^(-1/2), D = diag(K 1). H (n x k) maximises Tr(Hᵀ M H) subject to
/// Hᵀ H = I and Fᵀ H = 0, problem (5), where F says that each group has its share of every cluster; k-means on the rows
/// of the embedding T = D^(-1/2) H gives the labels. The constraint is met by the embedding exactly; the labels round
/// it and lose some of that. So they are led to the targets of the options, in the embedding as safairkm does and by
/// moves of least cut, and then improved by moves and exchanges of points by their exact change of the normalised cut,
/// which keep the targets.
///
/// A step starts new rows of T at weighted means of their neighbours' rows, lets the solver improve on that, rotates
/// the result to match the last embedding, and goes on from the labels it had, at a price for each that changes: by
/// moves, with parts of fresh starts, and annealed. Without moves and targets k-means goes on from its centres.
/// Clusters keep their numbers.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <fairstream/base/id_pairs.hpp>
#include <fairstream/base/one_or_more.hpp>
#include <fairstream/base/work_handle.hpp>
#include <fairstream/models/model.hpp>
#include <fairstream/numeric/anchors.hpp>
#include <fairstream/numeric/matrix.hpp>
#include <fairstream/targets/targets.hpp>

namespace fairstream::fair_spectral {

enum class AffinityKind : std::uint8_t {
    knn,      ///< a graph of nearest neighbours; memory O(n log n)
    rbf,      ///< exp(-|x - y|^2 / (2 sigma^2)), worked out whenever it is multiplied: O(n^2 d) time, O(n) memory
    dense,    ///< the same as a matrix of 4 n^2 bytes
    nystrom,  ///< the same approximated from landmarks: O(n landmarks) time and memory
};
enum class Weights : std::uint8_t {
    self_tuning,  ///< exp(-|x - y|^2 / (s_x s_y)), s the distance to the seventh neighbour
    rbf,          ///< as the affinity of that name
};
enum class Solver : std::uint8_t {
    krylov,  ///< LOBPCG on problem (5): exact to its tolerance
    admm,    ///< Algorithm 1 of the paper, on problem (9), then moved to the nearest H with Fᵀ H = 0
};
enum class Inner : std::uint8_t {
    step,   ///< one step of the difference-of-convex method for each dual
    lbfgs,  ///< the dual solved by L-BFGS, as the paper does
};
enum class PenaltyRule : std::uint8_t {
    fixed,
    adapt,  ///< doubled (up to 0.9) or halved when one residual is ten times the other
};

struct Model;

struct Options {
    using Model = fair_spectral::Model;

    int clusters = 8;  ///< k, in [1, 4096]
    /// What every cluster shall keep. The embedding gives the groups of the same attributes their share of every
    /// cluster.
    Targets targets = {};
    AffinityKind affinity = AffinityKind::knn;
    int neighbours = 0;  ///< q of the graph, in [0, 1000]; 0: floor(log2 n) + 1, n points that differ
    Weights edge_weights = Weights::self_tuning;
    /// sigma of the radial affinities, in [0, 1e15]; 0: the (1/2k)-quantile of the distances of a sample, taken anew
    /// whenever the points have doubled in number.
    double bandwidth = 0;
    int landmarks = 256;  ///< of `nystrom`, in [1, 4096]
    Solver solver = Solver::krylov;
    int iterations = 100;     ///< of the solver per step, in [1, 1e9]
    double tolerance = 1e-3;  ///< residual at which it ends, relative to M H, in [1e-12, 1]
    // Options of the solver admm:
    double penalty = 0.5;  ///< alpha at the start, in [1e-6, 0.9]
    PenaltyRule penalty_rule = PenaltyRule::fixed;
    Inner inner = Inner::step;
    /// Shift added to the diagonal of M, in [0, 100]: with 1 no eigenvalue is negative (Remark 2.3); with radial
    /// affinities none is with 0 either. The larger, the nearer problem (9) is to (5), and the slower.
    double shift = 1;
    int starts = 10;  ///< of k-means, from which labels are put together where they are made anew, in [1, 1000]
    int sweeps = 20;  ///< over all points, of moves by the exact change of the normalised cut, at most, in [0, 1000]
    /// Price of a change of label where labels go on, in [0, 10]: the part of a point's affinities, about, that must
    /// join it more to another cluster than to its own. The cut must fall by 2 k / n times that; for parts taken over
    /// from fresh starts by less.
    double change_price = 0.06;
    int fresh_every = 1;  ///< steps after which clusters also start anew, the better ones kept, in [0, 1e9]; 0: never

    /// Points whose rows of the embedding shall be the same, and so their labels. Pairs with a point that is not
    /// retained are passed over, here and below.
    IdPairs must_link;
    /// Points whose rows shall be opposite, T_i = -T_j. That drives them apart and does not force it: near the origin
    /// opposite rows may have the same nearest centre.
    IdPairs cannot_link;
    std::uint64_t seed = 1;
    bool operator==(const Options&) const = default;
};

[[nodiscard]] inline ClusterTargets targets_of(const Options& options) {
    return {options.targets, options.clusters};
}

/// Figures of a solve.
struct Quality {
    double cost = 0;  ///< k - Tr(Hᵀ M H), at least 0; "SC cost" of the paper
    double normalised_cut =
        -1;  ///< of the labels, in [0, k]; -1: not worked out, without `sweeps` only a refinement does
    double fairness_residual = 0;  ///< ||Fᵀ H||_F^2
    double fairness_residual_before_polish = 0;
    double orthogonality = 0;          ///< ||Hᵀ H - I||_F^2
    double residual = 0;               ///< of the solver, compared with `tolerance`
    double operator_applications = 0;  ///< products of M with n x k blocks, by columns; of this solve alone
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

/// What the graph is like: of nearest neighbours, or given. 0 of other affinities.
struct GraphShape {
    std::uint64_t places = 0;  ///< points that differ; those that are equal are joined as one of their number's weight
    std::uint64_t parts = 0;   ///< that nothing joins to each other
    bool operator==(const GraphShape&) const = default;
    template <class Self, class Archive> static void fields(Self& self, Archive& archive) {
        archive(1, self.places);
        archive(2, self.parts);
    }
};

/// State from which a step starts warm.
struct State {
    Matrix embedding;    ///< n x m by slot, m >= k: the columns of T, and up to five more that the solver goes on from
    Matrix inverse;      ///< Lambda^-1 with Lambda = Hᵀ M H, k x k
    Matrix multipliers;  ///< C of P = F C, rows by the columns of F that attributes make, k columns; admm only
    double penalty = 0;  ///< alpha; 0 before the first step
    std::vector<float> centres;        ///< k x k: of the clusters, in the embedding
    std::vector<float> means;          ///< k x d: of the clusters' points, in the features; 0 where a cluster is empty
    std::vector<ClusterId> labels;     ///< by slot, [0, window.size()); `no_cluster` while warming
    FairnessTally tally;               ///< all attributes
    Anchors anchors;                   ///< values are T Lambda^-1
    double bandwidth = 0;              ///< sigma; 0 where weights tune themselves
    std::uint64_t settled_at = 0;      ///< number of points when sigma and clusters were last computed anew
    std::uint64_t steps = 0;           ///< since the start; decides the draws of a step
    Quality quality;                   ///< of the last step
    GraphShape graph;                  ///< of the last step
    double operator_applications = 0;  ///< of all steps
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

/// The affinities of the points seen last, brought up to date row by row.
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
    static constexpr std::string_view name = "fair_spectral";
    using Options = fair_spectral::Options;
    using State = fair_spectral::State;
    using Workspace = fair_spectral::Workspace;
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
    /// The work of a step with `points` new points when `retained` are in the window, and of refining them.
    [[nodiscard]] static WorkEstimate step_work(const Options& options, const StreamFormat& format,
                                                std::uint64_t points, std::uint64_t retained);
    [[nodiscard]] static WorkEstimate refine_work(const Options& options, const StreamFormat& format,
                                                  std::int64_t rounds, std::uint64_t retained);
    /// Makes one step. Warms while there are fewer points than k plus, for each attribute, its groups less one.
    /// `Solve::iterations` are the solver's, the outcome is its own.
    static void step(const Options& options, State& state, Workspace& workspace, const Window& window,
                     const WindowChange& change, StepReport<ClusterId>& report, const WorkHandle& work = {});
    /// Runs `rounds` iterations of the solver; 0: until it converges or stalls. Then k-means starts anew, from `starts`
    /// starts and from the present centres; the best result is kept under the old names.
    static void refine(const Options& options, State& state, Workspace& workspace, const Window& window,
                       std::int64_t rounds, StepReport<ClusterId>& report, const WorkHandle& work = {});
    /// Gives points the cluster to which they have most affinity, by the labels of their nearest points; of affinities
    /// other than `knn`, and where points were merged, places them in the embedding as a step places new ones, and
    /// gives them the nearest centre. `no_cluster` while warming. `rows` is n x d, `out` is n.
    static void predict(const Options& options, const State& state, ConstRows rows, std::span<ClusterId> out);

    [[nodiscard]] static int cluster_count(const Options& options) { return options.clusters; }
    [[nodiscard]] static const OneOrMore<int>& balanced_attributes(const Options& options) {
        return options.targets.attribute;
    }
    [[nodiscard]] static std::span<const ClusterId> outputs(const State& state) { return state.labels; }
    [[nodiscard]] static const FairnessTally& tally(const State& state) { return state.tally; }
    /// Means of the clusters' features, k x d; empty while warming.
    [[nodiscard]] static std::span<const float> centres(const State& state) { return state.means; }
    /// Returns `Quality::cost`.
    [[nodiscard]] static double objective(const State& state) { return state.quality.cost; }
    /// Returns the figures of the last step by the names of `Quality`, the applications of all steps as
    /// `operator_applications` and of the last one as `step_applications`, average and minimum balance of the first
    /// attribute, and of graphs the `places` and `parts`.
    [[nodiscard]] static std::vector<Figure> figures(const Options& options, const State& state);
};

}  // namespace fairstream::fair_spectral
