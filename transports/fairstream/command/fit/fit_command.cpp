#include <cstdio>

#include <fairstream/command/console/console_listener.hpp>
#include <fairstream/command/fit/fit.hpp>
#include <fairstream/command/fit/model_report.hpp>

namespace fairstream::command {

int run_fit(const FitOptions& options) {
    StopSignals signals;  // before reading, which begins threads
    FitResult result;
    ConsoleListener listener(&signals);
    try {
        result = fit(options, listener);
    } catch (const Interrupted&) {
        end_interrupted(signals);
    }
    write_report(options, result.json, result.summary);
    for (const std::string& what : result.missed) std::fprintf(stderr, "fairstream fit: %s\n", what.c_str());
    return result.code;
}

}  // namespace fairstream::command
