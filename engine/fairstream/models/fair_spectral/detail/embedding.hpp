#pragma once
/// Embeddings from an affinity and constraints, shared by points and graphs.

#include <fairstream/graph_labels/detail/ungrouped.hpp>
#include <fairstream/models/fair_spectral/detail/model.hpp>
#include <fairstream/optimisation/detail/spectral/problem.hpp>

namespace fairstream::fair_spectral {

/// F, whose first columns are those of attributes, and an orthonormal basis Q of its range.
struct Constraints {
    Matrix f, q;
    std::size_t attribute_columns = 0;
};
/// Builds F and Q. `table` is n x `stride`, row-major; `attributes` as in the options.
[[nodiscard]] Constraints make_constraints(std::span<const GroupId> table, std::size_t stride,
                                           std::span<const AttributeColumn> attributes, const LinkedRows& links,
                                           std::span<const double> inverse_roots, std::span<const double> weights = {});

/// Return the attributes of the options, and the number of columns of F that they make.
[[nodiscard]] std::vector<AttributeColumn> attribute_columns(const Options& options, const StreamFormat& format);
[[nodiscard]] std::size_t constraint_count(std::span<const AttributeColumn> attributes);

/// Start of a solve; empty for a cold start.
struct WarmStart {
    Matrix t;            ///< n x m, rows of 0 where unknown
    Matrix multipliers;  ///< as in `State`
    double penalty = 0;
};

/// Result of a solve.
struct Embedding {
    Matrix t;        ///< n x m, rotated to match the warm start
    Matrix inverse;  ///< Lambda^-1, k x k
    Matrix multipliers;
    double penalty = 0;
    Quality quality;
    Solve solve;
};
[[nodiscard]] Embedding embed(const Options& options, NormalisedAffinity& m, const Constraints& constraints,
                              WarmStart start, const SpectralLimits& limits, std::uint64_t seed);

/// Return the multiply-adds of the affinities of `changed` among n points, and of an iteration.
[[nodiscard]] double work_of_affinity(const Options& options, double dimensions, double changed, double n);
[[nodiscard]] double work_of_iteration(const Options& options, double dimensions, double n);

/// Embeds without the constraints of groups. `embedding` is the result under `constraints`, and is used if the only
/// constraints are of pairs. Returns nothing if no moves of points are asked for, or if the work must end.
[[nodiscard]] Ungrouped embed_ungrouped(const Options& options, NormalisedAffinity& m, const Constraints& constraints,
                                        const Embedding& embedding, const WorkHandle& work);

}  // namespace fairstream::fair_spectral
