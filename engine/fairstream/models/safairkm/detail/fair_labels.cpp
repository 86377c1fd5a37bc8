#include <fairstream/models/safairkm/fair_labels.hpp>

#include <optional>

#include <fairstream/models/safairkm/detail/fair_assignment.hpp>
#include <fairstream/models/safairkm/detail/targets.hpp>

namespace fairstream::safairkm {
namespace {

// Rounds in which prices settle for centres that stay.
constexpr int price_rounds = 5;

std::vector<ClusterId> by_slot(const FairAssignment& assignment, std::span<const ClusterId> labels) {
    std::vector<ClusterId> ordered(labels.size());
    for (std::size_t i = 0; i < labels.size(); ++i) ordered[assignment.order()[i]] = labels[i];
    return ordered;
}

}  // namespace

FairLabels::FairLabels(const Options& options, const Window& window)
    : options_(options), window_(window), demands_(demands_for(options, group_masses(window))) {
    if (window.attributes() == 0) return;
    for (const int attribute : options.attribute) attributes_.push_back(static_cast<std::uint32_t>(attribute));
}

FairAssignment FairLabels::priced(std::span<const float> centres) const {
    FairAssignment assignment(window_, centres.size() / window_.dimensions(), attributes_);
    assignment.measure(centres);
    for (int round = 0; round < price_rounds; ++round) assignment.settle(demands_.of_groups, demands_.of_sizes);
    (void)assignment.assign();
    return assignment;
}

std::vector<ClusterId> FairLabels::about(std::span<const float> centres) const {
    FairAssignment assignment = priced(centres);
    return by_slot(assignment, assignment.assign());
}

std::optional<std::vector<ClusterId>> FairLabels::exactly(std::span<const float> centres) const {
    if (!window_.weights().empty()) return std::nullopt;
    FairAssignment assignment = priced(centres);
    const auto counts = counts_that_keep(demands_, window_.format(), assignment, centres);
    if (!counts) return std::nullopt;
    return by_slot(assignment, assignment.assign_counts(*counts));
}

}  // namespace fairstream::safairkm
