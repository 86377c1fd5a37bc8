#pragma once
/// What the demo leaves to others and takes away again: processes, a directory, the keyboard's Ctrl-C.

#include <signal.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace demo {

/// A directory of our own, gone with this object.
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

/// Ctrl-C and the like do not end the process while this exists: ask `arrived` now and then. Make it before any thread.
class Interrupts {
public:
    Interrupts();
    ~Interrupts();
    Interrupts(const Interrupts&) = delete;
    Interrupts& operator=(const Interrupts&) = delete;
    /// The signal that arrived, once; 0: none.
    [[nodiscard]] int arrived() const;

private:
    sigset_t before_{};
};

/// A program that runs, its output kept in a file. It ends with this object, and with the process, whatever happens.
class Child {
public:
    /// `arguments[0]` is the program's path.
    Child(std::vector<std::string> arguments, std::filesystem::path output);
    ~Child();
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    [[nodiscard]] pid_t pid() const noexcept { return pid_; }
    /// The exit code, 128 + signal when a signal ended it; empty when it still runs after `time`.
    [[nodiscard]] std::optional<int> wait(std::chrono::milliseconds time);
    /// What it has written so far.
    [[nodiscard]] std::string output() const;

private:
    [[noreturn]] void become_program(char* const* arguments, pid_t parent) const;

    std::filesystem::path output_;
    pid_t pid_;
    int handle_;  // a pidfd
    std::optional<int> exit_code_;
};

}  // namespace demo
