#pragma once
/// A recording on a simulated disk under random writes, and its allowed contents after its process ended.

#include <optional>
#include <string>

#include "recording/support.hpp"
#include "support/simulated_disk/simulated_disk.hpp"

namespace fairstream::log::sqlite::test {

using fairstream::test::Fault;
using fairstream::test::SimulatedDisk;

/// The extent of a recording; its numbers determine its contents.
struct Extent {
    Sequence events = 0;
    std::uint64_t refusals = 0;
    Sequence checkpoint = 0;  ///< its event; 0: none
    bool operator==(const Extent&) const = default;
};

[[nodiscard]] std::string to_string(const Extent& extent);

class CrashStream {
public:
    CrashStream(SimulatedDisk& disk, const Settings& settings) : disk_(disk), settings_(settings) {}

    /// Creates the recording if it does not exist and nothing was committed yet; otherwise opens it.
    void open();
    void close() { recording_.reset(); }
    [[nodiscard]] bool is_open() const noexcept { return recording_.has_value(); }
    /// Makes a random write.
    void step(Random& random);
    void append(Sequence count);
    void refuse();
    void begin_checkpoint();
    void commit();
    [[nodiscard]] const Extent& committed() const noexcept { return committed_; }

    /// Compares the contents, seen by a reader and then a writer of a new process, with the last commit, complete or in
    /// progress. Returns the error; empty: none. The stream is closed before and after.
    [[nodiscard]] std::string verify();

private:
    [[nodiscard]] std::string compare(const Recording& found);

    SimulatedDisk& disk_;
    Settings settings_;
    fs::path path_ = "/disk/stream.fairstream";
    std::optional<Recording> recording_;
    bool created_ = false;  // `create` returned
    Extent written_;        // by calls since the last commit too
    Sequence pending_checkpoint_ = 0;
    Extent committed_;             // when the last commit returned
    std::optional<Extent> begun_;  // by a commit that did not return
};

}  // namespace fairstream::log::sqlite::test
