#pragma once
/// Figures of fair labels of a file's points, and the targets that they miss.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <fairstream/command/predict/asked_engine.hpp>
#include <fairstream/fairness/tally.hpp>
#include <fairstream/models/safairkm/safairkm.hpp>

namespace fairstream::command {

/// Counts labels by the groups of the attributes that a model balances.
class FairLabelsReport {
public:
    FairLabelsReport(const AskedModel& model, const StreamFormat& format, std::span<const int> attributes,
                     std::size_t clusters);

    /// Adds points, n x those attributes, that have these labels.
    void add(std::span<const ClusterId> labels, std::span<const GroupId> groups);
    /// Returns the targets on groups that the points miss, a line each.
    [[nodiscard]] std::vector<std::string> missed_targets() const;
    /// Adds `attributes` and `missed_targets`.
    void add_to(nlohmann::ordered_json& json) const;
    /// Returns a line for each attribute, ended by line feeds.
    [[nodiscard]] std::string summary() const;

private:
    StreamFormat format_;  // its attributes alone
    safairkm::Options targets_;
    FairnessTally tally_;
};

}  // namespace fairstream::command
