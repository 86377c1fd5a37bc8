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

/// The fairness traded against cost: the smallest over the clusters. Groups too rare for targets (`rare_below` of the
/// model's options) do not count.
enum class FrontMeasure : std::uint8_t {
    balance,  ///< smallest over largest group. With several attributes, each balance is divided by that of all points,
              ///< and the smallest result counts
    parity,   ///< smallest over largest rate at which groups are selected for the cluster (`parity_at_least`). With
              ///< several attributes, the smallest parity counts
};

/// The label of each point, in one byte for up to 256 clusters and in two bytes for more.
class CompactLabels {
public:
    CompactLabels() = default;
    /// `labels` must be in [0, clusters), and `clusters` at most 65536.
    CompactLabels(std::span<const ClusterId> labels, std::size_t clusters);
    [[nodiscard]] std::size_t size() const noexcept { return bytes_.size() / width_; }
    [[nodiscard]] ClusterId operator[](std::size_t i) const noexcept {
        return width_ == 1 ? bytes_[i] : bytes_[2 * i] | bytes_[2 * i + 1] << 8;
    }
    /// `labels` must have `size()` elements.
    void copy_to(std::span<ClusterId> labels) const noexcept;
    bool operator==(const CompactLabels&) const = default;

private:
    std::size_t width_ = 1;
    std::vector<std::uint8_t> bytes_;
};

struct Front {
    std::vector<TradeOff> points;                   ///< by ascending cost and fairness, the chosen measure
    std::vector<CompactLabels> labels;              ///< for each point of the front, labels by slot or graph node
    std::vector<std::vector<double>> by_attribute;  ///< for each point of the front, the measure by attribute
    double reference_cost = 0;                      ///< the cost from which `hypervolume` is measured
    double hypervolume = 0;                         ///< see `fairstream::hypervolume`
    int rounds = 0;                                 ///< completed rounds
    Outcome outcome = Outcome::converged;  ///< or `iteration_limit`: rounds or points were at their limit, or the
                                           ///< caller ended the search
};

struct FrontProgress {
    int starts = 0;  ///< starts with labellings in the list
    int stages = 0;  ///< stages with labellings in the list, if all starts are searched stage by stage; otherwise 0
    int round = 0;   ///< completed rounds
    FrontView points = {};
    double hypervolume = 0;
};

}  // namespace fairstream
