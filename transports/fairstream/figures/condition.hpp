#pragma once
/// Reports of late points and of drift of the scales.

#include <cstdint>
#include <string>
#include <string_view>

#include <fairstream/wire/messages.hpp>

namespace fairstream::figures {

/// Returns the help text on drift.
[[nodiscard]] std::string drift_help();
/// The meaning of drift, as a part of a sentence.
inline constexpr std::string_view drift_meaning =
    "the larger of the shift of its mean, in deviations, and |ln| of the ratio of its deviations; least value and "
    "range "
    "in their place if it is scaled by its range";

/// Returns "990 points came too late for the window and were not retained"; empty when no point was late.
[[nodiscard]] std::string late_text(const wire::Condition& condition);
/// Returns "column income has drifted by 0.25 from its scale"; empty when no column exceeds the tolerance. A column
/// without a name appears by its number, from 0.
[[nodiscard]] std::string drift_text(const wire::Condition& condition);

}  // namespace fairstream::figures
