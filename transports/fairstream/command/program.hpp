#pragma once
/// The program `fairstream` as a function. Exit codes: 0 done; 1 failed or stopped early; 2 wrong use or bad input; 3
/// `fit` done, a target missed; 4 `fit` done, a target met in part; 128 plus the signal's number when a signal ended
/// `fit` or `front` before there was a result, or `refine`.

namespace fairstream::command {

/// Runs the command that the arguments name; prints errors as one line on stderr. Returns the exit code.
int run_program(int count, const char* const* arguments);

}  // namespace fairstream::command
