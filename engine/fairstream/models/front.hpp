#pragma once
/// Fronts of a model: clusterings of the same points of which none has both a lower cost and more fairness than
/// another.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fairstream/base/outcome.hpp>
#include <fairstream/base/types.hpp>
#include <fairstream/fairness/pareto.hpp>

namespace fairstream {

/// The fairness that is weighed against cost: the smallest of any cluster. Groups too rare for targets (`rare_below` of
/// the model's options) do not count.
enum class FrontMeasure : std::uint8_t {
    balance,  ///< smallest over largest group. Of several attributes the smallest, each as a share of the best balance
              ///< that the whole has
    parity,   ///< smallest over largest rate at which groups are selected for the cluster (`parity_at_least`). Of
              ///< several attributes the smallest
};

/// The label of each point, in one byte for up to 256 clusters and in two for more.
class CompactLabels {
public:
    CompactLabels() = default;
    /// `labels` are in [0, clusters), `clusters` at most 65536.
    CompactLabels(std::span<const ClusterId> labels, std::size_t clusters);
    [[nodiscard]] std::size_t size() const noexcept { return bytes_.size() / width_; }
    [[nodiscard]] ClusterId operator[](std::size_t i) const noexcept {
        return width_ == 1 ? bytes_[i] : bytes_[2 * i] | bytes_[2 * i + 1] << 8;
    }
    /// `labels` has `size()` elements.
    void copy_to(std::span<ClusterId> labels) const noexcept;
    bool operator==(const CompactLabels&) const = default;

private:
    std::size_t width_ = 1;
    std::vector<std::uint8_t> bytes_;
};

struct Front {
    std::vector<TradeOff> points;                   ///< by rising cost and balance, which is the measure chosen
    std::vector<CompactLabels> labels;              ///< of each, by slot of the window or node of the graph
    std::vector<std::vector<double>> by_attribute;  ///< of each the balance or parity of every attribute in turn
    double reference_cost = 0;                      ///< what `hypervolume` is measured from
    double hypervolume = 0;                         ///< see `fairstream::hypervolume`
    int rounds = 0;                                 ///< begun and ended
    Outcome outcome = Outcome::converged;  ///< or `iteration_limit`: rounds or points; or stopped by the caller
};

struct FrontProgress {
    int starts = 0;  ///< whose labellings are in the list
    int stages = 0;  ///< whose labellings are in the list, where stages are searched for all starts together; else 0
    int round = 0;   ///< ended
    FrontView points = {};
    double hypervolume = 0;
};

}  // namespace fairstream
