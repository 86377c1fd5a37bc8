#include "processes.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <ctime>
#include <fstream>
#include <system_error>
#include <utility>

namespace demo {
namespace {

constexpr std::array stopping_signals = {SIGINT, SIGTERM, SIGHUP};

/// Time for a process to end in order.
constexpr std::chrono::seconds grace{5};

sigset_t as_set() {
    sigset_t set;
    sigemptyset(&set);
    for (const int number : stopping_signals) sigaddset(&set, number);
    return set;
}

[[noreturn]] void fail(const std::string& what) {
    throw std::system_error(errno, std::generic_category(), what);
}

}  // namespace

TemporaryDirectory::TemporaryDirectory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "fairstream-demo-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) fail("no temporary directory " + pattern);
    path_ = pattern;
}

TemporaryDirectory::~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

Interrupts::Interrupts() {
    const sigset_t set = as_set();
    ::pthread_sigmask(SIG_BLOCK, &set, &before_);
}

Interrupts::~Interrupts() {
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

int Interrupts::arrived() const {
    const sigset_t set = as_set();
    const timespec at_once{};
    const int number = ::sigtimedwait(&set, nullptr, &at_once);
    return number > 0 ? number : 0;
}

Child::Child(std::vector<std::string> arguments, std::filesystem::path output, Input input)
    : output_(std::move(output)), input_(input) {
    std::vector<char*> pointers;
    pointers.reserve(arguments.size() + 1);
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    const pid_t parent = ::getpid();
    pid_ = ::fork();
    if (pid_ < 0) fail("cannot start " + arguments[0]);
    if (pid_ == 0) become_program(pointers.data(), parent);
    handle_ = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0));
    if (handle_ >= 0) return;
    const std::system_error error(errno, std::generic_category(), "cannot watch " + arguments[0]);
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    throw error;
}

Child::~Child() {
    if (!exit_code_) {
        ::kill(pid_, SIGTERM);
        if (!wait(grace)) {
            ::kill(pid_, SIGKILL);
            ::waitpid(pid_, nullptr, 0);
        }
    }
    ::close(handle_);
}

std::optional<int> Child::wait(std::chrono::milliseconds time) {
    if (exit_code_) return exit_code_;
    pollfd ended{handle_, POLLIN, 0};
    if (::poll(&ended, 1, static_cast<int>(time.count())) <= 0) return std::nullopt;
    int status = 0;
    ::waitpid(pid_, &status, 0);
    exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return exit_code_;
}

std::string Child::output() const {
    std::ifstream file(output_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// Runs between fork and exec in a process with threads: system calls only.
void Child::become_program(char* const* arguments, pid_t parent) const {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != parent) ::_exit(127);  // the parent ended before PR_SET_PDEATHSIG took effect
    const sigset_t set = as_set();
    ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
    ::signal(SIGPIPE, SIG_DFL);
    ::setpgid(0, 0);  // Ctrl-C goes to the demo, which then ends its processes
    const int in = ::open("/dev/null", O_RDONLY), out = ::open(output_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (in < 0 || out < 0) ::_exit(127);
    if (input_ == Input::none) ::dup2(in, STDIN_FILENO);
    ::dup2(out, STDOUT_FILENO), ::dup2(out, STDERR_FILENO);
    ::execv(arguments[0], arguments);
    ::_exit(127);
}

}  // namespace demo
