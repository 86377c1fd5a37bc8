#include <fairstream/models/lord/detail/labels.hpp>

#include <algorithm>

#include <fairstream/models/fair_spectral/detail/label_problem.hpp>
#include <fairstream/models/safairkm/detail/targets.hpp>
#include <fairstream/models/safairkm/fair_labels.hpp>
#include <fairstream/models/safairkm/target_notes.hpp>

namespace fairstream::lord {
namespace {

std::vector<float> unit_vectors(std::size_t k) {
    std::vector<float> units(k * k, 0.0F);
    for (std::size_t l = 0; l < k; ++l) units[l * k + l] = 1;
    return units;
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

std::vector<ClusterId> labels_of(const Options& options, const Rows& rows, std::uint64_t draw) {
    const auto k = static_cast<std::size_t>(options.clusters);
    std::vector<ClusterId> labels = most_probable(rows.probability, k);
    const safairkm::Options targets = target_options(options);
    if (!safairkm::has_target(targets, rows.format.attributes.size())) return labels;
    // The same targets and points as fair spectral clustering has them, whose moves by the cut then serve.
    fair_spectral::Options as_spectral;
    safairkm::copy_clusters_and_targets(options, as_spectral);
    as_spectral.sweeps = 0;
    const fair_spectral::LinkedRows no_links;
    const fair_spectral::RoundingInput input{as_spectral, rows.affinity, rows.probability, rows.groups,
                                             rows.format, no_links,      rows.weights};
    const fair_spectral::LabelProblem problem(input);
    if (!problem.moves()) return labels;
    const fair_spectral::CutProblem cut = problem.under(targets);
    const auto keeps = [&](const std::vector<ClusterId>& these) {
        return fair_spectral::CutMoves(cut, these, Random(options.seed, draw)).shortfall() == 0;
    };
    if (keeps(labels)) return labels;
    const safairkm::FairLabels fair(targets, problem.points().value());
    fair_spectral::CutMoves moves(cut, fair.about(unit_vectors(k)), Random(options.seed, draw));
    if (moves.mend()) return {moves.labels().begin(), moves.labels().end()};
    // Nearly level probabilities leave some clusters with hardly a point, which no single move helps.
    fair_spectral::CutMoves led(cut, fair.from(unit_vectors(k)), Random(options.seed, draw));
    const fair_spectral::CutMoves& best = led.mend() || led.shortfall() < moves.shortfall() ? led : moves;
    return {best.labels().begin(), best.labels().end()};
}

}  // namespace fairstream::lord
