#pragma once
/// The values of `fairstream fit --curve`.

#include <string>
#include <string_view>
#include <vector>

#include <fairstream/models/model_options.hpp>

namespace fairstream::fit {

/// Returns the model with an option set.
[[nodiscard]] ModelOptions changed(ModelOptions model, std::string_view option, std::string_view value);
/// Returns an option's value as text.
[[nodiscard]] std::string value_text(const ModelOptions& model, std::string_view option);

/// Throws `InvalidInput` (bad_option) for "--curve TEXT", with the reason.
[[noreturn]] void refuse_curve(const std::string& text, const std::string& why);
/// Parses "0.1,0.2" into rising values of an option that is a number. Throws `InvalidInput` (bad_option) for a value
/// that the option does not allow, and for a repeated value.
[[nodiscard]] std::vector<double> read_curve_values(const std::string& text, const ModelOptions& model,
                                                    std::string_view option);

}  // namespace fairstream::fit
