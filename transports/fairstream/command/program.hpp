#pragma once
/// The program `fairstream` as a function. Exit codes: 0 done, 1 failed, 2 wrong use or bad input, 3 done by `fit` with
/// a target missed, 4 with one met in part, 128 and the number of the signal that interrupted `fit`.

namespace fairstream::command {

/// Runs the command that the arguments name; prints errors as one line on stderr. Returns the exit code.
int run_program(int count, const char* const* arguments);

}  // namespace fairstream::command
