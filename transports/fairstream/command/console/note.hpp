#pragma once
/// Notes and warnings for people, on stderr; the result remains valid.

#include <string>
#include <vector>

namespace fairstream::command {

/// Prints a line "note: NOTE".
void print_note(const std::string& note);
void print_notes(const std::vector<std::string>& notes);
/// Prints a line "warning: WARNING".
void print_warning(const std::string& warning);

}  // namespace fairstream::command
