#include <fairstream/command/console/console_listener.hpp>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include <fairstream/command/console/note.hpp>

namespace fairstream::command {
namespace {

const char* clear_progress() {
    return isatty(STDERR_FILENO) == 1 ? "\r\x1b[K" : "";
}

}  // namespace

void ConsoleListener::end_interrupted() const {
    std::fprintf(stderr, "%sfairstream %s: interrupted; nothing was written\n", clear_progress(), command_.c_str());
    std::_Exit(signals_->exit_code());
}

void ConsoleListener::note(const std::string& text, std::span<const std::string> details) {
    if (shown_) shown_->clear();
    print_note(text);
    for (const std::string& line : details) std::fprintf(stderr, "  %s\n", line.c_str());
}

void ConsoleListener::warn(const std::string& text) {
    if (shown_) shown_->clear();
    print_warning(text);
}

bool ConsoleListener::progress(const std::string& work, double share, std::string_view detail) {
    if (!shown_ || work != work_) {
        shown_.reset();
        shown_.emplace(work_ = work);
    }
    if (share < 0)
        shown_->show(detail);
    else
        shown_->show(share, detail);
    return signals_ == nullptr || !signals_->requested();
}

void ConsoleListener::enter(Phase phase) {
    shown_.reset();
    if (signals_ == nullptr) return;
    handler_.reset();  // first: the destructor would remove a newer handler
    if (phase == Phase::reading) handler_.emplace(*signals_, [this] { end_interrupted(); });
    if (phase == Phase::working)
        handler_.emplace(*signals_, [this] {
            std::fprintf(stderr,
                         "%sfairstream %s: stopping with the best result so far; a second Ctrl-C ends at once and "
                         "writes nothing\n",
                         clear_progress(), command_.c_str());
        });
    if (phase == Phase::writing) handler_.emplace(*signals_, [] {});  // a first signal does not interrupt writing
}

}  // namespace fairstream::command
