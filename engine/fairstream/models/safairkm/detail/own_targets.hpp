#pragma once
/// Options of safairkm with other targets.

#include <fairstream/models/safairkm/safairkm.hpp>
#include <fairstream/targets/demands.hpp>

namespace fairstream::safairkm {

/// Returns the options with these targets.
[[nodiscard]] inline Options with_targets(Options options, Targets targets) {
    options.targets = std::move(targets);
    return options;
}
/// Returns options that name the groups that count now, so that the same groups count without memory.
[[nodiscard]] inline Options without_memory(const Options& options, const GroupMasses& masses) {
    return with_targets(options, fairstream::without_memory(targets_of(options), masses));
}

}  // namespace fairstream::safairkm
