#pragma once
/// Notes for people on what they asked for that has no effect, or not the whole one.

#include <string>
#include <vector>

#include <fairstream/data/point_batch.hpp>
#include <fairstream/engine.hpp>
#include <fairstream/options.hpp>

namespace fairstream::fit {

/// Returns the name of each setting, "OPTION=VALUE".
[[nodiscard]] std::vector<std::string> names_of_settings(const std::vector<std::string>& settings);

/// Return a note on each option that has no effect (`idle_options`): of those named, where there is so much; and of
/// each model of an engine those that are not as by default, named with the model.
[[nodiscard]] std::vector<std::string> idle_notes(const ModelOptions& model, const std::vector<std::string>& named,
                                                  OptionScope there, bool has_targets);
[[nodiscard]] std::vector<std::string> idle_notes(const EngineOptions& engine);

/// Returns a note on the protected attributes that the model neither balances nor compares, and what does so; none
/// where there are no such.
[[nodiscard]] std::vector<std::string> notes_on_attributes(const ModelOptions& model,
                                                           const std::vector<Attribute>& attributes);

}  // namespace fairstream::fit
