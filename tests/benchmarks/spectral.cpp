/// Measures fair spectral clustering; prints one JSON object.
///
///   bench_spectral graph (msbm|rand_laplace) NODES CLUSTERS [OFSC]
///   bench_spectral edges EDGES NODES GROUP CLUSTERS
///   bench_spectral points FILE GROUP TARGET CLUSTERS AFFINITY
///   bench_spectral window CLUSTERS SPREAD REFRESHES
///   bench_spectral labels CLUSTERS SPREAD REFRESHES BALANCE [DRIFT [PRICE [SEED]]]
///   bench_spectral scale POINTS CLUSTERS
///
/// `graph`, `edges` and `points` solve the same problem by krylov, by admm in both forms and by s-FSC (Spectra) on the
/// same operator; with OFSC also by a dense eigensolver. Seconds are those of the solvers alone. `window` compares warm
/// refreshes with cold ones until their costs are near the exact one. `labels` compares the labels of a continuing
/// model, at its defaults except for its target, with those of a model that starts from nothing on the same window.
/// `scale` fits POINTS points, including graph and k-means.

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <fairstream/data/detail/graph_affinity.hpp>
#include <fairstream/fairness/measures.hpp>
#include <fairstream/files/points/graph.hpp>
#include <fairstream/files/points/table.hpp>
#include <fairstream/generate/graphs.hpp>
#include <fairstream/graph_labels/detail/label_problem.hpp>
#include <fairstream/graph_labels/detail/labels_from_starts.hpp>
#include <fairstream/graph_labels/detail/target_search.hpp>
#include <fairstream/models/fair_spectral/detail/embedded.hpp>
#include <fairstream/models/fair_spectral/detail/embedding.hpp>
#include <fairstream/models/fair_spectral/detail/points.hpp>
#include <fairstream/models/fair_spectral/detail/window_solve.hpp>
#include <fairstream/numeric/detail/blocks.hpp>
#include <fairstream/numeric/detail/eigen/krylov_basis.hpp>
#include <fairstream/numeric/detail/kmeans.hpp>

#include "../fair_spectral/references.hpp"

namespace fairstream::benchmarks {
namespace {

using namespace fair_spectral;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Returns the cost of H, from a separate product.
double true_cost(const Affinity& affinity, const Matrix& h) {
    NormalisedAffinity m(affinity);
    Matrix product;
    m.apply(h, product);
    return std::inner_product(h.values.begin(), h.values.end(), product.values.begin(), static_cast<double>(h.cols),
                              std::plus<>(), [](double a, double b) { return -a * b; });
}

struct Problem {
    const Affinity& affinity;
    std::span<const GroupId> groups;
    std::size_t group_count;
    std::size_t k;
};

void print_run(const char* name, double seconds, double applications, double cost) {
    std::printf(",\n  \"%s\": {\"seconds\": %.6f, \"applications\": %.2f, \"cost\": %.9f}", name, seconds, applications,
                cost);
}

double average_balance(const Problem& p, const Matrix& t) {
    const std::vector<float> rows = embedding_rows(t, p.k);
    Random random(1, 2);
    const KMeans rounded = kmeans(rows.data(), t.rows, p.k, p.k, 10, random);
    const int counts[] = {static_cast<int>(p.group_count)};
    FairnessTally tally(static_cast<int>(p.k), counts);
    tally.add(rounded.labels, p.groups.data());
    return attribute_fairness(tally, 0).average_balance;
}

void run_ours(const char* name, const Problem& p, const Options& options) {
    const auto start = Clock::now();
    NormalisedAffinity m(p.affinity);
    const AttributeColumn column{0, p.group_count};
    const Constraints constraints = make_constraints(p.groups, 1, {&column, 1}, {}, m.inverse_roots());
    const Embedding found =
        embed(options, m, constraints, {}, {options.iterations, options.tolerance, {}}, options.seed);
    const double seconds = seconds_since(start);
    Matrix h = columns(found.t, 0, p.k);
    for (std::size_t i = 0; i < h.rows; ++i)
        for (std::size_t j = 0; j < h.cols && m.inverse_roots()[i] > 0; ++j) h.at(i, j) /= m.inverse_roots()[i];
    std::printf(
        ",\n  \"%s\": {\"seconds\": %.6f, \"applications\": %.2f, \"cost\": %.9f, \"fairness_residual\": %.3e, "
        "\"fairness_residual_before_polish\": %.3e, \"residual\": %.3e, \"outcome\": \"%s\", "
        "\"average_balance\": %.6f}",
        name, seconds, found.quality.operator_applications, true_cost(p.affinity, h), found.quality.fairness_residual,
        found.quality.fairness_residual_before_polish, found.quality.residual,
        std::string(to_string(found.solve.outcome)).c_str(), average_balance(p, found.t));
}

void run_references(const Problem& p, bool dense) {
    NormalisedAffinity m(p.affinity);
    const AttributeColumn column{0, p.group_count};
    const Constraints constraints = make_constraints(p.groups, 1, {&column, 1}, {}, m.inverse_roots());
    const std::size_t n = p.affinity.rows();
    Matrix one(n, 1), image;
    const auto product = [&](const double* x, double* out) {
        std::copy_n(x, n, one.values.begin());
        m.apply(one, image);
        std::ranges::copy(image.values, out);
    };
    auto start = Clock::now();
    const test::Reference lanczos = test::s_fsc(n, product, constraints.f.values, p.k, 2, 1e-8);
    print_run("s_fsc", seconds_since(start), static_cast<double>(lanczos.products) / static_cast<double>(p.k),
              lanczos.cost);
    if (!dense) return;
    Matrix identity(n, n), whole;
    for (std::size_t i = 0; i < n; ++i) identity.at(i, i) = 1;
    m.apply(identity, whole);
    start = Clock::now();
    const test::Reference exact = test::o_fsc(n, whole.values, constraints.f.values, p.k);
    print_run("o_fsc", seconds_since(start), 0, exact.cost);
}

void compare(const Problem& p, bool dense) {
    std::printf("{\"n\": %zu, \"k\": %zu", p.affinity.rows(), p.k);
    Options options;
    options.clusters = static_cast<int>(p.k);
    run_ours("krylov", p, options);
    options.solver = Solver::admm;
    run_ours("admm", p, options);
    options.inner = Inner::lbfgs;
    options.penalty = 0.005;
    options.penalty_rule = PenaltyRule::adapt;
    options.iterations = 10;
    run_ours("admm_paper", p, options);
    run_references(p, dense);
    std::printf("\n}\n");
}

void graph(const std::string& name, std::uint32_t nodes, std::size_t k, bool dense) {
    const generate::GraphKind* kind = generate::find_graph_kind(name);
    if (kind == nullptr) throw std::runtime_error("there is no graph " + name);
    generate::PlantedGraph made = kind->make(nodes, 1);
    const std::unique_ptr<Affinity> affinity = graph_affinity(made.graph);
    made.graph = {};
    compare({*affinity, made.groups, made.attributes[0].groups.size(), k}, dense);
}

void edges(const std::string& edge_file, const std::string& node_file, const std::string& group, std::size_t k) {
    const files::GraphTable table = files::read_graph(edge_file, node_file, {group});
    const std::unique_ptr<Affinity> affinity = graph_affinity(table.graph);
    compare({*affinity, table.groups, table.attributes[0].groups.size(), k}, table.graph.nodes <= 200);
}

void points(const std::string& file, const std::string& group, const std::string& target, int k,
            const std::string& affinity) {
    files::Table table = files::read_table(file, {.features = {}, .groups = {{group, {}}}, .target = target, .id = {}});
    files::standardise(table);
    PointColumns all;
    files::copy_points(table, 0, table.size(), all);
    all.targets.clear();
    table.format.has_targets = false;
    Window window(table.format, {static_cast<Slot>(table.size()), WindowPolicy::sliding, 1});
    window.apply(all.view());
    Options options;
    options.clusters = k;
    options.affinity = affinity == "rbf" ? AffinityKind::rbf : AffinityKind::knn;
    const double bandwidth = needs_bandwidth(options) ? usual_bandwidth(options, window) : 0;
    Workspace workspace;
    const Affinity& made = affinity_of(options, bandwidth, window, workspace);
    compare({made, all.groups, table.format.attributes[0].groups.size(), static_cast<std::size_t>(k)}, false);
}

/// Gaussian clusters in eight dimensions, 25 of them with deviation 1 around centres of deviation `spread`; a group's
/// share of a cluster is 0.3 or 0.6.
class Mixture {
public:
    explicit Mixture(double spread, std::uint64_t seed = 3) : random_(seed), centres_(clusters * dimensions) {
        for (double& centre : centres_) centre = spread * normal();
    }
    [[nodiscard]] static StreamFormat format() { return {dimensions, {{"group", {"a", "b"}}}, false}; }
    PointColumns next(std::size_t count) {
        PointColumns points;
        for (std::size_t i = 0; i < count; ++i) {
            const std::uint32_t cluster = random_.below(clusters);
            points.ids.push_back(id_++);
            points.groups.push_back(random_.unit() < (cluster % 2 == 0 ? 0.6 : 0.3) ? 1 : 0);
            for (std::size_t j = 0; j < dimensions; ++j)
                points.features.push_back(static_cast<float>(centres_[cluster * dimensions + j] + normal()));
        }
        return points;
    }

    /// Moves every coordinate of every centre up or down by `by` standard deviations of the points.
    void drift(double by) {
        for (double& centre : centres_) centre += random_.unit() < 0.5 ? by : -by;
    }

private:
    static constexpr std::size_t dimensions = 8;
    static constexpr std::uint32_t clusters = 25;

    double normal() {
        double sum = -6;
        for (int i = 0; i < 12; ++i) sum += random_.unit();
        return sum;
    }
    Random random_;
    std::vector<double> centres_;
    PointId id_ = 0;
};

/// A stream of states, each continuing from the one before, and stopped as soon as its cost is within `slack` of the
/// exact one.
struct Chain {
    const char* name;
    Options options;
    bool relative;
    State state;
    Workspace workspace;
    double warm = 0, cold = 0, cold_lobpcg = 0, warm_seconds = 0, cold_seconds = 0, churn = 0;
    int warm_met = 0, cold_met = 0;
};

struct Stopped {
    State state;
    double applications = 0, seconds = 0;
    bool met = false;
};

Stopped solve_until(const Chain& chain, const State& from, Workspace& workspace, const Window& window,
                    std::span<const Slot> written, const Affinity& affinity, double target) {
    Stopped run;
    double watching = 0;
    const SpectralWatch watch = [&](const SpectralIterate& it) {
        const auto begun = Clock::now();
        run.met = true_cost(affinity, it.finished()) <= target;
        run.applications = it.columns_applied / chain.options.clusters;
        watching += seconds_since(begun);
        return run.met;
    };
    Solve solve;
    const auto begun = Clock::now();
    run.state = solved(chain.options, from, workspace, window, {.written = written, .replaced = {}},
                       {.iterations = 300, .watch = watch}, solve);
    run.seconds = seconds_since(begun) - watching;
    return run;
}

/// For the solver that continues warm starts, from random columns.
double cold_lobpcg_applications(const Chain& chain, const Window& window, const Affinity& affinity, double target) {
    const auto k = static_cast<std::size_t>(chain.options.clusters);
    NormalisedAffinity m(affinity);
    const AttributeColumn column{0, 2};
    const Constraints constraints = make_constraints(window.points().groups, 1, {&column, 1}, {}, m.inverse_roots());
    double applications = 0;
    const SpectralWatch watch = [&](const SpectralIterate& it) {
        applications = it.columns_applied / static_cast<double>(k);
        return true_cost(affinity, it.finished()) <= target;
    };
    (void)solve_krylov(m, constraints.q, k, orthonormal_start(constraints.q, {}, m.rows(), k + 5, 1),
                       {300, chain.options.tolerance, watch}, 1);
    return applications;
}

double churn(const State& before, const State& after, std::span<const Slot> written) {
    std::vector<std::uint8_t> fresh(after.labels.size(), 0);
    for (const Slot slot : written) fresh[slot] = 1;
    std::size_t changed = 0;
    for (std::size_t i = 0; i < fresh.size(); ++i) changed += fresh[i] == 0 && before.labels[i] != after.labels[i];
    return static_cast<double>(changed) / static_cast<double>(fresh.size() - written.size());
}

void refresh(Chain& chain, const Window& window, std::span<const Slot> written, const Affinity& affinity, double exact,
             bool counted) {
    const double k = chain.options.clusters;
    const double target = exact + (chain.relative ? 1e-3 * exact : 1e-3 * k);
    if (counted) {
        const Stopped cold = solve_until(chain, fair_spectral::Model::start(chain.options, window), chain.workspace,
                                         window, {}, affinity, target);
        chain.cold += cold.applications, chain.cold_seconds += cold.seconds, chain.cold_met += cold.met;
        if (chain.options.solver == Solver::krylov)
            chain.cold_lobpcg += cold_lobpcg_applications(chain, window, affinity, target);
    }
    Stopped warm = solve_until(chain, chain.state, chain.workspace, window, written, affinity, target);
    if (counted) {
        chain.warm += warm.applications, chain.warm_seconds += warm.seconds, chain.warm_met += warm.met;
        chain.churn += churn(chain.state, warm.state, written);
    }
    chain.state = std::move(warm.state);
}

void window(int k, double spread, int refreshes) {
    constexpr Slot n = 5000, replaced = 250;
    Mixture mixture(spread);
    Window points(Mixture::format(), {n, WindowPolicy::sliding, 1});
    points.apply(mixture.next(n).view());
    Options options;
    options.clusters = k;
    options.tolerance = 1e-12;  // what is watched ends it
    options.sweeps = options.fresh_every = 0;
    options.targets.parity_at_least = 0;
    std::vector<Chain> chains;
    for (const bool admm : {false, true})
        for (const bool relative : {false, true}) {
            Options own = options;
            own.solver = admm ? Solver::admm : Solver::krylov;
            chains.push_back({admm ? "admm" : "krylov", own, relative, fair_spectral::Model::start(own, points), {}});
        }
    Options exactly = options;
    exactly.tolerance = 1e-9;
    Workspace workspace;
    std::vector<Slot> written(n);
    std::iota(written.begin(), written.end(), Slot{0});
    for (int t = 0; t <= refreshes; ++t) {
        if (t > 0) {
            const WindowChange& change = points.apply(mixture.next(replaced).view());
            written.assign(change.written.begin(), change.written.end());
        }
        Solve solve;
        const double exact = solved(exactly, fair_spectral::Model::start(exactly, points), workspace, points, {},
                                    {2000, false, {}}, solve)
                                 .quality.cost;
        const Affinity& affinity = affinity_of(options, 0, points, workspace);
        for (Chain& chain : chains) refresh(chain, points, written, affinity, exact, t > 0);
    }
    std::printf("{\"n\": %u, \"replaced\": %u, \"k\": %d, \"refreshes\": %d, \"runs\": [", n, replaced, k, refreshes);
    for (std::size_t i = 0; i < chains.size(); ++i) {
        const Chain& c = chains[i];
        std::printf(
            "%s\n  {\"solver\": \"%s\", \"stop\": \"%s\", \"warm\": %.3f, \"cold\": %.3f, \"cold_lobpcg\": %.3f, "
            "\"warm_met\": %d, "
            "\"cold_met\": %d, \"warm_seconds\": %.5f, \"cold_seconds\": %.5f, \"churn\": %.5f}",
            i == 0 ? "" : ",", c.name, c.relative ? "relative" : "absolute", c.warm / refreshes, c.cold / refreshes,
            c.cold_lobpcg / refreshes, c.warm_met, c.cold_met, c.warm_seconds / refreshes, c.cold_seconds / refreshes,
            c.churn / refreshes);
    }
    std::printf("\n]}\n");
}

/// Returns the normalised cut of the best of ten starts of k-means, each led to the targets and improved by moves
/// alone.
double best_of_ten(const Options& options, const State& anew, Workspace& workspace, const Window& points) {
    constexpr int starts = 10;
    const std::vector<float> rows = embedding_rows(anew.embedding, static_cast<std::size_t>(options.clusters));
    const LinkedRows none;
    const RoundingInput input{label_options(options),
                              affinity_of(options, 0, points, workspace),
                              rows,
                              points.points().groups,
                              points.format(),
                              none};
    const LabelProblem problem(input);
    Random random(options.seed, 3);
    const TargetSearch search(problem, targets_of(options), random);
    std::vector<Rounding> found = search.labels_from_starts(kmeans_starts(problem, starts, random));
    return std::ranges::min_element(found, [](const Rounding& a, const Rounding& b) { return a.beats(b); })->cut;
}

/// `drift`: distance that centres move between refreshes. `price`: of a changed label; below 0: the default. `seed`: of
/// the stream.
void labels(int k, double spread, int refreshes, double balance, double drift, double price, std::uint64_t seed) {
    constexpr Slot n = 3000, replaced = 300;
    Mixture mixture(spread, seed);
    Window points(Mixture::format(), {n, WindowPolicy::sliding, 1});
    Options options;
    options.clusters = k;
    options.targets.balance_at_least = balance;
    if (price >= 0) options.change_price = price;
    Workspace warm_workspace, cold_workspace;
    State warm = fair_spectral::Model::start(options, points);
    StepReport<ClusterId> report;
    const WindowChange* change = &points.apply(mixture.next(n).view());
    std::vector<Slot> written(change->written.begin(), change->written.end());
    fair_spectral::Model::step(options, warm, warm_workspace, points, *change, report);
    std::string rows;
    double warm_seconds = 0, cold_seconds = 0;
    for (int t = 0; t < refreshes; ++t) {
        if (drift > 0) mixture.drift(drift);
        change = &points.apply(mixture.next(replaced).view());
        written.assign(change->written.begin(), change->written.end());
        const State before = warm;
        auto begun = Clock::now();
        fair_spectral::Model::step(options, warm, warm_workspace, points, *change, report);
        warm_seconds += seconds_since(begun);
        Solve solve;
        Options other = options;
        other.seed = static_cast<std::uint64_t>(t) + 2;
        begun = Clock::now();
        const State cold = solved(other, fair_spectral::Model::start(other, points), cold_workspace, points, {},
                                  {other.iterations, false, {}}, solve);
        cold_seconds += seconds_since(begun);
        std::array<char, 160> row{};
        std::snprintf(row.data(), row.size(), "%s\n  [%.6f, %.6f, %.4f, %.4f, %.5f, %.6f]", t == 0 ? "" : ",",
                      warm.quality.normalised_cut, cold.quality.normalised_cut, minimum_balance(warm.tally, 0),
                      minimum_balance(cold.tally, 0), churn(before, warm, written),
                      best_of_ten(other, cold, cold_workspace, points));
        rows += row.data();
    }
    std::printf(
        "{\"n\": %u, \"replaced\": %u, \"k\": %d, \"warm_seconds\": %.5f, \"cold_seconds\": %.5f, \"refreshes\": "
        "[%s\n]}\n",
        n, replaced, k, warm_seconds / refreshes, cold_seconds / refreshes, rows.c_str());
}

void scale(std::size_t n, int k) {
    Mixture mixture(1.5);
    Window points(Mixture::format(), {static_cast<Slot>(n), WindowPolicy::sliding, 1});
    const PointColumns all = mixture.next(n);
    points.apply(all.view());
    Options options;
    options.clusters = k;
    Workspace workspace;
    const auto begun = Clock::now();
    (void)affinity_of(options, 0, points, workspace);
    const double graph_seconds = seconds_since(begun);
    Solve solve;
    const State state = solved(options, fair_spectral::Model::start(options, points), workspace, points, {},
                               {options.iterations, false, {}}, solve);
    std::printf(
        "{\"n\": %zu, \"k\": %d, \"seconds\": %.4f, \"graph_seconds\": %.4f, \"applications\": %.2f, "
        "\"cost\": %.6f, \"outcome\": \"%s\"}\n",
        n, k, seconds_since(begun), graph_seconds, state.quality.operator_applications, state.quality.cost,
        std::string(to_string(solve.outcome)).c_str());
}

int run(const std::vector<std::string>& arguments) {
    const auto number = [&](std::size_t i) { return std::strtoul(arguments.at(i).c_str(), nullptr, 10); };
    const std::string& what = arguments.at(0);
    if (what == "graph")
        graph(arguments.at(1), static_cast<std::uint32_t>(number(2)), number(3), arguments.size() > 4);
    else if (what == "edges")
        edges(arguments.at(1), arguments.at(2), arguments.at(3), number(4));
    else if (what == "points")
        points(arguments.at(1), arguments.at(2), arguments.at(3), static_cast<int>(number(4)), arguments.at(5));
    else if (what == "window")
        window(static_cast<int>(number(1)), std::strtod(arguments.at(2).c_str(), nullptr), static_cast<int>(number(3)));
    else if (what == "labels")
        labels(static_cast<int>(number(1)), std::strtod(arguments.at(2).c_str(), nullptr), static_cast<int>(number(3)),
               std::strtod(arguments.at(4).c_str(), nullptr),
               arguments.size() > 5 ? std::strtod(arguments[5].c_str(), nullptr) : 0,
               arguments.size() > 6 ? std::strtod(arguments[6].c_str(), nullptr) : -1,
               arguments.size() > 7 ? number(7) : 3);
    else if (what == "scale")
        scale(number(1), static_cast<int>(number(2)));
    else
        throw std::runtime_error("no measurement '" + what + "'");
    return 0;
}

}  // namespace
}  // namespace fairstream::benchmarks

int main(int argc, char** argv) {
    try {
        return fairstream::benchmarks::run({argv + 1, argv + argc});
    } catch (const std::out_of_range&) {
        std::fprintf(stderr, "usage: bench_spectral graph|edges|points|window|labels|scale ..., see its source\n");
    } catch (const std::exception& error) {
        std::fprintf(stderr, "bench_spectral: %s\n", error.what());
    }
    return 2;
}
