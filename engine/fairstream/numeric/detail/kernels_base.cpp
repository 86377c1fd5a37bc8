#include <fairstream/numeric/detail/kernels.hpp>

namespace fairstream {
namespace {
constexpr std::size_t lanes = 4;
#include <fairstream/numeric/detail/kernels.inc>

#include <fairstream/numeric/detail/block_kernels.inc>

#include <fairstream/numeric/detail/score_kernels.inc>

#include <fairstream/numeric/detail/marginal_kernels.inc>
}  // namespace

extern const Kernels kernels_base;
const Kernels kernels_base{"x86-64",
                           all_within,
                           assign,
                           distances,
                           entry_distances,
                           accumulate,
                           scale_rows,
                           add_moments,
                           distance,
                           least_changes,
                           least_dot,
                           column_distances,
                           least_priced,
                           gaps,
                           priced_nearest,
                           count_below,
                           within,
                           decays,
                           gather_rows,
                           add_product_double,
                           add_product_float,
                           logistic,
                           hyperbolic_tangents,
                           excesses,
                           row_products,
                           add_weighted_rows,
                           add_entry_products,
                           add_entry_multiples,
                           project_marginals};

}  // namespace fairstream
