#pragma once
/// The search for V and for labels, shared by solves of windows and of whole graphs.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <fairstream/models/lord/detail/model.hpp>
#include <fairstream/models/lord/detail/setting.hpp>

namespace fairstream::lord {

struct SearchInput {
    const Options& options;
    const Setting& setting;
    std::span<const GroupId> groups;  ///< n x the attributes of `format`
    const StreamFormat& format;
};

/// Starts of a search: `start`, starts made anew, or both.
struct Starts {
    std::int64_t iterations = 0;   ///< largest number per start
    std::optional<Matrix> start;   ///< n x k, from which clusters continue and keep their numbers
    int fresh = 0;                 ///< number of random starts
    double least_improvement = 0;  ///< starts made anew are taken only if better than `start` by more than this share
    std::uint64_t draw = 0;        ///< differs between searches, so that their random starts differ
    std::vector<Matrix> given{};   ///< further starts made anew, not random: n x k each
};

struct Found {
    Matrix v;            ///< n x k
    Matrix memberships;  ///< n x k
    std::vector<ClusterId> labels;
    Quality quality;
    Solve solve;
};

/// Descends from all starts, and makes labels of the best V. If the work is ended, leaves out starts that have not
/// begun, except for one if there is no other V.
[[nodiscard]] Found search(const SearchInput& input, Starts starts, const WorkHandle& work = {});

/// Approximate share of a solve that is done when its search begins, and the name of the stage before the search.
inline constexpr double share_of_setting = 0.2;
inline constexpr std::string_view stage_of_spectrum = "spectrum";

/// Returns P(y_i = j | x_i) = W V_ij mu_j, n x k.
[[nodiscard]] Matrix memberships_of(const Matrix& v, std::span<const double> mu, double mass);

}  // namespace fairstream::lord
