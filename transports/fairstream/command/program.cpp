#include <fairstream/command/program.hpp>

#include <fcntl.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <new>
#include <string>

#include <fairstream/base/printable.hpp>
#include <fairstream/base/types.hpp>
#include <fairstream/command/arguments.hpp>
#include <fairstream/log/event_log.hpp>

namespace fairstream::command {
namespace {

constexpr int failed = 1, wrong_use = 2;

/// Prints an error as one line on stderr, with control characters escaped; returns `code`.
int print_error(const std::string& command, std::string what, int code) {
    std::ranges::replace(what, '\n', ' ');
    std::fprintf(stderr, "%s: %s\n", command.c_str(), shortened(printable(what)).c_str());
    return code;
}

/// Opens /dev/null in place of each closed standard stream, in a mode that lets neither reads nor writes succeed.
/// Otherwise a socket or a recording would get the stream's number, and reads and writes of the stream would go to it.
void hold_closed_streams() {
    constexpr std::array<int, 3> modes{O_WRONLY, O_RDONLY, O_RDONLY};  // deliberately the wrong modes
    for (std::size_t stream = 0; stream < modes.size(); ++stream)
        // `open` returns the lowest free number: the streams before this one are open.
        if (::fcntl(static_cast<int>(stream), F_GETFD) < 0) (void)::open("/dev/null", modes[stream]);
}

}  // namespace

int run_program(int count, const char* const* arguments) {
    std::string command = "fairstream";
    hold_closed_streams();
    ::signal(SIGXFSZ, SIG_IGN);  // a write above the file size limit then fails
    try {
        const Invocation invocation = parse_arguments(count, arguments);
        command = invocation.command;
        return invocation.run();
    } catch (const UsageError& error) {
        return print_error(error.command(), error.what(), wrong_use);
    } catch (const InvalidInput& error) {
        return print_error(command, error.what(), wrong_use);
    } catch (const log::NotARecording& error) {
        return print_error(command, error.what(), wrong_use);
    } catch (const std::bad_alloc&) {
        return print_error(command, "out of memory", failed);
    } catch (const std::exception& error) {
        return print_error(command, error.what(), failed);
    }
}

}  // namespace fairstream::command
