#include <fairstream/command/file_commands.hpp>

#include <cstdint>
#include <string>

#include <fairstream/base/name_list.hpp>
#include <fairstream/command/console/input_arguments.hpp>
#include <fairstream/command/fit/fit_command.hpp>
#include <fairstream/command/fit/fit_help.hpp>
#include <fairstream/fit/front/front.hpp>

namespace fairstream::command {
namespace {

/// Adds the options that select the training rows of a model of scores or predictions.
void add_split(CLI::App& app, fit::FitOptions& options) {
    constexpr const char* group = "Points";
    app.add_option("--split", options.input.split,
                   "column with the part of each point: 0 (train) and 1 (test), or 0, 1 (validation) and 2 (test); it "
                   "is no feature. Or the shares of random parts, drawn by --seed: 0.9,0.1 or 0.6,0.2,0.2")
        ->type_name("COL|X,...")
        ->group(group);
    for (const char* const name : {"--standardise", "--unit-range"}) {
        CLI::Option* const scaling = app.get_option(name);
        scaling->description(scaling->get_description() + ", or the training part of --split");
    }
}

void add_score_outputs(CLI::App& app, fit::FitOptions& options) {
    app.add_option("--scores", options.scores, "write id,part,score of all points")->type_name("OUT.csv");
    CLI::Option* const curve =
        app.add_option_function<std::string>(
               "--curve", [&options](const std::string& text) { options.curve = text; },
               "repeat the fit with each of these values of the option 'kappa', and without a bound [" +
                   std::string(fit::usual_curve) + "]")
            ->type_name("[X,...]")
            ->expected(0, 1);
    app.add_option("--plot", options.plot, "draw the curve of --curve")->type_name("OUT.html|OUT.svg")->needs(curve);
}

/// Adds the options of models that predict by a network.
void add_network_options(CLI::App& app, fit::FitOptions& options) {
    constexpr const char* group = "Network";
    CLI::Option* const network =
        app.add_option("--network", options.network,
                       "network whose last layer is adjusted; it reads the features as --standardise or [prepare] "
                       "leaves them. The same as --set network=@FILE [a network is trained]")
            ->type_name("FILE.json")
            ->group(group);
    app.add_flag("--train", options.trains, "train a network on the training part; the default without --network")
        ->excludes(network)
        ->group(group);
    app.add_option("--save-network", options.save_network, "write the adjusted network, as --network reads it")
        ->type_name("OUT.json")
        ->group(group);
    app.add_option("--densities", options.densities,
                   "draw the distribution of the predictions of each group, before and after the adjustment; on the "
                   "test part if there is a split")
        ->type_name("OUT.html|OUT.svg")
        ->group(group);
}

}  // namespace

void add_fit(CLI::App& app, Run& run) {
    auto [command, options] =
        add_command<fit::FitOptions>(app, "fit", "Fit one model to a file and report how well it fits", run_fit, run);
    command->add_option("model", options.model, "one of the models below")->type_name("MODEL")->required();
    add_input(*command, options.input);
    add_stream_input(*command, options.input);
    add_graph_input(*command, options.input, {"--group", "--target"});
    add_split(*command, options);
    command->get_option("--target")
        ->description(
            "column of true values; it is no feature. Scorers and predictors learn it, as a number. Clusterings never "
            "see it: the report compares their labels with it, and it may be any text");
    add_number(*command, "--clusters", options.clusters, std::int64_t{1}, std::int64_t{32767},
               "number of clusters [8]");
    command->add_option("--set", options.settings, "option of the model and its value, see below; repeatable")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    command->add_option("--labels", options.labels, "write id,label of the retained points, sorted by id")
        ->type_name("OUT.csv");
    add_with(*command, options.input);
    command->get_option("--with")->needs("--labels");
    add_score_outputs(*command, options);
    command
        ->add_option("--clusters-csv", options.clusters_csv,
                     "write a row for each cluster: size, balance, shares of groups, and the mean of each feature in "
                     "the units of the file, or the shares of its levels")
        ->type_name("OUT.csv");
    command
        ->add_option("--probabilities", options.memberships,
                     "write id,p0,p1,...: how probable each cluster is for each retained point, before targets; a "
                     "target may move a label away from the most probable cluster")
        ->type_name("OUT.csv");
    command
        ->add_option("--save", options.save,
                     "write the fitted model as a recording, for fairstream predict and fairstream serve; an existing "
                     "file is not replaced")
        ->type_name("OUT.fairstream");
    command
        ->add_option(
            "--save-config", options.save_config,
            "write a configuration for fairstream serve: the stream of the file, how its columns are prepared, "
            "and this model")
        ->type_name("OUT.toml")
        ->needs("--input");
    command->add_option("--report", options.report, "write the report as JSON")->type_name("OUT.json");
    command->add_flag("--json", options.json, "print the report as JSON");
    add_network_options(*command, options);
    constexpr const char* fine = "Fine tuning";
    add_number(*command, "--seed", options.seed, std::uint64_t{0}, no_upper_limit,
               "seed of the model and of --split [1]")
        ->group(fine);
    add_number(*command, "--refine-rounds", options.iterations, std::int64_t{0}, std::int64_t{1} << 40,
               "rounds of improvement at the end; 0: none [until nothing improves]")
        ->group(fine);
    add_number(
        *command, "--work", options.work, std::uint64_t{0}, std::uint64_t{1'000'000'000},
        "limit on the work of the improvement at the end, in 10^9 multiply-adds, about a tenth of a second each; "
        "0: no limit [300]")
        ->group(fine);
    add_number(*command, "--batch", options.batch, std::int64_t{1}, std::int64_t{1} << 24,
               "points per batch; the model updates after each batch [1024; all for models that solve for the window, "
               "or predict]")
        ->group(fine);
    add_number(*command, "--passes", options.passes, std::int64_t{1}, std::int64_t{1'000'000},
               "number of times that the points are sent [1]")
        ->group(fine);
    add_number(*command, "--window", options.window, std::int64_t{1}, (std::int64_t{1} << 31) - 1,
               "number of points retained [all]")
        ->group(fine);
    add_number(*command, "--threads", options.threads, 0, most_threads,
               "number of threads; 0: one for each core. Results do not depend on it [0]")
        ->group(fine);
}

namespace {

/// Adds the options on what a front trades off: the number of clusters, the attributes and the measure.
void add_front_goal(CLI::App& app, fit::FrontOptions& options) {
    add_number(app, "--clusters", options.clusters, std::int64_t{1}, std::int64_t{32767}, "number of clusters [8]");
    const auto read_attributes = [&options](const std::string& text) { options.attributes = read_names(text); };
    app.add_option_function<std::string>("--attribute", read_attributes,
                                         "group columns to balance; with several, each balance is divided by the best "
                                         "possible balance [the first column]")
        ->type_name("COL,...");
    app.add_option("--measure", options.measure,
                   "fairness that is weighed against cost: balance, or parity of selection rates [balance]")
        ->type_name("NAME");
}

void add_front_search(CLI::App& app, fit::FrontOptions& options) {
    constexpr const char* group = "Search";
    add_number(app, "--seed", options.seed, std::uint64_t{0}, no_upper_limit, "seed of the search [1]")->group(group);
    add_number(app, "--threads", options.threads, 0, most_threads,
               "number of threads; 0: one for each core. Results do not depend on it [0]")
        ->group(group);
    add_number(app, "--limit", options.limit, std::int64_t{1}, std::int64_t{1'000'000},
               "number of points on the front after which no further round begins [1500]")
        ->group(group);
    add_number(app, "--gap", options.gap, 0.0, 1.0,
               "least distance between points, as a share of the front's extent: of closer points only one is kept; 0: "
               "all [0]")
        ->group(group);
    add_number(app, "--starts", options.starts, std::int64_t{1}, std::int64_t{1000}, "number of starting points [10]")
        ->group(group);
    add_number(app, "--stages", options.stages, std::int64_t{0}, std::int64_t{1'000'000},
               "safairkm: number of balances that each start passes through; 0 (as in the paper): none [128]. "
               "fair_spectral: number of balances that are searched [64]")
        ->group(group);
    add_number(app, "--rounds", options.rounds, std::int64_t{0}, std::int64_t{1'000'000},
               "rounds of the search; each continues from every point found so far [2]")
        ->group(group);
    app.add_option("--pairs", options.pairs,
                   "safairkm: numbers of k-means updates and of swaps in an iteration. Each pair is tried from every "
                   "point; all pairs must have the same sum [64:0,63:1,60:4,48:16]")
        ->type_name("N_A:N_B,...")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->group(group);
    add_number(
        app, "--iterations-per-pair", options.iterations, std::int64_t{1}, std::int64_t{1'000'000},
        "safairkm: iterations per round, for each point of the front and each pair of --pairs (q in the paper) [1]")
        ->group(group);
    app.add_option("--set", options.settings,
                   "option of the model about its search or about which groups count, such as rare_below; repeatable")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false)
        ->group(group);
}

}  // namespace

void add_front(CLI::App& app, Run& run) {
    auto [command, options] = add_command<fit::FrontOptions>(
        app, "front", "Find the whole trade-off between cost and balance over a file or a graph", run_front, run);
    command->add_option("model", options.model, "safairkm, or fair_spectral for the normalised cut [safairkm]")
        ->type_name("MODEL");
    add_input(*command, options.input);
    add_stream_input(*command, options.input);
    add_graph_input(*command, options.input, {"--group"});
    add_front_goal(*command, options);
    command
        ->add_option("--pick", options.pick,
                     "point to choose: knee, balance>=X or parity>=X (the cheapest such point), cost<=X or "
                     "normalised_cut<=X (the fairest such point)")
        ->type_name("WHICH");
    command->add_option("--labels", options.labels, "write id,label of the picked point, sorted by id")
        ->type_name("OUT.csv");
    command->add_option("--plot", options.plot, "draw the front")->type_name("OUT.html|OUT.svg");
    command->add_option("--csv", options.table, "write cost and balance of each point of the front")
        ->type_name("OUT.csv");
    command->add_option("--report", options.report, "write the report as JSON")->type_name("OUT.json");
    command->add_flag("--json", options.json, "print the report as JSON");
    command
        ->add_option("--overlay", options.overlays,
                     "draw another front, written by --report, in the same plot; repeatable")
        ->type_name("[NAME=]FILE.json")
        ->allow_extra_args(false);
    add_front_search(*command, options);
}

}  // namespace fairstream::command
