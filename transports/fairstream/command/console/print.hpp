#pragma once
/// Output of commands to stdout.

#include <string_view>
#include <vector>

#include <fairstream/files/written/output.hpp>

namespace fairstream::command {

/// Writes to stdout and flushes. Throws `std::system_error`.
void print(std::string_view text);
/// Writes a report to stdout, or to stderr when one of the outputs goes to stdout.
void print_report(std::string_view text, const std::vector<files::OutputFile>& outputs);

}  // namespace fairstream::command
