#include <fairstream/command/console/print.hpp>

#include <cerrno>
#include <cstdio>
#include <system_error>

namespace fairstream::command {
namespace {

void print_to(std::FILE* stream, const char* name, std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), stream) != text.size() || std::fflush(stream) != 0)
        throw std::system_error(errno, std::generic_category(), name);
}

}  // namespace

void print(std::string_view text) {
    print_to(stdout, "standard output", text);
}

void print_report(std::string_view text, const std::vector<files::OutputFile>& outputs) {
    if (!files::takes_stdout(outputs)) return print(text);
    print_to(stderr, "standard error", text);
}

}  // namespace fairstream::command
