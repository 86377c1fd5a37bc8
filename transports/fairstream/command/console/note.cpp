#include <fairstream/command/console/note.hpp>

#include <cstdio>

#include <fairstream/base/printable.hpp>

namespace fairstream::command {
namespace {

void print_line(const char* kind, const std::string& text) {
    std::fprintf(stderr, "%s: %s\n", kind, printable(text).c_str());
}

}  // namespace

void print_note(const std::string& note) {
    print_line("note", note);
}

void print_notes(const std::vector<std::string>& notes) {
    for (const std::string& note : notes) print_note(note);
}

void print_warning(const std::string& warning) {
    print_line("warning", warning);
}

}  // namespace fairstream::command
