#pragma once
/// Points that came too late for the window, and drift of the scales, in reports.

#include <cstdint>
#include <string>
#include <string_view>

#include <fairstream/wire/messages.hpp>

namespace fairstream::figures {

/// The help text on what drift is.
[[nodiscard]] std::string drift_help();
/// A line's part on it.
inline constexpr std::string_view drift_meaning =
    "the larger of the shift of its mean, in deviations, and |ln| of the ratio of its deviations";

/// Returns "990 points came too late for the window and were not retained"; empty where none did.
[[nodiscard]] std::string late_text(const wire::Condition& condition);
/// Returns "column income has drifted by 0.25 from its scale"; empty where no column has by more than is tolerated. A
/// column without a name has its number, from 0.
[[nodiscard]] std::string drift_text(const wire::Condition& condition);

}  // namespace fairstream::figures
