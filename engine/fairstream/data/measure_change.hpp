#pragma once
/// A change of the scale of retained points' features, or of the unit of their weights.

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include <fairstream/base/archive.hpp>

namespace fairstream {

/// A value x of feature j becomes factors[j] x + shifts[j], and a weight w becomes weight_factor w. A filled-in value
/// does not follow this rule, because it is filled in anew.
struct MeasureChange {
    std::vector<double> factors, shifts;  ///< d, factors above 0; empty: features do not change
    double weight_factor = 1;             ///< above 0; a power of 2, so that nothing is rounded

    [[nodiscard]] bool changes_features() const noexcept { return !factors.empty(); }
    [[nodiscard]] bool empty() const noexcept { return factors.empty() && weight_factor == 1; }
    /// Applies the change to rows of features, n x d.
    void apply(std::span<float> rows) const noexcept {
        const std::size_t d = factors.size();
        for (std::size_t first = 0; d > 0 && first < rows.size(); first += d)
            for (std::size_t j = 0; j < d; ++j)
                rows[first + j] = static_cast<float>(std::clamp(factors[j] * double{rows[first + j]} + shifts[j],
                                                                -double{feature_limit}, double{feature_limit}));
    }
    /// Appends `next`: the result applies this change first, then `next`.
    void compose_with(const MeasureChange& next);
    bool operator==(const MeasureChange&) const = default;
    template <class Self, class Archive> static void fields(Self& self, Archive& archive) {
        archive(1, self.factors);
        archive(2, self.shifts);
        archive(3, self.weight_factor);
    }
};

}  // namespace fairstream
