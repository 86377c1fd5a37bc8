#pragma once
/// Notes, warnings and progress on stderr.

#include <optional>
#include <string>
#include <utility>

#include <fairstream/command/console/stop_signals.hpp>
#include <fairstream/command/console/terminal.hpp>
#include <fairstream/text/listener.hpp>

namespace fairstream::command {

/// Draws the progress of one work after another. With `signals`, the effect of the first signal to stop depends on the
/// phase: while files are read it ends the process, during work it asks for an early end with the best result so far,
/// and during writing it has none. A second SIGINT ends the process.
class ConsoleListener final : public Listener {
public:
    ConsoleListener() = default;
    /// `command` is the command's name in messages, such as "fit".
    ConsoleListener(std::string command, StopSignals* signals) : command_(std::move(command)), signals_(signals) {}

    using Listener::note;
    void note(const std::string& text, std::span<const std::string> details) override;
    void warn(const std::string& text) override;
    bool progress(const std::string& work, double share, std::string_view detail) override;
    void enter(Phase phase) override;

    /// Ends the process for a signal that comes before there is a result to write.
    [[noreturn]] void end_interrupted() const;

private:
    std::string command_;
    StopSignals* signals_ = nullptr;
    std::optional<StopSignals::Handler> handler_;
    std::string work_;
    std::optional<Progress> shown_;
};

}  // namespace fairstream::command
