#pragma once
/// Common parts of the recording's tests: contents to write, contents to compare, processes to kill.

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fairstream/log/sqlite/recording.hpp>

#include "support/names.hpp"
#include "support/temporary_directory.hpp"

namespace fairstream::log::sqlite::test {

using fairstream::test::Names;
using fairstream::test::TemporaryDirectory;
namespace fs = std::filesystem;
using ByteVector = std::vector<std::byte>;
using Random = std::mt19937_64;

inline constexpr std::size_t page = 65536;  ///< bytes of the file

/// Returns bytes that follow from the seed alone.
[[nodiscard]] ByteVector some_bytes(std::uint64_t seed, std::size_t size);

/// The event that these tests record under this number: producers "a", "b", "c" in turn, about `size` bytes.
struct SomeEvent {
    explicit SomeEvent(Sequence sequence, std::size_t size = 300);
    Sequence sequence;
    std::string producer;
    ProducerMark mark;
    ByteVector message;
};

void append(Recording& recording, const SomeEvent& event, Bytes decisions = {});
/// Appends the next `count` events and commits them.
void append_committed(Recording& recording, Sequence count, std::size_t size = 300);
[[nodiscard]] Refusal some_refusal(const std::string& producer, const ProducerMark& mark);

/// Everything that can be read back, one entry for each thing.
[[nodiscard]] std::vector<std::string> contents_of(const Recording& recording);
/// The numbers of all events, after checking that each is `SomeEvent` of that number.
[[nodiscard]] std::vector<Sequence> checked_events(const Recording& recording, std::size_t size = 300);

/// The text of the `RecordingError` that `action` throws; a failure when it throws none.
[[nodiscard]] std::string error_of(const std::function<void()>& action);
[[nodiscard]] std::string error_of_opening(const fs::path& path);

/// The log that SQLite keeps beside the file.
[[nodiscard]] fs::path log_beside(const fs::path& path);
void flip_bit(const fs::path& path, std::uint64_t byte, unsigned bit);
void write_at(const fs::path& path, std::uint64_t offset, const std::string& bytes);

/// A process beside this one that runs `body` and ends without destroying anything, as a killed one does. `body`
/// reports by `report`; what it reports is read here in order.
class Child {
public:
    using Report = std::function<void(std::uint64_t)>;
    explicit Child(const std::function<void(const Report& report)>& body);
    ~Child();
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    /// The next report; nothing when it has ended.
    [[nodiscard]] std::optional<std::uint64_t> next();
    void kill();
    /// Waits for the child's end. Returns 0 if `body` returned, 1 if it threw or an expectation failed, -1 if it was
    /// killed.
    int wait();

private:
    pid_t pid_ = -1;
    int pipe_ = -1;
};

/// Blocks until the process is killed.
[[noreturn]] void hang();
/// Runs `body` in a child to its end; the exit code as `Child::wait` gives it.
int run_in_child(const std::function<void()>& body);
/// Keeps a recording open for ever, for a child: as in a process that is killed, it is never closed.
[[nodiscard]] Recording& leak(Recording&& recording);

}  // namespace fairstream::log::sqlite::test
