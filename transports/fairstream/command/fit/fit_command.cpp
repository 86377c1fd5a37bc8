#include <fairstream/command/fit/fit_command.hpp>

#include <cstdio>

#include <fairstream/command/console/console_listener.hpp>
#include <fairstream/command/console/print.hpp>

namespace fairstream::command {

int run_fit(const fit::FitOptions& options) {
    StopSignals signals;  // before reading, which starts threads
    fit::FitResult result;
    ConsoleListener listener("fit", &signals);
    try {
        result = fit::fit(options, listener);
    } catch (const Interrupted&) {
        listener.end_interrupted();
    }
    if (!options.report.empty()) files::write_file(options.report, result.json + "\n");
    print_report(options.json ? result.json + "\n" : result.summary, options.outputs());
    for (const std::string& what : result.missed) std::fprintf(stderr, "fairstream fit: %s\n", what.c_str());
    return result.code;
}

int run_front(const fit::FrontOptions& options) {
    StopSignals signals;  // before reading, which starts threads
    ConsoleListener listener("front", &signals);
    const fit::FrontJob job(options, listener);
    // The report is printed first, so that it is not lost when a file cannot be written.
    print_report(options.json ? job.json() : job.summary(), options.outputs());
    job.write();
    if (job.missing_pick()) throw InvalidInput(*job.missing_pick());
    return job.is_stopped() ? 1 : 0;
}

}  // namespace fairstream::command
