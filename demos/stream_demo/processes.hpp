#pragma once
/// Processes, a temporary directory and signals of the demo, all cleaned up at its end.

#include <signal.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace demo {

/// A temporary directory, deleted by the destructor.
class TemporaryDirectory {
public:
    TemporaryDirectory();
    ~TemporaryDirectory();
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
    [[nodiscard]] std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

private:
    std::filesystem::path path_;
};

/// Keeps signals, such as that of Ctrl-C, from ending the process; poll `arrived` instead. Construct it before any
/// thread.
class Interrupts {
public:
    Interrupts();
    ~Interrupts();
    Interrupts(const Interrupts&) = delete;
    Interrupts& operator=(const Interrupts&) = delete;
    /// Returns the signal that arrived, once; 0: none.
    [[nodiscard]] int arrived() const;

private:
    sigset_t before_{};
};

/// A running program whose output goes to a file. It ends with this object, and in any case with this process.
class Child {
public:
    /// The standard input of the program.
    enum class Input : std::uint8_t { none, own };  // nothing, or this process' own
    /// `arguments[0]` is the program's path.
    Child(std::vector<std::string> arguments, std::filesystem::path output, Input input = Input::none);
    ~Child();
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    [[nodiscard]] pid_t pid() const noexcept { return pid_; }
    /// Waits for the end. Returns the exit code, 128 + signal if a signal ended the program, or nothing if it still
    /// runs after `time`.
    [[nodiscard]] std::optional<int> wait(std::chrono::milliseconds time);
    /// Returns the output so far.
    [[nodiscard]] std::string output() const;

private:
    [[noreturn]] void become_program(char* const* arguments, pid_t parent) const;

    std::filesystem::path output_;
    Input input_;
    pid_t pid_;
    int handle_;  // a pidfd
    std::optional<int> exit_code_;
};

}  // namespace demo
