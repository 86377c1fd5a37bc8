#pragma once
/// Makes a recording anew without some of its points.

#include <cstdint>
#include <functional>

#include <fairstream/log/log.hpp>
#include <fairstream/replay/point_names.hpp>

namespace fairstream::replay {

struct Erased {
    Sequence from = 0, last = 0;  ///< the checkpoint that it begins with, 0: the first event; and the last event
    // Rows that were left out, and refused messages whose text or body was.
    std::uint64_t points = 0, outcomes = 0, removals = 0, refusals = 0;
    std::uint64_t retained = 0;  ///< of the points, those of the checkpoint that it begins with
    std::uint64_t unknown = 0;   ///< of the names, those that no row of a point has
};

struct EraseHooks {
    int threads = 0;
    std::int64_t time = 0;  ///< now, in microseconds since 1970
    /// Called after event `done` of `last`; may throw, which ends the work.
    std::function<void(Sequence done, Sequence last)> after = {};
};

/// Writes what `from` has into `to`, which is new and has its configuration, as if the points had never come: events,
/// removals and outcomes lose their rows, refusals that name them their text and message, and models are stepped
/// anew through all events, so that no state has learned of them. Numbers of events, producers' marks and times stay;
/// running hashes and digests are new. Where `from` lacks its first events, `to` begins with its older checkpoint, from
/// whose window the points are removed; what models had learned of them by then stays, as weights and running means.
/// `from` must not get events meanwhile. Throws `RecordingError`.
Erased erase(const log::Log& from, log::Log& to, const PointNames& points, const EraseHooks& hooks = {});

/// Reads all of a recording; returns the number of rows, refusals and retained points in it that are of these points.
[[nodiscard]] std::uint64_t traces_of(const log::Log& recording, const PointNames& points);

}  // namespace fairstream::replay
