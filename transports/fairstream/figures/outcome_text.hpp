#pragma once
/// How a model's visible step ended, and whether its targets covered all groups.

#include <string>

#include <fairstream/wire/messages.hpp>

namespace fairstream::figures {

/// Returns whether the model's targets leave out a group as too rare; the model then also publishes its fairness
/// without such groups.
[[nodiscard]] bool leaves_out_rare_groups(const wire::FairnessReport& report);
/// Returns "converged", or "converged without rare groups".
[[nodiscard]] std::string outcome_text(const wire::FairnessReport& report);

}  // namespace fairstream::figures
