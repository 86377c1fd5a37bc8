#include <fairstream/models/safairkm/fair_labels.hpp>

#include <fairstream/models/safairkm/detail/fair_assignment.hpp>
#include <fairstream/models/safairkm/detail/targets.hpp>

namespace fairstream::safairkm {
namespace {

// Rounds in which prices settle for centres that stay.
constexpr int price_rounds = 5;

}  // namespace

FairLabels::FairLabels(const Options& options, const Window& window)
    : options_(options), window_(window), demands_(demands_for(options, group_masses(window))) {
    if (window.attributes() == 0) return;
    for (const int attribute : options.attribute) attributes_.push_back(static_cast<std::uint32_t>(attribute));
}

std::vector<ClusterId> FairLabels::about(std::span<const float> centres) const {
    FairAssignment assignment(window_, centres.size() / window_.dimensions(), attributes_);
    assignment.measure(centres);
    for (int round = 0; round < price_rounds; ++round) assignment.settle(demands_.of_groups, demands_.of_sizes);
    const std::span<const ClusterId> labels = assignment.assign();
    std::vector<ClusterId> by_slot(labels.size());
    for (std::size_t i = 0; i < labels.size(); ++i) by_slot[assignment.order()[i]] = labels[i];
    return by_slot;
}

}  // namespace fairstream::safairkm
