#pragma once
/// The command line: which command runs with which options.

#include <functional>
#include <stdexcept>
#include <string>

namespace fairstream::command {

/// A parsed command line. `run` executes the command and returns the exit code.
struct Invocation {
    std::string command;  ///< "fairstream fit", for messages; "fairstream" alone before a command is known
    std::function<int()> run;
};

/// The command line is wrong; `what()` is one line.
class UsageError : public std::runtime_error {
public:
    UsageError(std::string command, const std::string& what) : std::runtime_error(what), command_(std::move(command)) {}
    [[nodiscard]] const std::string& command() const noexcept { return command_; }

private:
    std::string command_;
};

/// Parses the command line; throws `UsageError`. For --help and --version, `run` prints.
[[nodiscard]] Invocation parse_arguments(int count, const char* const* arguments);

}  // namespace fairstream::command
