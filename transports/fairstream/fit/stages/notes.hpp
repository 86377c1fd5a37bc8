#pragma once
/// Notes for people on requests without effect, or without their full effect.

#include <string>
#include <vector>

#include <fairstream/data/point_batch.hpp>
#include <fairstream/engine.hpp>
#include <fairstream/options.hpp>

namespace fairstream::fit {

/// Returns the name of each setting, "OPTION=VALUE".
[[nodiscard]] std::vector<std::string> names_of_settings(const std::vector<std::string>& settings);

/// Return a note on each option without effect (`idle_options`). For a model: among the options `named`, in the scope
/// `there`. For an engine: among the options of all its models that differ from their defaults; each note then also
/// names the model.
[[nodiscard]] std::vector<std::string> idle_notes(const ModelOptions& model, const std::vector<std::string>& named,
                                                  OptionScope there, bool has_targets);
[[nodiscard]] std::vector<std::string> idle_notes(const EngineOptions& engine);

/// Returns a note on protected attributes that the model neither balances nor compares, and the options that change
/// this; none if there are no such attributes.
[[nodiscard]] std::vector<std::string> notes_on_attributes(const ModelOptions& model,
                                                           const std::vector<Attribute>& attributes);

}  // namespace fairstream::fit
