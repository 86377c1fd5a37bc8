#pragma once
/// The rows of an embedding that get labels: the part of the problem that does not depend on the target.

#include <optional>
#include <vector>

#include <fairstream/data/window.hpp>
#include <fairstream/graph_labels/detail/cut_moves.hpp>
#include <fairstream/graph_labels/detail/labels.hpp>

namespace fairstream {

class LabelProblem {
public:
    /// `input` must outlive this. Reads the affinity only if points are to be moved.
    explicit LabelProblem(const RoundingInput& input);
    LabelProblem(const LabelProblem&) = delete;
    LabelProblem& operator=(const LabelProblem&) = delete;

    [[nodiscard]] const RoundingInput& input() const noexcept { return input_; }
    [[nodiscard]] std::size_t rows() const noexcept { return n_; }
    [[nodiscard]] double weight(std::size_t i) const noexcept { return input_.weights.empty() ? 1 : input_.weights[i]; }
    /// Returns the total weight of the rows.
    [[nodiscard]] double mass() const noexcept { return mass_; }
    [[nodiscard]] std::size_t clusters() const noexcept { return k_; }
    /// Returns whether points are moved, for the cut or for the options' targets.
    [[nodiscard]] bool moves() const noexcept { return moves_; }
    /// Returns the problem with these targets, of which unattainable ones are lowered to attainable ones; valid as long
    /// as this object. The problem may be searched only if points are moved.
    [[nodiscard]] CutProblem under(const ClusterTargets& targets) const;
    /// Returns the rows as points of a window, the input of safairkm; empty if the options have no targets.
    [[nodiscard]] const std::optional<Window>& points() const noexcept { return points_; }

private:
    [[nodiscard]] Demands demands_for(const ClusterTargets& targets) const;
    void weigh_totals();

    const RoundingInput& input_;
    std::size_t k_, n_;
    double mass_ = 0;
    // By attribute of the format and group: points, or weights times `scale_`; 0 for an unknown group.
    std::vector<std::vector<std::int64_t>> totals_;
    double scale_ = 1;
    std::vector<GroupId> groups_;                           // n x balanced attributes
    std::vector<std::size_t> group_counts_, known_counts_;  // numbers of groups of the balanced attributes
    bool moves_ = false;
    std::optional<AffinityFactors> factors_;
    std::vector<double> diagonal_;
    std::vector<bool> held_;
    std::optional<Window> points_;
};

}  // namespace fairstream
