#pragma once
/// The search for V and for labels, once there is a problem: what solves of windows and of whole graphs share.

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

/// Starts of a search: `start`, those made anew or both.
struct Starts {
    std::int64_t iterations = 0;  ///< of each, at most
    std::optional<Matrix> start;  ///< n x k, from which clusters go on and keep their numbers
    int fresh = 0;                ///< random ones
    double clearly = 0;           ///< those made anew are taken where better than `start` by more than this part
    std::uint64_t draw = 0;       ///< another one for each search, so that their random starts differ
    std::vector<Matrix> given{};  ///< made anew as well, and not at random: n x k each
};

struct Found {
    Matrix v;            ///< n x k
    Matrix memberships;  ///< n x k
    std::vector<ClusterId> labels;
    Quality quality;
    Solve solve;
};

/// Goes down from all starts, and makes labels of the best V. Asked to end, it leaves out starts that have not begun,
/// but for one where there is no other V.
[[nodiscard]] Found search(const SearchInput& input, Starts starts, const WorkHandle& work = {});

/// Share of a solve that is over when its search begins, about, and the name of what comes just before.
inline constexpr double share_of_setting = 0.2;
inline constexpr std::string_view stage_of_spectrum = "spectrum";

/// Returns P(y_i = j | x_i) = W V_ij mu_j, n x k.
[[nodiscard]] Matrix memberships_of(const Matrix& v, std::span<const double> mu, double mass);

}  // namespace fairstream::lord
