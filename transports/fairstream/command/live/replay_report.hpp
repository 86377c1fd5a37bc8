#pragma once
/// Reports of `fairstream replay`.

#include <string>
#include <vector>

#include <fairstream/log/event_log.hpp>
#include <fairstream/replay/run.hpp>

namespace fairstream::command {

struct NamedRun {
    std::string name;
    replay::Run run;
};

struct ReplayReport {
    std::string recording;
    std::string recorded_level;  ///< CPU level of the machine that made the recording
    std::vector<NamedRun> runs;
    std::vector<log::Build> builds = {};  ///< builds that made the recording's update digests
};

/// Returns whether the updates of a run equal the published ones, at least for the events with recorded digests.
[[nodiscard]] bool is_identical(const replay::Run& run) noexcept;

/// Returns "by version 0.1.0 (x86-64-v3): from event 7 on its updates differ from the ones published before; from event
/// 13 on it published its own".
[[nodiscard]] std::string recovery_text(const log::Build& build);

[[nodiscard]] std::string replay_json(const ReplayReport& report);
[[nodiscard]] std::string replay_summary(const ReplayReport& report);

}  // namespace fairstream::command
