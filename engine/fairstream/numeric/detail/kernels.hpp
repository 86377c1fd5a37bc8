#pragma once
/// The inner loops of the engine, compiled once per instruction set; `kernels()` is the best set for this machine.
///
/// Every result depends only on its row, not on the other rows of a call, on alignment or on threads. Between
/// instruction sets results differ in the last bits (fused multiply-add, order of lane sums).

#include <cstddef>
#include <cstdint>

namespace fairstream {

/// Lanes of a block of packed centres.
inline constexpr std::size_t centre_lanes = 16;

struct Kernels {
    const char* level;  ///< "x86-64", "x86-64-v3", "x86-64-v4", or "portable"

    /// Returns whether |x[i]| <= limit for all i < n; false for NaN.
    bool (*all_within)(const float* x, std::size_t n, float limit);

    /// Finds the nearest centre of each row, ties to the lower index. `packed` is made by `pack_centres`; `rows` is n x
    /// d.
    void (*assign)(const float* rows, std::size_t n, std::size_t d, const float* packed, std::size_t k,
                   std::int32_t* labels);

    /// Computes squared distances of one row to all centres; `out` has room for k rounded up to whole blocks, infinite
    /// for padding.
    void (*distances)(const float* row, std::size_t d, const float* packed, std::size_t k, float* out);

    /// Computes these distances for a row given by its values other than 0, `entries`, and their columns. `square` and
    /// `centre_squares` are the sums of squares of the row and the centres, infinite for padding. Sums in double.
    void (*entry_distances)(const float* entries, const std::uint32_t* columns, std::size_t count, double square,
                            const float* packed, std::size_t d, const double* centre_squares, std::size_t k,
                            float* out);

    /// sums[label] += sign * w * row and squares[label] += sign * w * |row|^2, in the order of the rows; rows with a
    /// negative label are skipped. `sums` is k x d; `weights` has n entries, or is null: 1 each.
    void (*accumulate)(const float* rows, std::size_t n, std::size_t d, const std::int32_t* labels, double sign,
                       const double* weights, double* sums, double* squares);

    /// out = (x - origin) * factor, by column, clamped to +-limit. `rows` and `out` are n x d.
    void (*scale_rows)(const float* rows, std::size_t n, std::size_t d, const double* origins, const double* factors,
                       double limit, float* out);

    /// sums[j] += w (x - origins[j]) and squares[j] += w (x - origins[j])^2 over the rows, in their order. `rows` is n
    /// x d; `weights` has n entries, or is null: 1 each.
    void (*add_moments)(const float* rows, std::size_t n, std::size_t d, const double* origins, const double* weights,
                        double* sums, double* squares);

    /// Squared distance of two rows, in double.
    double (*distance)(const float* a, const float* b, std::size_t d);

    /// Finds for every centre l the row x among rows at[0], ..., at[n - 1] with the least |x - c_l|^2 - |x - c_from|^2,
    /// ties to the first, and writes the value and the row. Both outputs have room as for `distances`; without rows the
    /// values are infinite.
    void (*least_changes)(const float* rows, const std::uint32_t* at, std::size_t n, std::size_t d, const float* packed,
                          std::size_t k, std::size_t from, float* least, std::uint32_t* which);

    /// Returns the i < n whose row at[i] has the least product with `direction` (d, in float), ties to the first.
    std::size_t (*least_dot)(const float* rows, const std::uint32_t* at, std::size_t n, std::size_t d,
                             const float* direction);

    // Points in columns: feature j of point i is at columns[j * stride + i], and the distance of point i to centre l at
    // distances[l * stride + i]. `prices` has one price per cluster, which is added to the distance of a point to it.

    /// Computes squared distances of n points to one centre.
    void (*column_distances)(const float* columns, std::size_t stride, std::size_t n, std::size_t d,
                             const float* centre, float* out);

    /// out[i] = min(distances[i] + price, least[i]); `out` may be `least`.
    void (*least_priced)(const float* distances, std::size_t n, float price, const float* least, float* out);

    /// out[i] = distances[i] - min(a[i], b[i]).
    void (*gaps)(const float* distances, std::size_t n, const float* a, const float* b, float* out);

    /// Finds each point's cluster with the least distance plus price, ties to the lower index.
    void (*priced_nearest)(const float* distances, std::size_t stride, std::size_t n, std::size_t k,
                           const float* prices, std::int32_t* labels);

    /// Returns how many of x[0], ..., x[n - 1] are below `limit`; n < 2^31.
    std::size_t (*count_below)(const float* x, std::size_t n, float limit);

    /// Copies the values of x[0], ..., x[n - 1] in [low, high] to `out`, in their order, and returns their number. Sets
    /// `below` to the number of values under `low`, and `under` to the number under `limit`. `out` has room for n + 16;
    /// n < 2^31.
    std::size_t (*within)(const float* x, std::size_t n, float low, float high, float limit, float* out,
                          std::size_t* below, std::size_t* under);

    /// out[i] = exp(-scale x[i]) with a relative error of 2e-7; 0 below 2^-126. `scale` in [0, 2e38], x[i] >= 0 or
    /// infinite; `out` may be `x`.
    void (*decays)(const float* x, std::size_t n, float scale, float* out);

    /// out += sum over i < count of weights[i] times row at[i] of `rows`; rows have k numbers.
    void (*gather_rows)(const float* weights, const std::uint32_t* at, std::size_t count, const double* rows,
                        std::size_t k, double* out);

    /// out += A B, rows x columns, summed over `depth`. Entry (i, l) of A is a[i * a_row + l * a_step]; rows of B and
    /// out are `b_stride` and `out_stride` apart. Rows of B have `product_padding(columns)` entries, all finite. Each
    /// entry is summed from 0 in the order of l, then added.
    void (*add_product)(const double* a, std::size_t a_row, std::size_t a_step, std::size_t rows, std::size_t depth,
                        const double* b, std::size_t b_stride, std::size_t columns, double* out,
                        std::size_t out_stride);
    void (*add_product_float)(const float* a, std::size_t a_row, std::size_t a_step, std::size_t rows,
                              std::size_t depth, const float* b, std::size_t b_stride, std::size_t columns, float* out,
                              std::size_t out_stride);

    /// loss[i] = log(1 + exp(-t[i])) and probability[i] = 1 / (1 + exp(-t[i])), within 1e-15; outputs may be
    /// `t`.
    void (*logistic)(const double* t, std::size_t n, double* loss, double* probability);

    /// x[i] = tanh(x[i]), within 3e-16; in place.
    void (*hyperbolic_tangents)(double* x, std::size_t n);

    /// excess[j] = sum over i of max(z[i] - thresholds[j], 0), and count[j] the number of z[i] above thresholds[j].
    void (*excesses)(const double* z, std::size_t n, const double* thresholds, std::size_t m, double* excess,
                     double* count);

    /// out[i] = w times row i plus `offset`; rows are n x d, w is d.
    void (*row_products)(const float* rows, std::size_t n, std::size_t d, const double* w, double offset, double* out);

    /// out += sum over i of weights[i] times row i, in the order of the rows; rows of weight 0 are skipped.
    void (*add_weighted_rows)(const float* rows, std::size_t n, std::size_t d, const double* weights, double* out);

    /// sums += sum over i of entries[i] times row columns[i] of `weights`, or row i if `columns` is null, in that
    /// order. Rows and `sums` have `width` numbers, a multiple of 8.
    void (*add_entry_products)(const float* entries, const std::uint32_t* columns, std::size_t count,
                               const double* weights, std::size_t width, double* sums);
    /// Adds entries[i] times `factors` to row columns[i] of `out`, or to row i if `columns` is null.
    void (*add_entry_multiples)(const float* entries, const std::uint32_t* columns, std::size_t count,
                                const double* factors, std::size_t width, double* out);

    /// Writes out_ij = max(0, u_ij - offsets_j - a_i mu_j) for each of the rows i = at[0], ..., at[n - 1] of u. The
    /// level a_i is chosen so that the product of row i with mu is `mass`; mu has unit length and is above 0, as is
    /// `mass`. levels[i] is the first guess of a_i on entry, and a_i on return. sums[j] = sum over i of weights[i]
    /// out_ij, weights 1 if null, and `dual` = sum over i of weights[i] (|out_i - u_i|^2 / 2 + offsets . out_i).
    /// `scratch` has room for 16 k numbers. All rows have k numbers.
    void (*project_marginals)(const double* u, const std::uint32_t* at, std::size_t n, std::size_t k,
                              const double* offsets, const double* mu, double mass, const double* weights,
                              double* levels, double* scratch, double* sums, double* dual, double* out);
};

[[nodiscard]] const Kernels& kernels() noexcept;

/// Returns the number of entries of a row with this many columns in the right factor of a product.
[[nodiscard]] constexpr std::size_t product_padding(std::size_t columns) noexcept {
    return (columns + 15) / 16 * 16;
}

/// Returns the number of floats that `pack_centres` writes for k centres of d features.
[[nodiscard]] constexpr std::size_t packed_size(std::size_t k, std::size_t d) noexcept {
    return (k + centre_lanes - 1) / centre_lanes * centre_lanes * d;
}
/// Returns the index of feature 0 of centre l among packed centres; feature j is `centre_lanes * j` further on.
[[nodiscard]] constexpr std::size_t packed_offset(std::size_t l, std::size_t d) noexcept {
    return l / centre_lanes * centre_lanes * d + l % centre_lanes;
}
/// Packs centres: `centres` is k x d row-major; `packed` is blocks of d x 16, padded with centres infinitely far away.
void pack_centres(const float* centres, std::size_t k, std::size_t d, float* packed) noexcept;

}  // namespace fairstream
