#pragma once
/// Follows figures that are monitored, so that an operator is told once where one leaves its bound, or means nothing.

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

/// Between a bound that is left, by more than sampling error, and one that is kept again a figure may be unclear or not
/// measured any number of times: nothing is said of that.
class MonitorWatch {
public:
    /// Returns what changed since the update before: bounds that are left or kept again, and whether so many points are
    /// selected that figures cannot differ, all or none of them. Of the first update returns what there is to warn of.
    [[nodiscard]] std::vector<MonitorNote> notes(const Update& update);

private:
    struct Told {
        std::vector<std::uint8_t> left;        // for each bound, in the order of the figures, if it is left
        std::optional<double> one_sided = {};  // share of the points that are selected, where it is 0 or 1
    };
    std::vector<Told> told_;  // by model
};

}  // namespace fairstream::service
