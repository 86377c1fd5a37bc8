#pragma once
/// Runs a program as a user would and captures its output.

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <support/temporary_directory.hpp>

namespace fairstream::test {

struct Finished {
    int exit_code = 0;  ///< 128 + signal when a signal ended it
    std::string out, err;
};

/// A running program, without a terminal and with empty standard input. The destructor kills it if it still runs.
class Process {
public:
    explicit Process(std::vector<std::string> arguments) : arguments_(std::move(arguments)), pid_(::fork()) {
        if (pid_ < 0) throw std::runtime_error("fork failed");
        if (pid_ == 0) become_program();
    }
    ~Process() {
        if (pid_ > 0) {
            ::kill(pid_, SIGKILL);
            ::waitpid(pid_, nullptr, 0);
        }
    }
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    [[nodiscard]] pid_t pid() const noexcept { return pid_; }
    void signal(int number) const { ::kill(pid_, number); }
    /// Waits for the program's end.
    Finished wait() {
        int status = 0;
        ::waitpid(pid_, &status, 0);
        pid_ = 0;
        return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), output_so_far("out"),
                output_so_far("err")};
    }
    /// Wait until the program has written `text` to stdout, or to stderr; return false if it ended without that.
    [[nodiscard]] bool writes(const std::string& text) { return wait_for_output("out", text); }
    [[nodiscard]] bool warns(const std::string& text) { return wait_for_output("err", text); }
    /// Returns its output on stderr so far.
    [[nodiscard]] std::string errors() const { return output_so_far("err"); }

private:
    [[nodiscard]] bool wait_for_output(const char* name, const std::string& text) {
        for (bool runs = true;; std::this_thread::sleep_for(std::chrono::milliseconds(1))) {
            if (output_so_far(name).find(text) != std::string::npos) return true;
            if (!runs) return false;
            siginfo_t ended{};
            runs =
                ::waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid == 0;
        }
    }
    // A signal may end the child before it has opened its files.
    [[nodiscard]] std::string output_so_far(const char* name) const {
        return std::filesystem::exists(directory_ / name) ? file_bytes(directory_ / name) : std::string();
    }

    [[noreturn]] void become_program() {
        const auto redirect = [](const std::filesystem::path& path, int flags, int to) {
            const int file = ::open(path.c_str(), flags, 0600);
            if (file < 0 || ::dup2(file, to) < 0) ::_exit(127);
        };
        redirect("/dev/null", O_RDONLY, STDIN_FILENO);
        redirect(directory_ / "out", O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
        redirect(directory_ / "err", O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
        std::vector<char*> pointers;
        for (std::string& argument : arguments_) pointers.push_back(argument.data());
        pointers.push_back(nullptr);
        ::execv(pointers[0], pointers.data());
        ::_exit(127);
    }

    std::vector<std::string> arguments_;
    TemporaryDirectory directory_;
    pid_t pid_;
};

/// Runs a program to its end.
inline Finished run(std::vector<std::string> arguments) {
    return Process(std::move(arguments)).wait();
}

}  // namespace fairstream::test
