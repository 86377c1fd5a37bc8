#include <fairstream/command/console/stop_signals.hpp>

#include <signal.h>

#include <utility>

#include <fairstream/files/written/partial_files.hpp>

namespace fairstream::command {
namespace {

/// Signal that wakes the waiting thread so that it ends.
constexpr int wake = SIGUSR1;

bool is_ignored(int signal) {
    struct sigaction action {};
    sigaction(signal, nullptr, &action);
    return action.sa_handler == SIG_IGN;
}

sigset_t awaited_signals() {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : {SIGINT, SIGTERM, wake}) sigaddset(&set, signal);
    // `sigwait` would receive SIGHUP even if the process ignores it.
    if (!is_ignored(SIGHUP)) sigaddset(&set, SIGHUP);
    return set;
}

/// Removes incomplete files, then ends the process by the signal.
void end_process_by(int signal) {
    files::remove_partial_files();
    ::signal(signal, SIG_DFL);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signal);
    pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
    ::raise(signal);
}

}  // namespace

StopSignals::StopSignals() {
    const sigset_t set = awaited_signals();
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    thread_ = std::thread([this] { wait_for_signals(); });
}

StopSignals::~StopSignals() {
    ended_ = true;
    pthread_kill(thread_.native_handle(), wake);
    thread_.join();
}

void StopSignals::set(std::function<void()> stop) {
    const std::lock_guard lock(mutex_);
    stop_ = std::move(stop);
}

void StopSignals::wait_for_signals() {
    const sigset_t set = awaited_signals();
    for (int signal = 0; sigwait(&set, &signal) == 0 && !ended_;) {
        if (signal == wake) continue;
        const std::lock_guard lock(mutex_);
        // Only a second Ctrl-C ends the process at once: a supervisor may send SIGTERM several times, to the process
        // and to its group.
        if (!stop_ || (requested_ && signal == SIGINT)) end_process_by(signal);
        if (requested_) continue;
        signal_ = signal;
        requested_ = true;
        stop_();
    }
}

}  // namespace fairstream::command
