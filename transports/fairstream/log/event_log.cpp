#include <fairstream/log/event_log.hpp>

#include <algorithm>
#include <iterator>

namespace fairstream::log {

const Build* build_of_event(std::span<const Build> builds, Sequence sequence) noexcept {
    const auto after = std::ranges::find_if(builds, [&](const Build& build) { return build.from > sequence; });
    return after == builds.begin() ? nullptr : &*std::prev(after);
}

}  // namespace fairstream::log
