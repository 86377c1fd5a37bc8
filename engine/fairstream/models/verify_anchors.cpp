#include <fairstream/models/verify_anchors.hpp>

#include <algorithm>
#include <cmath>

#include <fairstream/base/types.hpp>
#include <fairstream/numeric/detail/kernels.hpp>

namespace fairstream {

const char* wrong_in_anchors(const Anchors& anchors, std::size_t points, std::size_t d, std::size_t k,
                             bool has_scales) {
    const std::size_t count = anchors.count;
    const Matrix& values = anchors.values;
    if (count < 1 || count > points || anchors.packed.size() != packed_size(count, d) || values.rows != count ||
        values.cols != k + 1 || values.values.size() != count * (k + 1))
        return "the anchors do not fit each other";
    for (std::size_t i = 0; i < count; ++i)
        for (std::size_t j = 0; j < d; ++j)
            if (!(std::abs(anchors.packed[packed_offset(i, d) + j * centre_lanes]) <= feature_limit))
                return "an anchor is out of range";
    if (!std::ranges::all_of(values.values, [](double x) { return std::abs(x) <= 1e300; }))
        return "a value of an anchor is not finite";
    if (anchors.scales.size() != (has_scales ? count : 0) ||
        !std::ranges::all_of(anchors.scales, [](float s) { return s > 0 && std::isfinite(s); }))
        return "a scale is out of range";
    return nullptr;
}

}  // namespace fairstream
