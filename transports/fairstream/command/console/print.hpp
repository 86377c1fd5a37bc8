#pragma once
/// What a command has to say.

#include <string_view>
#include <vector>

#include <fairstream/files/written/output.hpp>

namespace fairstream::command {

/// Writes to stdout and flushes. Throws `std::system_error`.
void print(std::string_view text);
/// Writes what a command has to say: to stdout, or to stderr when one of its outputs takes that.
void print_report(std::string_view text, const std::vector<files::OutputFile>& outputs);

}  // namespace fairstream::command
