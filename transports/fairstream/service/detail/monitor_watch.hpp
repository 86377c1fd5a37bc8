#pragma once
/// Watches the figures of a monitor, so that an operator is told once when a figure leaves its bound, or loses its
/// meaning.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <fairstream/core/update.hpp>

namespace fairstream::service {

/// A line for the log of the engine's operator.
struct MonitorNote {
    bool is_warning;
    std::string text;
};

/// A figure that left its bound by more than sampling error may be unclear or unmeasured any number of times before it
/// keeps the bound again; no note reports that.
class MonitorWatch {
public:
    /// Returns what changed since the previous update: bounds left or kept again, and whether all points or none are
    /// selected, so that figures cannot differ. For the first update, returns the warnings that apply.
    [[nodiscard]] std::vector<MonitorNote> notes(const Update& update);

private:
    struct ReportedState {
        std::vector<std::uint8_t> left;        // for each bound, in the order of the figures: whether it is left
        std::optional<double> one_sided = {};  // share of selected points, if it is 0 or 1
    };
    std::vector<ReportedState> reported_;  // by model
};

}  // namespace fairstream::service
