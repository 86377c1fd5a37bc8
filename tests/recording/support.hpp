#pragma once
/// Common parts of the recording's tests: contents to write and to compare, processes to kill.

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

/// Returns bytes determined by the seed.
[[nodiscard]] ByteVector some_bytes(std::uint64_t seed, std::size_t size);

/// The event that these tests record under this number: from producers "a", "b", "c" in turn, of about `size` bytes.
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

/// Returns everything that can be read back, one entry for each item.
[[nodiscard]] std::vector<std::string> contents_of(const Recording& recording);
/// Returns the numbers of all events, after checking each against `SomeEvent`.
[[nodiscard]] std::vector<Sequence> checked_events(const Recording& recording, std::size_t size = 300);

/// Returns the text of the `RecordingError` that `action` throws; fails the test if it throws none.
[[nodiscard]] std::string error_of(const std::function<void()>& action);
[[nodiscard]] std::string error_of_opening(const fs::path& path);

/// The log that SQLite keeps beside the file.
[[nodiscard]] fs::path log_beside(const fs::path& path);
void flip_bit(const fs::path& path, std::uint64_t byte, unsigned bit);
void write_at(const fs::path& path, std::uint64_t offset, const std::string& bytes);

/// A second process that runs `body` and ends without destroying anything, like a killed one. `body` reports numbers,
/// which are read here in order.
class Child {
public:
    using Report = std::function<void(std::uint64_t)>;
    explicit Child(const std::function<void(const Report& report)>& body);
    ~Child();
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    /// Returns the next report; nothing after the end.
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
/// Runs `body` in a child to its end; returns the exit code as `Child::wait`.
int run_in_child(const std::function<void()>& body);
/// Keeps a recording open for ever, for a child: like in a killed process, it is never closed.
[[nodiscard]] Recording& leak(Recording&& recording);

}  // namespace fairstream::log::sqlite::test
