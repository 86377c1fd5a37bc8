#include <fairstream/command/fit/fit_stop.hpp>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace fairstream::command {
namespace {

const char* clear_progress() {
    return isatty(STDERR_FILENO) == 1 ? "\r\x1b[K" : "";
}

void say_that_it_ends() {
    std::fprintf(stderr,
                 "%sfairstream fit: ending with the best so far; a second Ctrl-C ends at once, with nothing written\n",
                 clear_progress());
}

}  // namespace

void end_interrupted(const StopSignals& signals) {
    std::fprintf(stderr, "%sfairstream fit: interrupted; nothing was written\n", clear_progress());
    std::_Exit(signals.exit_code());
}

FitStop::FitStop(StopSignals& signals) : signals_(signals), handler_(signals.on_stop(say_that_it_ends)) {}

FitProgress FitStop::shown_by(Progress& progress) {
    return [this, &progress](double share, std::string_view done) {
        progress.show(share, done);
        return goes_on();
    };
}

}  // namespace fairstream::command
