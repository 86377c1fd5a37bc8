#pragma once
/// Copies a recording without some of its points.

#include <cstdint>
#include <functional>

#include <fairstream/log/log.hpp>
#include <fairstream/replay/point_names.hpp>

namespace fairstream::replay {

struct Erased {
    /// The event of the checkpoint with which the new recording begins (0: it begins without a checkpoint), and the
    /// newest event.
    Sequence from = 0, last = 0;
    // Rows left out, and refused messages whose text or body was removed.
    std::uint64_t points = 0, outcomes = 0, removals = 0, refusals = 0;
    std::uint64_t retained = 0;  ///< erased points of the first checkpoint's window
    std::uint64_t unknown = 0;   ///< given names without a row of a point
};

struct EraseHooks {
    int threads = 0;
    std::int64_t time = 0;  ///< current time, in microseconds since 1970
    /// Called after event `done` of `last`. It may throw, which ends the work.
    std::function<void(Sequence done, Sequence last)> after = {};
};

/// Writes the contents of `from` into `to`, a new log with the same configuration, as if the points had never come.
/// Events, removals and outcomes lose their rows; refusals that name the points lose their text and message. Models
/// step through all events again, so that no state has learned from the points. Numbers of events, producers' marks and
/// times stay the same; running hashes and digests are new.
///
/// If `from` lacks its first events, `to` begins with its older checkpoint, whose window loses the points. What models
/// had learned from the points before that checkpoint stays, such as weights and running means. `from` must not get
/// events meanwhile. Throws `RecordingError`.
Erased erase(const log::Log& from, log::Log& to, const PointNames& points, const EraseHooks& hooks = {});

/// Reads a whole recording; returns the number of its rows, refusals and retained points that belong to these points.
[[nodiscard]] std::uint64_t traces_of(const log::Log& recording, const PointNames& points);

}  // namespace fairstream::replay
