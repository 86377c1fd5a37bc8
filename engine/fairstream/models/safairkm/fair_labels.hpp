#pragma once
/// Labels near the targets of safairkm, for points of which another model knows where the clusters are.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <fairstream/base/work_handle.hpp>
#include <fairstream/data/window.hpp>
#include <fairstream/fairness/demand.hpp>
#include <fairstream/models/safairkm/safairkm.hpp>

namespace fairstream::safairkm {

class FairAssignment;

/// Labels the points of a window for the targets of `options`. The window must not change while this lives.
class FairLabels {
public:
    FairLabels(const Options& options, const Window& window);

    /// Returns labels, by slot, for centres that stay, k x d: at prices of the targets (see `FairAssignment`), which
    /// single points may miss.
    [[nodiscard]] std::vector<ClusterId> about(std::span<const float> centres) const;
    /// Returns the cheapest labels for centres that stay with counts that keep the demands of groups and sizes, near
    /// those of `about`; nothing where points weigh differently, or a search finds no such counts.
    [[nodiscard]] std::optional<std::vector<ClusterId>> exactly(std::span<const float> centres) const;
    /// Returns labels of clusters that are led to the targets from about these centres as a start of a refinement is,
    /// which takes some hundred times as long. Asked to end, it returns labels from part of the way.
    [[nodiscard]] std::vector<ClusterId> from(std::span<const float> centres, const WorkHandle& work = {}) const;

private:
    [[nodiscard]] FairAssignment priced(std::span<const float> centres) const;

    Options options_;
    const Window& window_;
    Demands demands_;
    std::vector<std::uint32_t> attributes_;
};

}  // namespace fairstream::safairkm
