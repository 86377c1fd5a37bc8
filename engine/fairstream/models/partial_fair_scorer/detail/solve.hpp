#pragma once
/// One solve of a training problem, cold or from an earlier one.

#include <cstdint>

#include <fairstream/models/partial_fair_scorer/detail/sample.hpp>
#include <fairstream/models/partial_fair_scorer/partial_fair_scorer.hpp>

namespace fairstream::partial_fair_scorer {

/// Improves `state` by at most `outer` iterations on `sample`; a state that has not started begins cold. Sets
/// everything but the scores. `solve` receives the outcome.
void solve(const Options& options, const Sample& sample, std::int64_t outer, State& state, Solve& solve);

}  // namespace fairstream::partial_fair_scorer
