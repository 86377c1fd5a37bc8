#pragma once
/// The limit on the work of an event.

#include <cstdint>
#include <cstdio>
#include <string>

#include <fairstream/base/types.hpp>
#include <fairstream/base/work_estimate.hpp>
#include <fairstream/base/work_handle.hpp>

namespace fairstream::core {

/// Throws `InvalidInput` with this reason unless `work` is within `limit`, which is `EngineOptions::event_work_limit`.
/// `what` is the subject of the text.
inline void require_within(std::uint64_t limit, const WorkEstimate& work, Reason reason, const std::string& what) {
    if (limit == no_work_limit || work.multiply_adds <= static_cast<double>(limit)) return;
    const auto rounded = [](double amount) {
        char text[32];
        std::snprintf(text, sizeof text, "%.2g", amount);
        return std::string(text);
    };
    throw InvalidInput(reason, what + " would need about " + rounded(work.multiply_adds) +
                                   " multiply-adds, above event_work_limit = " + rounded(static_cast<double>(limit)) +
                                   ": reduce " + std::string(work.lower) + ", or raise event_work_limit");
}

}  // namespace fairstream::core
