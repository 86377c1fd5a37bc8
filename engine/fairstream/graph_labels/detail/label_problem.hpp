#pragma once
/// Rows of an embedding that get labels: what stays the same from one target to another.

#include <optional>
#include <vector>

#include <fairstream/data/window.hpp>
#include <fairstream/graph_labels/detail/cut_moves.hpp>
#include <fairstream/graph_labels/detail/labels.hpp>

namespace fairstream {

class LabelProblem {
public:
    /// `input` must outlive this. Looks at the affinity only if moves of points are asked for.
    explicit LabelProblem(const RoundingInput& input);
    LabelProblem(const LabelProblem&) = delete;
    LabelProblem& operator=(const LabelProblem&) = delete;

    [[nodiscard]] const RoundingInput& input() const noexcept { return input_; }
    [[nodiscard]] std::size_t rows() const noexcept { return n_; }
    [[nodiscard]] double weight(std::size_t i) const noexcept { return input_.weights.empty() ? 1 : input_.weights[i]; }
    /// The weights of all rows together.
    [[nodiscard]] double mass() const noexcept { return mass_; }
    [[nodiscard]] std::size_t clusters() const noexcept { return k_; }
    /// Says whether points are moved: for the cut, or for targets that the options have.
    [[nodiscard]] bool moves() const noexcept { return moves_; }
    /// The problem under these targets, those out of reach lowered to what can be; valid as long as this. Only where
    /// points are moved may it be searched.
    [[nodiscard]] CutProblem under(const ClusterTargets& targets) const;
    /// The rows as points of a window, which safairkm takes. There where the options have targets.
    [[nodiscard]] const std::optional<Window>& points() const noexcept { return points_; }

private:
    [[nodiscard]] Demands demands_for(const ClusterTargets& targets) const;
    void weigh_totals();

    const RoundingInput& input_;
    std::size_t k_, n_;
    double mass_ = 0;
    // By attribute of the format and group: points, or weights times `scale_` where they have some; 0 of an unknown
    // group.
    std::vector<std::vector<std::int64_t>> totals_;
    double scale_ = 1;
    std::vector<GroupId> groups_;                           // n x attributes that the options balance
    std::vector<std::size_t> group_counts_, known_counts_;  // of these
    bool moves_ = false;
    std::optional<AffinityFactors> factors_;
    std::vector<double> diagonal_;
    std::vector<bool> held_;
    std::optional<Window> points_;
};

}  // namespace fairstream
