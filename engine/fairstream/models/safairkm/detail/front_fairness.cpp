#include <fairstream/models/safairkm/detail/front_fairness.hpp>

#include <algorithm>

namespace fairstream::safairkm {
namespace {

Options asking_for(const Options& model, FrontMeasure measure, const OneOrMore<double>& ratio) {
    Options options = without_targets(model);
    (measure == FrontMeasure::parity ? options.parity_at_least : options.balance_at_least) = ratio;
    return options;
}

double least_ratio(const Demand& demand, const FairnessTally& tally) {
    double least = 1;
    for (ClusterId l = 0; l < tally.clusters(); ++l)
        least = std::min(least, weighted_balance(demand, tally.counts(l, static_cast<int>(demand.attribute))));
    return least;
}

}  // namespace

std::vector<LeftOutGroup> left_out_groups(const FrontOptions& options, const Window& window) {
    return left_out_groups(asking_for(options.model, options.measure, 1.0), group_totals(window));
}

FrontFairness::FrontFairness(const FrontOptions& options, const Window& window)
    : model_(options.model), measure_(options.measure) {
    const GroupTotals totals = group_totals(window);
    all_ = demands_for(asking_for(model_, measure_, 1.0), totals);
    const bool relative = measure_ == FrontMeasure::balance && all_.of_groups.size() > 1;
    for (const Demand& demand : all_.of_groups)
        unit_.push_back(relative ? weighted_balance(demand, totals[demand.attribute]) : 1);
    by_swaps_ = measure_ == FrontMeasure::balance && left_out_groups(options, window).empty();
}

double FrontFairness::of(const FairnessTally& tally) const {
    double least = 1;
    for (std::size_t i = 0; i < unit_.size(); ++i)
        least = std::min(least, least_ratio(all_.of_groups[i], tally) / unit_[i]);
    return least;
}

std::vector<double> FrontFairness::by_attribute(const FairnessTally& tally) const {
    std::vector<double> ratios;
    for (const Demand& demand : all_.of_groups) ratios.push_back(least_ratio(demand, tally));
    return ratios;
}

Options FrontFairness::at_least(double fairness) const {
    std::vector<double> ratios;
    for (const double unit : unit_) ratios.push_back(fairness * unit);
    Options options = asking_for(model_, measure_, OneOrMore<double>(std::move(ratios)));
    options.swaps = 0;
    return options;
}

Options FrontFairness::without_target() const {
    return without_targets(model_);
}

}  // namespace fairstream::safairkm
