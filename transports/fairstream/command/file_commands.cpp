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
                   "column of 0 (train) and 1 (test), or 0, 1 (validation) and 2 "
                   "(test), no feature; or shares to draw by --seed: 0.9,0.1 or 0.6,0.2,0.2")
        ->type_name("COL|X,...")
        ->group(group);
    CLI::Option* const standardise = app.get_option("--standardise");
    standardise->description(standardise->get_description() + ", or the training part of --split");
}

void add_score_outputs(CLI::App& app, fit::FitOptions& options) {
    app.add_option("--scores", options.scores, "write id,part,score of all points")->type_name("OUT.csv");
    CLI::Option* const curve =
        app.add_option_function<std::string>(
               "--curve", [&options](const std::string& text) { options.curve = text; },
               "fit once more for each of these kappas, and without a bound [" + std::string(fit::usual_curve) + "]")
            ->type_name("[X,...]")
            ->expected(0, 1);
    app.add_option("--plot", options.plot, "draw what --curve finds")->type_name("OUT.html|OUT.svg")->needs(curve);
}

/// Adds the options of models that predict by a network.

void add_network_options(CLI::App& app, fit::FitOptions& options) {
    constexpr const char* group = "Network";
    CLI::Option* const network =
        app.add_option("--network", options.network,
                       "the network whose last layer is adjusted, of the features as --standardise or [prepare] leaves "
                       "them; the same as --set network=@FILE [one is trained]")
            ->type_name("FILE.json")
            ->group(group);
    app.add_flag("--train", options.trains, "train the network on the training part; so it is without --network, too")
        ->excludes(network)
        ->group(group);
    app.add_option("--save-network", options.save_network, "write the adjusted network, as --network reads it")
        ->type_name("OUT.json")
        ->group(group);
    app.add_option("--densities", options.densities,
                   "draw how the predictions of each group are distributed, before the adjustment and after it, on the "
                   "test part if there is a split")
        ->type_name("OUT.html|OUT.svg")
        ->group(group);
}

}  // namespace

void add_fit(CLI::App& app, Run& run) {
    auto [command, options] =
        add_command<fit::FitOptions>(app, "fit", "Fit one model to a file and report how well", run_fit, run);
    command->add_option("model", options.model, "one of the models below")->type_name("MODEL")->required();
    add_input(*command, options.input);
    add_stream_input(*command, options.input);
    add_graph_input(*command, options.input, {"--group", "--target"});
    add_split(*command, options);
    command->get_option("--target")
        ->description(
            "column that is no feature. Models of scores and predictions learn it, a number. Clusterings never see it: "
            "it has the true classes, of any text, by which their labels are judged");
    add_number(*command, "--clusters", options.clusters, std::int64_t{1}, std::int64_t{32767},
               "number of clusters [8]");
    command->add_option("--set", options.settings, "an option of the model, see below; repeatable")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    add_number(*command, "--seed", options.seed, std::uint64_t{0}, many, "seed of the model, and of --split [1]");
    add_number(*command, "--batch", options.batch, std::int64_t{1}, std::int64_t{1} << 24,
               "points that arrive together [1024; models that solve for the window, or predict: all]");
    add_number(*command, "--passes", options.passes, std::int64_t{1}, std::int64_t{1'000'000},
               "times the points are sent [1]");
    add_number(*command, "--refine-rounds", options.iterations, std::int64_t{0}, std::int64_t{1} << 40,
               "rounds of improvement at the end; 0: none [until nothing improves]");
    add_number(*command, "--window", options.window, std::int64_t{1}, (std::int64_t{1} << 31) - 1,
               "points retained [all]");
    add_number(*command, "--threads", options.threads, 0, most_threads,
               "0: as many as there are cores; results do not depend on it [0]");
    command->add_option("--labels", options.labels, "write id,label of the retained points, by rising id")
        ->type_name("OUT.csv");
    add_with(*command, options.input);
    command->get_option("--with")->needs("--labels");
    command
        ->add_option("--clusters-csv", options.clusters_csv,
                     "write a line for each cluster: its size, balance and shares of groups, and of each feature, in "
                     "the units of the file, the mean or the shares of levels")
        ->type_name("OUT.csv");
    command
        ->add_option("--probabilities", options.memberships,
                     "write id,p0,p1,..., how probable each cluster is for the retained points, by itself: "
                     "targets may move a label away from the most probable one")
        ->type_name("OUT.csv");
    add_score_outputs(*command, options);
    add_network_options(*command, options);
    command
        ->add_option(
            "--save-config", options.save_config,
            "write a configuration for fairstream serve: the stream of the file, how its columns are prepared, "
            "and this model")
        ->type_name("OUT.toml")
        ->needs("--input");
    command
        ->add_option("--save", options.save,
                     "write the fitted model, for fairstream predict: a recording of the fit, from which fairstream "
                     "serve can go on; one that is there is not replaced")
        ->type_name("OUT.fairstream");
    command->add_option("--report", options.report, "write the report as JSON")->type_name("OUT.json");
    command->add_flag("--json", options.json, "print the report as JSON");
}

namespace {

void add_front_search(CLI::App& app, fit::FrontOptions& options) {
    constexpr const char* group = "Search";
    add_number(app, "--clusters", options.clusters, std::int64_t{1}, std::int64_t{32767}, "number of clusters [8]")
        ->group(group);
    const auto read_attributes = [&options](const std::string& text) { options.attributes = read_names(text); };
    app.add_option_function<std::string>(
           "--attribute", read_attributes,
           "group columns that are balanced [the first]; of several, balance is a share of the best one")
        ->type_name("COL,...")
        ->group(group);
    app.add_option("--measure", options.measure,
                   "what is weighed against cost: balance, or parity of selection rates [balance]")
        ->type_name("NAME")
        ->group(group);
    add_number(app, "--starts", options.starts, std::int64_t{1}, std::int64_t{1000}, "starting points [10]")
        ->group(group);
    add_number(app, "--stages", options.stages, std::int64_t{0}, std::int64_t{1'000'000},
               "balances that each start of safairkm is led through; 0: the paper's starts, without that [128]; of "
               "fair_spectral balances that are searched at [64]")
        ->group(group);
    add_number(app, "--rounds", options.rounds, std::int64_t{0}, std::int64_t{1'000'000},
               "rounds of the search; each goes on from every point found so far [2]")
        ->group(group);
    app.add_option(
           "--pairs", options.pairs,
           "of safairkm: k-means updates and swaps of an iteration, each taken from every point; all pairs have the "
           "same sum [64:0,63:1,60:4,48:16]")
        ->type_name("N_A:N_B,...")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->group(group);
    add_number(app, "--iterations-per-pair", options.iterations, std::int64_t{1}, std::int64_t{1'000'000},
               "of safairkm: iterations for each point and pair of a round, the paper's q [1]")
        ->group(group);
    add_number(app, "--limit", options.limit, std::int64_t{1}, std::int64_t{1'000'000},
               "end after the round in which the front reaches so many points [1500]")
        ->group(group);
    add_number(app, "--gap", options.gap, 0.0, 1.0,
               "thin the front out to points that lie this share of its extent apart; 0: keep all [0]")
        ->group(group);
    app.add_option(
           "--set", options.settings,
           "an option of the model that says how it searches or which groups count, such as rare_below; repeatable")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false)
        ->group(group);
    add_number(app, "--seed", options.seed, std::uint64_t{0}, many, "seed of the search [1]")->group(group);
    add_number(app, "--threads", options.threads, 0, most_threads,
               "0: as many as there are cores; results do not depend on it [0]")
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
    add_front_search(*command, options);
    command->add_option("--report", options.report, "write the report as JSON")->type_name("OUT.json");
    command->add_option("--csv", options.table, "write cost and balance of each point")->type_name("OUT.csv");
    command->add_option("--plot", options.plot, "draw the front")->type_name("OUT.html|OUT.svg");
    command->add_option("--overlay", options.overlays, "draw another front, written by --report, beside it; repeatable")
        ->type_name("[NAME=]FILE.json")
        ->allow_extra_args(false);
    command
        ->add_option(
            "--pick", options.pick,
            "choose a point: knee, balance>=X or parity>=X (the cheapest such), cost<=X or normalised_cut<=X (the "
            "fairest such)")
        ->type_name("WHICH");
    command->add_option("--labels", options.labels, "write id,label of the point picked, by rising id")
        ->type_name("OUT.csv");
    command->add_flag("--json", options.json, "print the report as JSON");
}

}  // namespace fairstream::command
