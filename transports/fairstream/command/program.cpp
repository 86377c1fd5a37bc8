#include <fairstream/command/program.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <string>

#include <fairstream/base/types.hpp>
#include <fairstream/command/arguments.hpp>
#include <fairstream/recording/recording.hpp>

namespace fairstream::command {
namespace {

constexpr int failed = 1, wrong_use = 2;

/// Prints an error as one line on stderr, whatever the text; returns `code`.
int complain(const std::string& command, std::string what, int code) {
    std::replace_if(
        what.begin(), what.end(), [](unsigned char c) { return c < 0x20; }, ' ');
    std::fprintf(stderr, "%s: %s\n", command.c_str(), what.c_str());
    return code;
}

}  // namespace

int run_program(int count, const char* const* arguments) {
    std::string command = "fairstream";
    try {
        const Invocation invocation = parse_arguments(count, arguments);
        command = invocation.command;
        return invocation.run();
    } catch (const UsageError& error) {
        return complain(error.command(), error.what(), wrong_use);
    } catch (const InvalidInput& error) {
        return complain(command, error.what(), wrong_use);
    } catch (const recording::NotARecording& error) {
        return complain(command, error.what(), wrong_use);
    } catch (const std::bad_alloc&) {
        return complain(command, "out of memory", failed);
    } catch (const std::exception& error) {
        return complain(command, error.what(), failed);
    }
}

}  // namespace fairstream::command
