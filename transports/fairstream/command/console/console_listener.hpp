#pragma once
/// Notes, warnings and progress on stderr.

#include <optional>
#include <string>
#include <utility>

#include <fairstream/command/console/stop_signals.hpp>
#include <fairstream/command/console/terminal.hpp>
#include <fairstream/text/listener.hpp>

namespace fairstream::command {

/// Draws the progress of one work after another. With `signals` a first signal to stop ends the process while files are
/// read, asks work to end with the best so far, and does not interrupt writing; a second one ends the process.
class ConsoleListener final : public Listener {
public:
    ConsoleListener() = default;
    /// `command` is "fit".
    ConsoleListener(std::string command, StopSignals* signals) : command_(std::move(command)), signals_(signals) {}

    using Listener::note;
    void note(const std::string& text, std::span<const std::string> details) override;
    void warn(const std::string& text) override;
    bool progress(const std::string& work, double share, std::string_view detail) override;
    void enter(Phase phase) override;

    /// Ends the process for a signal that comes before there is anything to write.
    [[noreturn]] void end_interrupted() const;

private:
    std::string command_;
    StopSignals* signals_ = nullptr;
    std::optional<StopSignals::Handler> handler_;
    std::string work_;
    std::optional<Progress> shown_;
};

}  // namespace fairstream::command
