#include <fairstream/models/safairkm/detail/front_list.hpp>

#include <algorithm>
#include <utility>

namespace fairstream::safairkm {

CompactLabels::CompactLabels(std::span<const ClusterId> labels, std::size_t clusters) : width_(clusters > 256 ? 2 : 1) {
    bytes_.resize(labels.size() * width_);
    for (std::size_t i = 0; i < labels.size(); ++i) {
        bytes_[i * width_] = static_cast<std::uint8_t>(labels[i]);
        if (width_ == 2) bytes_[2 * i + 1] = static_cast<std::uint8_t>(labels[i] >> 8);
    }
}

void CompactLabels::copy_to(std::span<ClusterId> labels) const noexcept {
    for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = (*this)[i];
}

TradeOff trade_off(const FrontFairness& fairness, const State& state) {
    return {Model::objective(state), fairness.of(state.tally)};
}

Labelling labelling_of(const FrontFairness& fairness, const State& state) {
    return {CompactLabels(state.labels, state.squares.size()),
            state.sums,
            state.squares,
            state.centres,
            state.tally,
            trade_off(fairness, state)};
}

void restore(const Options& options, const Window& window, const Labelling& from, State& state) {
    if (state.labels.size() != window.size()) state = Model::start(options, window);
    from.labels.copy_to(state.labels);
    state.sums = from.sums;
    state.squares = state.peaks = from.squares;
    state.centres = from.centres;
    state.tally = from.tally;
    state.indexed = false;
    state.moved.clear();
    state.steps = 0;
    state.started = true;
}

std::vector<TradeOff> points_of(const std::vector<Labelling>& list) {
    std::vector<TradeOff> points;
    points.reserve(list.size());
    for (const Labelling& labelling : list) points.push_back(labelling.point);
    return points;
}

void merge(std::vector<Labelling>& list, std::vector<Labelling>&& fresh) {
    std::ranges::move(fresh, std::back_inserter(list));
    std::vector<Labelling> kept;
    for (const std::size_t i : nondominated(points_of(list))) kept.push_back(std::move(list[i]));
    list = std::move(kept);
}

}  // namespace fairstream::safairkm
