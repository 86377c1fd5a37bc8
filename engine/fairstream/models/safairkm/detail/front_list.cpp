#include <fairstream/models/safairkm/detail/front_list.hpp>

namespace fairstream::safairkm {

TradeOff trade_off(const ModelFairness& fairness, const State& state) {
    return {Model::objective(state), fairness.of(state.tally)};
}

Labelling labelling_of(const ModelFairness& fairness, const State& state) {
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
    for (std::size_t l = 0; l < state.heaviest.size(); ++l)
        state.heaviest[l] = state.tally.weight(static_cast<ClusterId>(l));
    state.indexed = false;
    state.moved.clear();
    state.steps = 0;
    state.started = true;
}

}  // namespace fairstream::safairkm
