/// The products of tall blocks, at every instruction set, against naive loops.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "kernel_sets.hpp"
#include "support/rounding.hpp"

namespace fairstream::test {
namespace {

class ProductKernels : public KernelSets {
protected:
    template <class T> auto product() const {
        if constexpr (std::is_same_v<T, float>)
            return kernels.add_product_float;
        else
            return kernels.add_product;
    }
};

constexpr double untouched_product = 3.5;

// One product: `turned` reads A by its columns, as Gram matrices do.
template <class T> struct Factors {
    std::size_t rows, depth, columns, a_row, a_step, b_stride, out_stride;
    std::vector<T> a, b;

    Factors(std::size_t r, std::size_t l, std::size_t c, bool turned)
        : rows(r),
          depth(l),
          columns(c),
          a_row(turned ? 1 : l + 3),
          a_step(turned ? r + 2 : 1),
          b_stride(product_padding(c)),
          out_stride(c + 2) {
        const std::vector<float> x = values(rows * a_row + depth * a_step + 1, r + 7 * l),
                                 y = values(depth * b_stride, c);
        a.assign(x.begin(), x.end());
        b.assign(y.begin(), y.end());
    }
    [[nodiscard]] std::vector<T> room() const { return std::vector<T>(rows * out_stride + 20, T(untouched_product)); }
};

template <class T, class Product> void expect_product(const Product& product, const Factors<T>& f) {
    constexpr double unit = std::is_same_v<T, float> ? float_unit : double_unit;
    std::vector<T> out = f.room();
    product(f.a.data(), f.a_row, f.a_step, f.rows, f.depth, f.b.data(), f.b_stride, f.columns, out.data(),
            f.out_stride);
    for (std::size_t i = 0; i < f.rows; ++i)
        for (std::size_t j = 0; j < f.columns; ++j) {
            long double exact = untouched_product, size = untouched_product;
            for (std::size_t l = 0; l < f.depth; ++l) {
                const long double term =
                    static_cast<long double>(f.a[i * f.a_row + l * f.a_step]) * f.b[l * f.b_stride + j];
                exact += term, size += std::abs(term);
            }
            T& place = out[i * f.out_stride + j];
            ASSERT_LE(std::abs(static_cast<double>(place - exact)),
                      gamma(f.depth + 2, unit) * static_cast<double>(size));
            // The same bits alone: what else is multiplied does not matter.
            T alone = T(untouched_product);
            std::vector<T> column(f.depth * product_padding(1));
            for (std::size_t l = 0; l < f.depth; ++l) column[l * product_padding(1)] = f.b[l * f.b_stride + j];
            product(&f.a[i * f.a_row], f.a_row, f.a_step, 1, f.depth, column.data(), product_padding(1), 1, &alone, 1);
            ASSERT_EQ(place, alone) << f.rows << " x " << f.depth << " x " << f.columns;
            place = T(untouched_product);
        }
    ASSERT_EQ(std::ranges::count(out, T(untouched_product)), static_cast<std::ptrdiff_t>(out.size()))
        << "between and beyond";
}

TEST_P(ProductKernels, MatchNaiveLoopForAnyShape) {
    for (const std::size_t rows : {0, 1, 2, 3, 4, 5, 7, 9, 13})
        for (const std::size_t depth : {0, 1, 2, 17, 70})
            for (const std::size_t columns : {0, 1, 2, 7, 8, 15, 16, 17, 31, 33, 50})
                for (const bool turned : {false, true}) {
                    expect_product(product<double>(), Factors<double>(rows, depth, columns, turned));
                    expect_product(product<float>(), Factors<float>(rows, depth, columns, turned));
                }
}

TEST_P(ProductKernels, OfLongSums) {
    expect_product(product<double>(), Factors<double>(3, 1'100, 9, false));
    expect_product(product<float>(), Factors<float>(9, 1'100, 3, true));
}

INSTANTIATE_TEST_SUITE_P(All, ProductKernels, ::testing::ValuesIn(runnable()), level_of);

}  // namespace
}  // namespace fairstream::test
