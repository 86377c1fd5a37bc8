#pragma once
/// Progress of work in words.

#include <cmath>
#include <cstdint>
#include <string>

#include <fairstream/base/work_handle.hpp>

namespace fairstream {

/// Returns the estimated time left if `share` of the work took `seconds`: "12 s left". Empty while an estimate would be
/// meaningless.
[[nodiscard]] inline std::string time_left(double share, double seconds) {
    constexpr double least_share = 0.02, least_seconds = 2, minute = 60, hour = 60 * minute;
    if (share < least_share || share >= 1 || seconds < least_seconds) return {};
    const double left = seconds * (1 - share) / share;
    const auto whole = [&](double unit) { return std::to_string(static_cast<std::int64_t>(std::ceil(left / unit))); };
    return (left < 2 * minute ? whole(1) + " s"
            : left < 2 * hour ? whole(minute) + " min"
                              : whole(hour) + " h") +
           " left";
}

/// Returns the stage and its rounds, "solver 12 of at most 100"; empty if neither is known.
[[nodiscard]] inline std::string progress_text(const WorkProgress& work) {
    std::string text(work.stage);
    if (work.rounds > 0 || work.most_rounds > 0) text += (text.empty() ? "" : " ") + std::to_string(work.rounds);
    if (work.most_rounds > 0) text += " of at most " + std::to_string(work.most_rounds);
    return text;
}

}  // namespace fairstream
