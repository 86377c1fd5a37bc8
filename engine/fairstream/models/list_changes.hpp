#pragma once
/// How a step's changes are listed, for every model that gives each point a cluster. Private to the engine.

#include <span>

#include <fairstream/data/window.hpp>
#include <fairstream/models/model.hpp>

namespace fairstream {

/// Slots of which a step may have changed the point or its label, each once. Those that were written come first, in
/// the order of the window's change.
struct Journal {
    std::span<const Slot> slots;
    std::span<const ClusterId> before;  ///< the label each slot had before the step, that of the point it held then
};

/// Sets the report's changes and churn. `labels` and `provisional` are by slot; no provisional: none is.
void list_changes(const Window& window, const WindowChange& change, const Journal& journal,
                  std::span<const ClusterId> labels, std::span<const std::uint8_t> provisional,
                  StepReport<ClusterId>& report);

}  // namespace fairstream
