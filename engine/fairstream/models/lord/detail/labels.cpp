#include <fairstream/models/lord/detail/labels.hpp>

#include <algorithm>
#include <limits>
#include <utility>

#include <fairstream/fair_assignment/fair_labels.hpp>
#include <fairstream/fair_kmeans/fair_labels_from_centres.hpp>
#include <fairstream/graph_labels/detail/label_problem.hpp>
#include <fairstream/numeric/assignment.hpp>
#include <fairstream/targets/demands.hpp>
#include <fairstream/targets/target_notes.hpp>

namespace fairstream::lord {
namespace {

constexpr int sweeps_to_preferred_labels = 20;

std::vector<float> unit_vectors(std::size_t k) {
    std::vector<float> units(k * k, 0.0F);
    for (std::size_t l = 0; l < k; ++l) units[l * k + l] = 1;
    return units;
}

// Returns the label of each row that is clearly its most probable one; `no_cluster` if another is nearly as probable.
std::vector<ClusterId> clearly_most_probable(std::span<const float> rows, std::size_t k) {
    constexpr float clearly = 0.01F;
    std::vector<ClusterId> labels = most_probable(rows, k);
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const auto row = rows.subspan(i * k, k);
        const auto own = static_cast<std::size_t>(labels[i]);
        for (std::size_t j = 0; j < k; ++j)
            if (j != own && row[j] > row[own] - clearly) labels[i] = no_cluster;
    }
    return labels;
}

// Renumbers the clusters so that the labels are most probable in total. Targets stay met, because they are the same for
// every cluster.
std::vector<ClusterId> best_numbered(const Rows& rows, std::size_t k, std::span<const ClusterId> labels) {
    Matrix costs(k, k);
    for (std::size_t i = 0; i < labels.size(); ++i)
        for (std::size_t j = 0; j < k; ++j)
            costs.at(static_cast<std::size_t>(labels[i]), j) -=
                rows.weight(i) * static_cast<double>(rows.probability[i * k + j]);
    const auto numbers = cheapest_assignment(costs);
    std::vector<ClusterId> out;
    for (const ClusterId label : labels)
        out.push_back(static_cast<ClusterId>(numbers[static_cast<std::size_t>(label)].value()));
    return out;
}

double probability_of(const Rows& rows, std::size_t k, std::span<const ClusterId> labels) {
    double sum = 0;
    for (std::size_t i = 0; i < labels.size(); ++i)
        sum += rows.weight(i) * static_cast<double>(rows.probability[i * k + static_cast<std::size_t>(labels[i])]);
    return sum;
}

// Returns labels that meet the targets, which `probable`, the most probable labels, miss. Repairs two labellings by
// moves, `probable` and labels at prices of the targets, and takes the more probable result. If moves do not help,
// takes labels that are made for the targets. This happens with nearly level probabilities, which leave hardly a point
// to some clusters. If all results miss the targets, takes the result that comes nearest to them.
std::vector<ClusterId> repaired(const LabelProblem& problem, const CutProblem& cut, const Rows& rows, CutMoves probable,
                                const Random& random, const WorkHandle& work) {
    const LabelOptions& wanted = problem.input().options;
    const Window& points = problem.points().value();
    const std::size_t k = problem.clusters();
    const std::vector<float> centres = unit_vectors(k);
    std::vector<ClusterId> best;
    double shortfall = std::numeric_limits<double>::infinity(), probability = 0;
    const auto consider = [&](CutMoves moves) {
        moves.repair();
        const std::vector<ClusterId> found = best_numbered(rows, k, moves.labels());
        const double sum = probability_of(rows, k, found);
        if (moves.shortfall() > shortfall || (moves.shortfall() == shortfall && sum <= probability)) return;
        best = found, shortfall = moves.shortfall(), probability = sum;
    };
    consider(std::move(probable));
    consider({cut, FairLabels(wanted.targets, points).about(centres), random});
    if (shortfall > 0 && work.report_progress(0.2))
        consider({cut,
                  safairkm::fair_labels_from_centres(wanted.targets, points, centres, wanted.seed, work.part(0.2, 1)),
                  random});
    return best;
}

}  // namespace

std::vector<ClusterId> most_probable(std::span<const float> rows, std::size_t k) {
    std::vector<ClusterId> labels;
    for (std::size_t first = 0; first < rows.size(); first += k) {
        const auto row = rows.subspan(first, k);
        labels.push_back(static_cast<ClusterId>(std::ranges::max_element(row) - row.begin()));
    }
    return labels;
}

std::vector<ClusterId> labels_of(const Options& options, const Rows& rows, std::uint64_t draw, const WorkHandle& work) {
    const auto k = static_cast<std::size_t>(options.clusters);
    std::vector<ClusterId> labels = most_probable(rows.probability, k);
    const ClusterTargets targets = targets_of(options);
    if (!has_target(targets, rows.format.attributes.size())) return labels;
    const LinkedRows no_links;
    WorkDone moves_done(work.part(0, 0), 1);
    const RoundingInput input{{.targets = targets, .seed = options.seed},
                              rows.affinity,
                              rows.probability,
                              rows.groups,
                              rows.format,
                              no_links,
                              rows.weights,
                              nullptr,
                              &moves_done};
    const LabelProblem problem(input);
    if (!problem.moves()) return labels;
    CutProblem cut = problem.under(targets);
    const Random random(options.seed, draw);
    CutMoves probable(cut, labels, random);
    if (probable.shortfall() == 0) return labels;
    const std::vector<ClusterId> near = repaired(problem, cut, rows, std::move(probable), random, work);
    // Points return to their clearly most probable label if the targets allow it; the cut decides for the others.
    const std::vector<ClusterId> preferred_labels = clearly_most_probable(rows.probability, k);
    cut.preferred_labels = preferred_labels;
    CutMoves moves(cut, near, random);
    moves.descend(sweeps_to_preferred_labels, 2 * static_cast<double>(k));
    return {moves.labels().begin(), moves.labels().end()};
}

}  // namespace fairstream::lord
