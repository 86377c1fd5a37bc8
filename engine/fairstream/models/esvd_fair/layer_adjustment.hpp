#pragma once
/// Adjustment of a layer's weights that brings the first and second moments of its outputs nearer in all groups (Z.
/// Zuo, Z. Zhu, M. Khalili, "Explainable SVD for fairness enhancement", problems (10) and (15)).
///
/// W (m x p) are the weights, x the layer's inputs. For groups g with means x_g and covariances C_g, where each group
/// counts once regardless of its size,
///     N_e = G sum_g (x_g - x̄)(x_g - x̄)ᵀ + epsilon I,   x̄ the mean of the x_g,
///     N_v = sum_g |C_g - C̄|,                            C̄ the mean of the C_g, |.| by the eigenvalues.
/// For two groups these are the paper's S_e S_eᵀ and S_v S_vᵀ: (x_1 - x_2)(x_1 - x_2)ᵀ + epsilon I and |C_1 - C_2|. The
/// squared gap between the outputs' means, summed over pairs of groups, is tr(W N_e Wᵀ) minus epsilon ||W||^2 (Theorem
/// 3.1). The squared gap between the outputs' covariances is at most ||W N_v Wᵀ||_F^2 for each pair (Theorem 3.2).
///
/// Both are brought below a limit with the least change of the layer's outputs on all rows, the mean of |(W' - W) x|^2.
/// `optimal` first adds `covariance_ridge` times the mean variance to the diagonal of the inputs' covariance. Moments
/// are exact to some 1e-7 of their largest; without the ridge, weights would follow rounding errors along inputs of
/// less variance, and grow without bound.

#include <cstdint>
#include <memory>
#include <vector>

#include <fairstream/numeric/group_moments.hpp>
#include <fairstream/numeric/matrix.hpp>

namespace fairstream::esvd_fair {

inline constexpr double covariance_ridge = 1e-6;

enum class Form : std::uint8_t {
    /// The least change over all W'. The bias also changes, so that the mean of the outputs does not change.
    optimal,
    /// The least change over those W' that keep the singular vectors of W S: (13) and (18) with their misprints
    /// corrected. The bias does not change.
    paper,
};

/// Moments of a layer's inputs, and the gaps between the moments of groups.
struct InputMoments {
    std::vector<double> mean;  ///< p, over all rows
    Matrix covariance;         ///< p x p, over all rows
    Matrix mean_gaps;          ///< N_e
    Matrix spread_gaps;        ///< N_v; empty if not asked for
};
/// Computes the moments of a layer's inputs. Groups without weight are left out. `epsilon` is at least 0, in squares of
/// the inputs' unit. `with_spreads`: also computes N_v, which takes an eigendecomposition per group.
[[nodiscard]] InputMoments input_moments(const GroupMoments& groups, double epsilon, bool with_spreads = true);

struct Adjustment {
    Matrix weights;                  ///< m x p
    std::vector<double> bias_shift;  ///< m, to be added to the bias
    double multiplier = 0;           ///< gamma; 0 if the limit was already met and nothing changes
    double change = 0;               ///< mean over all rows of the squared change of the outputs, summed over outputs
};

/// Returns tr(W N_e Wᵀ).
[[nodiscard]] double mean_gap(const Matrix& weights, const InputMoments& inputs);
/// Returns ||W N_v Wᵀ||_F^2.
[[nodiscard]] double spread_gap(const Matrix& weights, const InputMoments& inputs);

/// Adjusts weights of layers whose inputs have these moments. The parts that do not depend on weights and limits, an
/// eigendecomposition for each of the two gaps, are computed once.
class Equaliser {
public:
    Equaliser(InputMoments inputs, Form form);
    ~Equaliser();
    Equaliser(Equaliser&&) noexcept;
    Equaliser& operator=(Equaliser&&) noexcept;

    [[nodiscard]] const InputMoments& inputs() const noexcept { return inputs_; }
    /// Returns weights with `mean_gap` at most `limit`, which is above 0.
    [[nodiscard]] Adjustment means(const Matrix& weights, double limit) const;
    /// Returns weights with `spread_gap` at most `limit`, which is above 0; the moments must have N_v. Components
    /// outside the range of N_v do not change.
    [[nodiscard]] Adjustment spreads(const Matrix& weights, double limit) const;

private:
    class Bases;

    InputMoments inputs_;
    Form form_;
    std::unique_ptr<Bases> means_, spreads_;
};

}  // namespace fairstream::esvd_fair
