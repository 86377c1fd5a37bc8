#pragma once
/// From an affinity and constraints to an embedding, and from that to labels: what points and graphs share. Private to
/// the engine.

#include <fairstream/models/fair_spectral/detail/problem.hpp>
#include <fairstream/models/fair_spectral/fair_spectral.hpp>

namespace fairstream::fair_spectral {

/// F, the columns that attributes make first, and an orthonormal basis Q of its range.
struct Constraints {
    Matrix f, q;
    std::size_t attribute_columns = 0;
};
/// `table` is n x `stride`, row-major; `attributes` as in the options.
[[nodiscard]] Constraints make_constraints(std::span<const GroupId> table, std::size_t stride,
                                           std::span<const AttributeColumn> attributes, const LinkedRows& links,
                                           std::span<const double> inverse_roots);

/// The attributes that the options name, and how many columns of F they make.
[[nodiscard]] std::vector<AttributeColumn> attribute_columns(const Options& options, const StreamFormat& format);
[[nodiscard]] std::size_t constraint_count(std::span<const AttributeColumn> attributes);

/// What a solve begins with: nothing when it is cold.
struct WarmStart {
    Matrix t;            ///< n x m, rows of 0 where nothing is known
    Matrix multipliers;  ///< as in `State`
    double penalty = 0;
};

/// What it ends with.
struct Embedding {
    Matrix t;        ///< n x m, turned to lie as the warm start did
    Matrix inverse;  ///< Lambda^-1, k x k
    Matrix multipliers;
    double penalty = 0;
    Quality quality;
    Solve solve;
};
[[nodiscard]] Embedding embed(const Options& options, NormalisedAffinity& m, const Constraints& constraints,
                              WarmStart start, const SolverLimits& limits, std::uint64_t seed);

/// The first k columns of t as k-means reads them, n x k.
[[nodiscard]] std::vector<float> embedding_rows(const Matrix& t, std::size_t k);

/// Sum over clusters of the weight of edges that leave a cluster, by the weight of all it has. One product of n x k;
/// counted by none.
[[nodiscard]] double normalised_cut(const Affinity& affinity, std::span<const ClusterId> labels, std::size_t k);

}  // namespace fairstream::fair_spectral
