#pragma once
/// New weights of a layer for which its outputs have nearer first and second moments in all groups (Z. Zuo, Z. Zhu,
/// M. Khalili, "Explainable SVD for fairness enhancement", problems (10) and (15)).
///
/// W (m x p) are the weights, x the layer's inputs. Of groups g with means x_g and covariances C_g, each counting once
/// whatever its size,
///     N_e = G sum_g (x_g - x̄)(x_g - x̄)ᵀ + epsilon I,   x̄ the mean of the x_g,
///     N_v = sum_g |C_g - C̄|,                            C̄ the mean of the C_g, |.| by the eigenvalues,
/// which of two groups are the paper's S_e S_eᵀ and S_v S_vᵀ: (x_1 - x_2)(x_1 - x_2)ᵀ + epsilon I and |C_1 - C_2|. The
/// squared gap between the outputs' means, summed over pairs of groups, is tr(W N_e Wᵀ) less epsilon ||W||^2 (Theorem
/// 3.1); that between the outputs' covariances is at most ||W N_v Wᵀ||_F^2 for each pair (Theorem 3.2).
///
/// Both are brought below a limit at the least change of the layer's outputs on all rows, the mean of |(W' - W) x|^2.
/// `optimal` adds `covariance_ridge` times the mean variance to the diagonal of the inputs' covariance first: moments
/// are exact to some 1e-7 of their largest, and weights that followed gaps along inputs of less variance would follow
/// rounding, and grow without bound.

#include <cstdint>
#include <memory>
#include <vector>

#include <fairstream/numeric/group_moments.hpp>
#include <fairstream/numeric/matrix.hpp>

namespace fairstream::esvd_fair {

inline constexpr double covariance_ridge = 1e-6;

enum class Form : std::uint8_t {
    /// The least change of all W'. The bias moves along, so that the mean of the outputs stays.
    optimal,
    /// The least change of those W' that keep the singular vectors of W S: (13) and (18) with their misprints
    /// corrected. The bias stays.
    paper,
};

/// Moments of a layer's inputs, and of their gaps between groups.
struct InputMoments {
    std::vector<double> mean;  ///< p, of all rows
    Matrix covariance;         ///< p x p, of all rows
    Matrix mean_gaps;          ///< N_e
    Matrix spread_gaps;        ///< N_v; empty where it was not asked for
};
/// Groups without mass are left out. `epsilon` is at least 0, in squares of the inputs' unit. `with_spreads`: N_v too,
/// an eigendecomposition for each group.
[[nodiscard]] InputMoments input_moments(const GroupMoments& groups, double epsilon, bool with_spreads = true);

struct Adjustment {
    Matrix weights;                  ///< m x p
    std::vector<double> bias_shift;  ///< m, to be added to the bias
    double multiplier = 0;           ///< gamma; 0 where the limit was kept already, and nothing changes
    double change = 0;               ///< mean over all rows of the squared change of the outputs, summed over outputs
};

/// Returns tr(W N_e Wᵀ).
[[nodiscard]] double mean_gap(const Matrix& weights, const InputMoments& inputs);
/// Returns ||W N_v Wᵀ||_F^2.
[[nodiscard]] double spread_gap(const Matrix& weights, const InputMoments& inputs);

/// Adjusts weights of layers whose inputs have these moments. What does not depend on the weights and limits, an
/// eigendecomposition for each of the two gaps, is worked out once.
class Equaliser {
public:
    Equaliser(InputMoments inputs, Form form);
    ~Equaliser();
    Equaliser(Equaliser&&) noexcept;
    Equaliser& operator=(Equaliser&&) noexcept;

    [[nodiscard]] const InputMoments& inputs() const noexcept { return inputs_; }
    /// Returns weights of `mean_gap` at most `limit`, above 0.
    [[nodiscard]] Adjustment means(const Matrix& weights, double limit) const;
    /// Returns weights of `spread_gap` at most `limit`, above 0, where the moments have N_v. What N_v says nothing of
    /// is kept.
    [[nodiscard]] Adjustment spreads(const Matrix& weights, double limit) const;

private:
    class Bases;

    InputMoments inputs_;
    Form form_;
    std::unique_ptr<Bases> means_, spreads_;
};

}  // namespace fairstream::esvd_fair
