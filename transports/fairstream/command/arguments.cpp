#include <fairstream/command/arguments.hpp>

#include <memory>
#include <string_view>
#include <utility>

#include <fairstream/command/check.hpp>
#include <fairstream/command/cli.hpp>
#include <fairstream/command/fit.hpp>
#include <fairstream/command/output.hpp>

namespace fairstream::command {
namespace {

constexpr std::uint64_t many = std::numeric_limits<std::uint64_t>::max();
constexpr std::int64_t most_points = std::int64_t{1} << 40;
constexpr int most_threads = 1024;

using Run = std::function<int()>;

/// Makes a subcommand whose options live as long as its `run`.
template <class Options> std::pair<CLI::App*, Options&> add_command(CLI::App& app, const std::string& name,
                                                                    const std::string& help,
                                                                    int (*execute)(const Options&), Run& run) {
    const auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand(name, help);
    command->callback([options, execute, &run] { run = [options, execute] { return execute(*options); }; });
    return {command, *options};
}

void add_input(CLI::App& app, InputOptions& input) {
    constexpr const char* group = "Points";
    auto* file = app.add_option("--input", input.input, "CSV file with a header, may be gzip-compressed")
                     ->type_name("FILE")
                     ->group(group);
    auto* generate =
        app.add_option("--generate", input.generate, "made-up points instead: loans (applicants with drift)")
            ->type_name("NAME")
            ->group(group);
    add_number(app, "--points", input.points, std::int64_t{1}, most_points, "points to generate [100000]")
        ->needs(generate)
        ->group(group);
    add_number(app, "--generate-seed", input.generate_seed, std::uint64_t{0}, many, "seed of the generator [1]")
        ->needs(generate)
        ->group(group);
    const auto list = [&](const char* name, std::vector<std::string>& out, const char* help) {
        app.add_option(name, out, help)
            ->type_name("COL,...")
            ->delimiter(',')
            ->allow_extra_args(false)
            ->needs(file)
            ->group(group);
    };
    list("--features", input.features, "feature columns, or all: those without another meaning [all]");
    list("--group", input.groups, "columns of protected attributes");
    app.add_option("--target", input.target, "column of the target, no feature")
        ->type_name("COL")
        ->needs(file)
        ->group(group);
    app.add_option("--id", input.id, "column of the points' ids [the row's number, from 0]")
        ->type_name("COL")
        ->needs(file)
        ->group(group);
    app.add_flag("--standardise", input.standardise, "scale features to mean 0 and deviation 1 over the whole file")
        ->needs(file)
        ->group(group);
    app.add_flag("--unit-rows", input.unit_rows, "then scale each point to length 1")->needs(file)->group(group);
    app.add_option("--rows", input.rows, "then keep the rows with these numbers, one per line, from 0")
        ->type_name("FILE")
        ->needs(file)
        ->group(group);
    file->excludes(generate);
}

void add_fit(CLI::App& app, Run& run) {
    auto [command, options] =
        add_command<FitOptions>(app, "fit", "Cluster a file with one model and report how well", run_fit, run);
    command->add_option("model", options.model)->type_name("MODEL")->required();
    add_input(*command, options.input);
    add_number(*command, "--clusters", options.clusters, std::int64_t{1}, std::int64_t{32767}, "number of clusters");
    command->add_option("--set", options.settings, "an option of the model; an unknown one is answered by the list")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    add_number(*command, "--seed", options.seed, std::uint64_t{0}, many, "seed of the model [1]");
    add_number(*command, "--batch", options.batch, std::int64_t{1}, std::int64_t{1} << 24,
               "points that arrive together [1024]");
    add_number(*command, "--passes", options.passes, std::int64_t{1}, std::int64_t{1'000'000},
               "times the points are sent [1]");
    add_number(*command, "--iterations", options.iterations, std::int64_t{0}, std::int64_t{1} << 40,
               "rounds of improvement at the end; 0: none [until nothing improves]");
    add_number(*command, "--window", options.window, std::int64_t{1}, (std::int64_t{1} << 31) - 1,
               "points retained [all]");
    add_number(*command, "--threads", options.threads, 0, most_threads,
               "0: as many as there are cores; results do not depend on it [0]");
    command->add_option("--labels", options.labels, "write id,label of the retained points")->type_name("OUT.csv");
    command->add_option("--report", options.report, "write the report as JSON")->type_name("OUT.json");
    command->add_flag("--json", options.json, "print the report as JSON");
    command->footer(
        "\nExample:\n  fairstream fit safairkm --input adult.csv.gz --features age,education_num,hours_per_week "
        "--group sex \\\n"
        "      --clusters 10 --set balance_at_least=0.4 --standardise --labels labels.csv\n"
        "  fairstream fit safairkm --generate loans --points 50000 --clusters 8 --json");
}

void add_check(CLI::App& app, Run& run) {
    auto [command, options] = add_command<CheckOptions>(
        app, "check", "Say whether a configuration or a recording is in order", run_check, run);
    command->add_option("--config", options.config, "configuration to validate")->type_name("FILE");
    command->add_option("recording", options.recording, "recording to verify")->type_name("RECORDING");
    command->add_flag("--json", options.json, "print what was found as JSON");
    command->footer("\nExample:\n  fairstream check --config demos/loans.toml\n  fairstream check loans.fairstream");
}

/// What CLI11 says, in the words of the other errors.
std::string explained(const CLI::App& app, const CLI::ParseError& error) {
    const std::vector<std::string> extras = app.remaining(true);
    if (dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr || extras.empty()) return error.what();
    return (extras[0].starts_with('-') ? "unknown option '" : "unexpected argument '") + extras[0] +
           "'; --help lists what there is";
}

void require_known_command(const CLI::App& app, int count, const char* const* arguments) {
    std::string known;
    for (const CLI::App* command : app.get_subcommands({})) {
        if (count > 1 && command->get_name() == arguments[1]) return;
        known += (known.empty() ? "" : ", ") + command->get_name();
    }
    if (count < 2) throw UsageError("fairstream", "no command given; there are " + known);
    if (arguments[1][0] != '-')
        throw UsageError("fairstream", "unknown command '" + std::string(arguments[1]) + "'; there are " + known);
}

}  // namespace

Invocation parse_arguments(int count, const char* const* arguments) {
    CLI::App app("Keeps fair clusterings of a stream of points up to date.", "fairstream");
    app.set_version_flag("--version", FAIRSTREAM_VERSION);
    app.formatter(std::make_shared<HelpFormatter>());  // subcommands made from here on inherit it
    Run run;
    add_fit(app, run);
    add_check(app, run);
    app.footer("\nfairstream COMMAND --help shows the options of a command and an example.");

    require_known_command(app, count, arguments);
    std::string name = "fairstream";
    try {
        app.parse(count, arguments);
    } catch (const CLI::Success& asked) {
        const bool version = dynamic_cast<const CLI::CallForVersion*>(&asked) != nullptr;
        const std::string text = version ? "fairstream " FAIRSTREAM_VERSION "\n" : app.help();
        return {name, [text] { return print(text), 0; }};
    } catch (const CLI::ParseError& error) {
        for (const CLI::App* command : app.get_subcommands()) name += " " + command->get_name();
        throw UsageError(name, explained(app, error));
    }
    for (const CLI::App* command : app.get_subcommands()) name += " " + command->get_name();
    return {name, run};
}

}  // namespace fairstream::command
