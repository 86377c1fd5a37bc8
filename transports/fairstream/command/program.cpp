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
#include <fairstream/log/sqlite/recording.hpp>

namespace fairstream::command {
namespace {

constexpr int failed = 1, wrong_use = 2;

/// Prints an error as one line on stderr, whatever the text and the arguments that it quotes; returns `code`.
int complain(const std::string& command, std::string what, int code) {
    std::ranges::replace(what, '\n', ' ');
    std::fprintf(stderr, "%s: %s\n", command.c_str(), shortened(printable(what)).c_str());
    return code;
}

/// Opens something in the place of standard streams that are closed, from which no read and to which no write succeeds:
/// otherwise a socket or a recording would get their numbers, and be read and written as them.
void hold_closed_streams() {
    constexpr std::array<int, 3> modes{O_WRONLY, O_RDONLY, O_RDONLY};  // the wrong ones
    for (std::size_t stream = 0; stream < modes.size(); ++stream)
        // The lowest free number is given, and those before this one are open.
        if (::fcntl(static_cast<int>(stream), F_GETFD) < 0) (void)::open("/dev/null", modes[stream]);
}

}  // namespace

int run_program(int count, const char* const* arguments) {
    std::string command = "fairstream";
    hold_closed_streams();
    ::signal(SIGXFSZ, SIG_IGN);  // a limit on the size of files then is an error of a write
    try {
        const Invocation invocation = parse_arguments(count, arguments);
        command = invocation.command;
        return invocation.run();
    } catch (const UsageError& error) {
        return complain(error.command(), error.what(), wrong_use);
    } catch (const InvalidInput& error) {
        return complain(command, error.what(), wrong_use);
    } catch (const log::sqlite::NotARecording& error) {
        return complain(command, error.what(), wrong_use);
    } catch (const std::bad_alloc&) {
        return complain(command, "out of memory", failed);
    } catch (const std::exception& error) {
        return complain(command, error.what(), failed);
    }
}

}  // namespace fairstream::command
