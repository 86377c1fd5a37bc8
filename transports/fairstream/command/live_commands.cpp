#include <fairstream/command/live_commands.hpp>

#include <cstdint>
#include <string>
#include <tuple>

#include <fairstream/command/console/input_arguments.hpp>
#include <fairstream/command/live/check.hpp>
#include <fairstream/command/live/erase.hpp>
#include <fairstream/command/live/export.hpp>
#include <fairstream/command/live/keys.hpp>
#include <fairstream/command/live/producers.hpp>
#include <fairstream/command/live/refine.hpp>
#include <fairstream/command/live/remove.hpp>
#include <fairstream/command/live/replay.hpp>
#include <fairstream/command/live/send.hpp>
#include <fairstream/command/live/serve.hpp>
#include <fairstream/command/live/set.hpp>
#include <fairstream/command/live/status.hpp>
#include <fairstream/command/live/watch.hpp>
#include <fairstream/command/predict/predict.hpp>
#include <fairstream/figures/condition.hpp>

namespace fairstream::command {
namespace {

constexpr double least_timeout = 0.001, longest_timeout = 1e6;  // seconds

void add_keys(CLI::App& app, KeyOptions& keys) {
    constexpr const char* group = "Encryption";
    app.add_option("--server-key", keys.server_key, "public key of the engine")->type_name("KEY")->group(group);
    app.add_option("--keys", keys.keys, "file of this client's keys, made by fairstream keys")
        ->type_name("FILE")
        ->group(group);
}

/// Describes in the help that dates and decimal marks follow the engine's stream unless given.
void describe_marks_of_stream(CLI::App& app) {
    app.get_option("--date-order")
        ->description("of dates such as 3/4/2026: day_first, month_first or year_first [that of the stream]");
    app.get_option("--decimal-mark")
        ->description("of numbers: comma, as in 3,14, or point [that of the stream, otherwise found in the file]");
}

/// Adds the option of an endpoint; `endpoint` holds its default, which the help text shows.
void add_endpoint(CLI::App& app, const std::string& name, std::string& endpoint, const std::string& help) {
    app.add_option(name, endpoint, help + " [" + endpoint + "]")->type_name("ENDPOINT");
}

}  // namespace

void add_serve(CLI::App& app, Run& run) {
    auto [command, options] = add_command<ServeOptions>(
        app, "serve", "Run an engine: take points in, publish fair labels, record all", run_serve, run);
    command->add_option("--config", options.config, "configuration [that of the recording, when it exists]")
        ->type_name("FILE");
    command->add_option("--recording", options.recording, "file to record to; recovered when it exists")
        ->type_name("FILE");
    const config::WireOptions usual;
    for (const auto& [name, endpoint, default_endpoint, help] :
         {std::tuple("--ingest", &options.ingest, usual.ingest, "endpoint that takes points"),
          std::tuple("--updates", &options.updates, usual.updates, "endpoint that publishes"),
          std::tuple("--control", &options.control, usual.control, "endpoint that answers requests")})
        command->add_option(name, *endpoint, std::string(help) + " [" + default_endpoint + "]")->type_name("ENDPOINT");
    add_number(*command, "--threads", options.threads, 0, most_threads, "0: as many as there are cores");
    command->add_option("--set", options.settings, "an option of a model, e.g. fair.clusters=12")
        ->type_name("MODEL.KEY=VALUE")
        ->allow_extra_args(false);
    command->add_flag("--quiet", options.quiet, "log warnings and errors only");
    command->footer(
        "\nThe command line goes before the file. SIGINT, SIGTERM or SIGHUP end it with a checkpoint, or without one "
        "where "
        "it is at work for long, and the next start replays what came since; a second SIGINT "
        "ends it at once, and the next start recovers. A recording holds its configuration, networks included: without "
        "--config it goes on with that, and the defaults of all that is the process's own: [recording], [ingest], "
        "[updates], [control] and [security], which a file without [stream], [window], [prepare] and models may "
        "give.\n"
        "\nExit codes: 0 stopped by a signal; 1 failed; 2 wrong use or a bad configuration.\n"
        "\nExample:\n"
        "  fairstream serve --config demos/loans.toml --recording loans.fairstream\n"
        "  fairstream serve --recording loans.fairstream");
}

void add_send(CLI::App& app, Run& run) {
    auto [command, options] =
        add_command<SendOptions>(app, "send", "Send a file, or made-up points, to an engine", run_send, run);
    add_endpoint(*command, "--ingest", options.ingest, "endpoint where the engine takes points");
    command
        ->add_option("--control", options.control,
                     "endpoint where it tells whether it is at work, and is waited for [" +
                         config::WireOptions{}.control + " without --ingest]")
        ->type_name("ENDPOINT");
    add_number(*command, "--batch", options.batch, std::int64_t{1}, std::int64_t{1} << 24,
               "points per message [1024, or a tenth of --rate]");
    add_number(*command, "--rate", options.rate, 0.001, 1e12, "points per second at most [no limit]");
    command->add_option("--name", options.name, "of this producer; one at a time may use it [one of its own]")
        ->type_name("NAME");
    add_number(*command, "--timeout", options.timeout, least_timeout, longest_timeout,
               "seconds to wait for an engine that is silent and not at work [10]");
    command->add_flag("--json", options.json, "print the statistics as JSON");
    add_input(*command, options.input);
    command
        ->add_option("--outcomes", options.outcomes,
                     "CSV file of ids and outcomes (--id, --target) of points sent before, in place of points")
        ->type_name("FILE")
        ->excludes("--input")
        ->excludes("--generate")
        ->group("Points");
    command
        ->add_option(
            "--event", options.input.event,
            "column of events: rows with the same text, one after another, are one message, or several of --batch")
        ->type_name("COL")
        ->needs(command->get_option("--input"))
        ->group("Points");
    describe_marks_of_stream(*command);
    // These options also describe the file of outcomes, so they do not need --input.
    for (const char* const option :
         {"--id", "--target", "--bad-rows", "--bad-rows-to", "--decimal-mark", "--missing-text"})
        command->get_option(option)->remove_needs(command->get_option("--input"));
    command
        ->add_option("--time", options.input.time,
                     "column of the events' times, ISO 8601, in UTC where there is no offset, or since 1970 [now]")
        ->type_name("COL")
        ->needs(command->get_option("--input"))
        ->group("Points");
    command
        ->add_option("--time-unit", options.input.time_unit,
                     "of times that are numbers: s, ms, us or ns [s below 10^11, otherwise us]")
        ->type_name("UNIT")
        ->needs("--time")
        ->group("Points");
    command
        ->add_flag(
            "--future-times", options.future_times,
            "send times, too, that are ahead of this machine's clock by more than a day, or the window's max_age "
            "if that is less, to an engine with ahead_at_most = \"any\", and the present time where all that it "
            "retains is older: it forgets what is older than "
            "max_age before the latest")
        ->group("Points");
    add_keys(*command, options.keys);
    command->footer(
        "\nGroup columns are those of the engine's attributes unless --group names others, and so are feature columns "
        "where the engine's stream names them. Names that are the engine's are put in its order, others are taken by "
        "position. Values are sent as they are: [prepare] in the engine's configuration scales them, and says which "
        "are categories or may be missing (an empty cell, NA, N/A, NaN, nan, null, ? or -). A message has the latest "
        "--time of its points. A point whose id comes again takes the place of the earlier one, and of its outcome: "
        "send "
        "outcomes again after it. Rows of a pipe pass once 1,024 are there or none came for half a second.\n"
        "\nAt its end it says how many values were missing, which the engine fills in, how many cells were no group "
        "or level, and which rows were left out. A row that cannot be used ends the file, and the error says how many "
        "such rows there are, and what takes them: a setting of the configuration, --missing drop, or --bad-rows N.\n" +
        generators_help() +
        "\nExit codes: 0 all is on disk; 1 stopped, refused, no answer, or failed; 2 wrong use, or bad input.\n"
        "\nExample:\n"
        "  fairstream send --generate loans --points 200000 --rate 20000\n"
        "  fairstream send --input people.csv --id key --missing age,hours=drop --bad-rows 10\n"
        "  fairstream send --outcomes repaid.csv --id key --target repaid\n"
        "  fairstream send --ingest tcp://127.0.0.1:7400 --input adult.csv.gz --features age,hours_per_week \\\n"
        "      --standardise");
}

void add_watch(CLI::App& app, Run& run) {
    auto [command, options] = add_command<WatchOptions>(
        app, "watch", "Follow the labels or scores and the fairness of a model", run_watch, run);
    add_endpoint(*command, "--updates", options.updates, "endpoint where the engine publishes");
    add_endpoint(*command, "--control", options.control, "endpoint where it answers requests");
    command->add_option("--model", options.model, "name of the model [the engine's, where it has one]")
        ->type_name("NAME");
    command->add_flag("--json", options.json, "JSON lines instead of a live table; always so when piped");
    add_number(*command, "--until-sequence", options.until_sequence, std::uint64_t{0}, many,
               "end when the view is exact as of this event or a later one");
    add_number(*command, "--timeout", options.timeout, 0.0, 1e9, "seconds without news before giving up [never]");
    command->add_flag("--reconnect", options.reconnect, "when the engine stops, wait for its next start");
    command->add_option("--labels", options.labels, "write the labels, or scores, at the end: id and the model's name")
        ->type_name("OUT.csv");
    command
        ->add_option("--probabilities", options.rows.path,
                     "follow how probable clusters are in place of labels, and write it at the end: id,p0,p1,..., "
                     "within 0.01 (lord)")
        ->type_name("OUT.csv")
        ->excludes("--labels");
    add_keys(*command, options.keys);
    command->footer(
        "\nA small plot has its range behind it: at least a tenth of the value, and of shares and distances at least "
        ".02, so that noise looks flat.\n" +
        figures::drift_help() +
        "\nExit codes: 0 as asked for, by a signal or --until-sequence; 1 given up after --timeout, or failed; 2 wrong "
        "use; 3 the engine stopped, or no longer answers.\n"
        "\nExample:\n"
        "  fairstream watch --model fair\n"
        "  fairstream watch --updates tcp://127.0.0.1:7401 --control tcp://127.0.0.1:7402 --model fair");
}

void add_set(CLI::App& app, Run& run) {
    auto [command, options] =
        add_command<SetOptions>(app, "set", "Change an option of a model while its engine runs", run_set, run);
    command
        ->add_option("settings", options.settings,
                     "the option and its new value, e.g. fair.balance_at_least=0.5; several one after another")
        ->type_name("MODEL.KEY=VALUE")
        ->required();
    add_endpoint(*command, "--control", options.control, "endpoint where the engine answers requests");
    add_number(*command, "--timeout", options.timeout, least_timeout, longest_timeout,
               "seconds to wait for an answer [5]");
    command->add_flag("--json", options.json, "print one JSON object on a line for each change");
    add_keys(*command, options.keys);
    command->footer(
        "\nThe change is recorded like a batch of points. fairstream status lists the options that may change.\n"
        "\nExit codes: 0 changed; 1 no answer, or failed; 2 wrong use, or refused.\n"
        "\nExample:\n"
        "  fairstream set fair.balance_at_least=0.3\n"
        "  fairstream set --control tcp://127.0.0.1:7402 choice.published=2");
}

void add_refine(CLI::App& app, Run& run) {
    auto [command, options] =
        add_command<RefineOptions>(app, "refine", "Improve a model while its engine runs", run_refine, run);
    command->add_option("name", options.model, "name of the model, as fairstream status shows it")
        ->type_name("NAME")
        ->required();
    add_number(*command, "--rounds", options.rounds, std::int64_t{0}, std::int64_t{1} << 40,
               "rounds of improvement at most; 0: until nothing improves [0]");
    add_endpoint(*command, "--control", options.control, "endpoint where the engine answers requests");
    add_number(*command, "--timeout", options.timeout, least_timeout, longest_timeout,
               "seconds to wait for an answer [600]");
    command->add_flag("--json", options.json, "print one JSON object");
    add_keys(*command, options.keys);
    command->footer(
        "\nAn engine improves its models a little as points come. A refinement goes on until nothing improves, as "
        "fairstream fit does at its end. It is made in turns that the engine ends at its step_work_limit; points that "
        "come meanwhile wait for one of them. Each is recorded like a batch of points; fairstream status says how far "
        "it is. Ctrl-C ends the wait, and asks for no further turn. A model that cannot be refined, and a refinement "
        "that is estimated to take more work than the engine's event_work_limit, are refused.\n"
        "\nExit codes: 0 refined; 1 no answer, or failed; 2 wrong use, or refused; 130 "
        "Ctrl-C ended the wait.\n"
        "\nExample:\n"
        "  fairstream refine fair\n"
        "  fairstream refine fair --rounds 20 --control tcp://127.0.0.1:7402 --json");
}

void add_producers(CLI::App& app, Run& run) {
    auto [command, options] = add_command<ProducersOptions>(
        app, "producers", "List the producers that an engine knows, or make it forget one", run_producers, run);
    command
        ->add_option("--forget", options.forget,
                     "make the engine forget this producer; a later life of it needs a higher epoch, which the clock "
                     "gives, so that nothing counts twice")
        ->type_name("NAME");
    add_endpoint(*command, "--control", options.control, "endpoint where the engine answers requests");
    add_number(*command, "--timeout", options.timeout, least_timeout, longest_timeout,
               "seconds to wait for the answer [5]");
    command->add_flag("--json", options.json, "print one JSON object on a line for each producer");
    add_keys(*command, options.keys);
    command->footer(
        "\nEach producer is that of a client: \"key:KEY\", or \"name:NAME\" of [security] for a key that is bound to a "
        "name; without keys \"user:ID\" for a user of this machine at an ipc endpoint, and \"loopback\" for all "
        "programs that use tcp. [clients] in the configuration limits how many each may have. With keys only a "
        "controller may ask for this.\n"
        "\nExit codes: 0 done; 1 no answer, or failed; 2 wrong use, or refused.\n"
        "\nExample:\n"
        "  fairstream producers\n"
        "  fairstream producers --forget \"loan desk\" --control tcp://127.0.0.1:7402");
}

namespace {

void add_ids(CLI::App& app, std::filesystem::path& ids) {
    app.add_option("--ids", ids, "file with the ids of the points, one a line; - for standard input")
        ->type_name("FILE")
        ->required();
}

}  // namespace

void add_remove(CLI::App& app, Run& run) {
    auto [command, options] =
        add_command<RemoveOptions>(app, "remove", "Take points out of a running engine", run_remove, run);
    add_ids(*command, options.ids);
    add_endpoint(*command, "--control", options.control, "endpoint where the engine answers requests");
    add_number(*command, "--timeout", options.timeout, least_timeout, longest_timeout,
               "seconds to wait for each answer [60]");
    command->add_flag("--json", options.json, "print one JSON object");
    add_keys(*command, options.keys);
    command->footer(
        "\nThe points leave the window, with their groups and outcomes, and every model steps without them at once; so "
        "they do in each replay. What models learned of them as weights and running means stays until a refit. An id "
        "that is sent again is a new point. The recording still has the events that brought them: fairstream erase "
        "makes one without them. With keys only a controller may ask for this.\n"
        "\nExit codes: 0 removed; 1 no answer, or failed; 2 wrong use, or refused.\n"
        "\nExample:\n"
        "  fairstream remove --ids leaving.txt\n"
        "  fairstream remove --ids - --control tcp://127.0.0.1:7402 < leaving.txt");
}

void add_erase(CLI::App& app, Run& run) {
    auto [command, options] =
        add_command<EraseOptions>(app, "erase", "Make a recording anew without some points", run_erase, run);
    command->add_option("recording", options.recording, "file of an engine that is stopped")
        ->type_name("RECORDING")
        ->required();
    add_ids(*command, options.ids);
    command->add_option("--to", options.to, "the new recording; one that is there is not replaced")
        ->type_name("NEW")
        ->required();
    add_number(*command, "--threads", options.threads, 0, most_threads, "0: as many as there are cores [0]");
    command->add_flag("--json", options.json, "print one JSON object");
    command->footer(
        "\nThe new recording is as if these points had never come: events, outcomes and removals lose their rows, "
        "refused messages that name them are emptied, and models are stepped anew. Events keep their numbers and "
        "producers their marks, so that nothing sent again counts twice. The recording has an id of its own, and new "
        "hashes; fairstream check shows that it was made so. Followers take a snapshot. Where the first events were "
        "deleted, it begins with the older checkpoint, from which the points are removed: what models had learned of "
        "them by then stays.\n"
        "\nThe old recording, its copies, backups, exports, and files of labels or updates still have the points: they "
        "are yours to delete.\n"
        "\nExit codes: 0 made, and nothing in it names the points; 1 a damaged recording, stopped, or failed; 2 wrong "
        "use.\n"
        "\nExample:\n"
        "  fairstream erase loans.fairstream --ids leaving.txt --to loans2.fairstream");
}

void add_status(CLI::App& app, Run& run) {
    auto [command, options] = add_command<StatusOptions>(
        app, "status", "Show how a running engine is: models, figures, options", run_status, run);
    add_endpoint(*command, "--control", options.control, "endpoint where the engine answers requests");
    CLI::Option* const json = command->add_flag("--json", options.json, "print one JSON object");
    command->add_flag("--watch", options.watch, "show it again every second, on a terminal, until Ctrl-C")
        ->excludes(json);
    add_number(*command, "--timeout", options.timeout, least_timeout, longest_timeout,
               "seconds to wait for each answer [5]");
    add_keys(*command, options.keys);
    command->footer(status_help() +
                    "\nExample:\n"
                    "  fairstream status\n"
                    "  fairstream status --watch\n"
                    "  fairstream status --control tcp://127.0.0.1:7402 --json");
}

void add_export(CLI::App& app, Run& run) {
    auto [command, options] = add_command<ExportOptions>(
        app, "export", "Write the events of a recording as CSV, and its configuration", run_export, run);
    command->add_option("recording", options.recording, "file that fairstream serve recorded to")
        ->type_name("RECORDING")
        ->required();
    command
        ->add_option("--points", options.points,
                     "write the points, one a row; -: standard output [-, unless --save-config is alone]")
        ->type_name("OUT.csv|-");
    command->add_option("--events", options.events, "write the other events: changes of options and refinements")
        ->type_name("OUT.csv|-");
    command
        ->add_option("--outcomes", options.outcomes,
                     "write the outcomes that came later than their points, as send --outcomes reads them")
        ->type_name("OUT.csv|-");
    command
        ->add_option("--save-config", options.save_config,
                     "write the configuration with which it began, for serve and replay")
        ->type_name("OUT.toml|-");
    add_number(*command, "--from", options.from, std::uint64_t{1}, many, "first event [the oldest kept]");
    add_number(*command, "--to", options.to, std::uint64_t{1}, many, "last event [the newest]");
    command->add_flag("--leave-out-ahead", options.leave_out_ahead,
                      "leave out points of events whose times are ahead of this machine's clock by more than a day, or "
                      "the window's max_age if that is less: a new recording of the rest takes points of today again");
    command->add_flag("--damaged", options.damaged,
                      "write what can be read of a damaged recording, and say which events are lost");
    command
        ->add_option("--config", options.config, "the configuration that it was served with, where its own is damaged")
        ->type_name("FILE")
        ->needs("--damaged");
    command->footer(export_help() +
                    "\nExit codes: 0 written; 1 a damaged recording, one of which --damaged reads no event, or failed; "
                    "2 wrong use, or no recording.\n"
                    "\nExample:\n"
                    "  fairstream export loans.fairstream > points.csv\n"
                    "  fairstream export loans.fairstream --points points.csv --events changes.csv --from 100\n"
                    "  fairstream export loans.fairstream --save-config loans_again.toml\n"
                    "  fairstream export loans.fairstream --leave-out-ahead --points points.csv");
}

void add_replay(CLI::App& app, Run& run) {
    auto [command, options] = add_command<ReplayOptions>(
        app, "replay", "Run a recording again, also under another configuration", run_replay, run);
    command->add_option("recording", options.recording, "file that fairstream serve recorded to")
        ->type_name("RECORDING")
        ->required();
    command->add_option("--config", options.config, "another configuration of the same stream")->type_name("FILE");
    command->add_flag("--compare", options.compare, "run both and show them side by side");
    command->add_flag(
        "--without-changes", options.without_changes,
        "leave out the changes of options that were recorded; with --compare, of the other configuration's "
        "run");
    add_number(*command, "--threads", options.threads, 0, most_threads,
               "0: as many as there are cores; the digest does not depend on it [0]");
    command->add_option("--updates-to", options.updates, "write every update as it is published")->type_name("OUT.bin");
    command->add_option("--labels", options.labels, "write the labels, or scores, of the retained points")
        ->type_name("OUT.csv");
    add_number(*command, "--speed", options.speed, 1e-6, 1e9, "times the recorded pace [as fast as possible]");
    command->add_flag("--verify", options.verify,
                      "fail unless the updates are those that were published, as far as the recording tells them");
    command->add_flag("--json", options.json, "print the report as JSON");
    command->footer(
        "\nA recording has a digest of each event's updates, which tells whether they are the same again: labels, "
        "scores "
        "and outcomes, no figures; of older versions it has none. Where old events were deleted (keep_events, "
        "keep_for, "
        "keep_bytes) a replay begins with the older checkpoint, under the recorded configuration alone.\n"
        "\nWhat fairstream set changed while the engine ran was recorded, and is changed again at the same event, "
        "under another configuration too.\n" +
        figures::drift_help() +
        "\nExit codes: 0 done; 1 a damaged recording, stopped, or failed, and with --verify updates that differ or are "
        "not recorded; 2 wrong use, or no recording.\n"
        "\nExample:\n"
        "  fairstream replay loans.fairstream --verify\n"
        "  fairstream replay loans.fairstream --config other.toml --compare");
}

namespace {

/// Adds the input options of a command that asks about points. Such points have no targets, no weights and no scaling
/// of their own.

void add_asked_input(CLI::App& app, files::InputOptions& input) {
    add_input(app, input);
    for (const char* const option : {"--positive", "--target", "--weight", "--standardise"})
        app.remove_option(app.get_option(option));
    app.get_option("--group")->description("columns of protected attributes, where they have other names");
    app.get_option("--unit-rows")->description("scale each point to length 1");
    describe_marks_of_stream(app);
    app.get_option("--missing")
        ->description("drop: leave out rows that lack a value [refused, where the stream does not fill it in]");
    app.get_option("--id")->description("column of the points' ids, of any text [the row's number, from 0]");
}

}  // namespace

void add_predict(CLI::App& app, Run& run) {
    auto [command, options] = add_command<PredictOptions>(
        app, "predict", "Label or score the points of a file by a fitted, recorded or running model", run_predict, run);
    command
        ->add_option("--by", options.by,
                     "what to ask: a file that fairstream fit --save wrote, the recording of an engine, or the control "
                     "endpoint of one that runs, such as tcp://127.0.0.1:7402")
        ->type_name("MODEL|ENDPOINT")
        ->required();
    command->add_option("--model", options.model, "name of the model, where there are several")->type_name("NAME");
    command->add_flag("--nearest", options.nearest,
                      "give each point the nearest cluster, whatever the targets and its groups");
    command->add_flag("--fair", options.fair,
                      "refuse what keeps labels from being for the targets: points without groups, other models");
    command->add_option("--labels", options.labels, "write id,label of a clustering, in the order of the file")
        ->type_name("OUT.csv");
    command->add_option("--scores", options.scores, "write id,score, or id,prediction")->type_name("OUT.csv");
    command->add_option("--probabilities", options.rows.path, "write id,p0,p1,..., how probable each cluster is (lord)")
        ->type_name("OUT.csv");
    command->add_option("--report", options.report, "write the report as JSON")->type_name("OUT.json");
    command->add_flag("--json", options.json, "print the report as JSON");
    add_number(*command, "--timeout", options.timeout, least_timeout, longest_timeout,
               "seconds to wait for each answer of an engine that runs [10]");
    add_number(*command, "--threads", options.threads, 0, most_threads,
               "of recovering a recording; 0: as many as there are cores [0]");
    add_asked_input(*command, options.input);
    add_with(*command, options.input);
    add_keys(*command, options.keys);
    command->footer(predict_help() + generators_help() +
                    "\nExample:\n"
                    "  fairstream fit safairkm --generate loans --points 5000 --clusters 8 --save loans.fairstream\n"
                    "  fairstream predict --by loans.fairstream --generate loans --points 100 --generate-seed 2\n"
                    "  fairstream predict --by people.fairstream --input people.csv --id key --labels labels.csv\n"
                    "  fairstream predict --by tcp://127.0.0.1:7402 --model fair --input new.csv --labels labels.csv");
}

void add_keys_command(CLI::App& app, Run& run) {
    auto [command, options] =
        add_command<KeysOptions>(app, "keys", "Make a key pair, and print the public key", run_keys, run);
    command->add_option("file", options.file, "file to write; it must not exist")->type_name("FILE")->required();
    command->footer(
        "\nExample:\n"
        "  fairstream keys engine.keys");
}

void add_check(CLI::App& app, Run& run) {
    auto [command, options] = add_command<CheckOptions>(
        app, "check", "Say whether a configuration or a recording is in order", run_check, run);
    command->add_option("--config", options.config, "configuration to validate")->type_name("FILE");
    command->add_option("recording", options.recording, "recording to verify")->type_name("RECORDING");
    command->add_flag("--json", options.json, "print what was found as JSON");
    command->footer(
        "\nExit codes: 0 in order; 1 a damaged recording, or failed; 2 wrong use, a bad configuration, or no "
        "recording.\n"
        "\nExample:\n"
        "  fairstream check --config demos/loans.toml\n"
        "  fairstream check loans.fairstream");
}

}  // namespace fairstream::command
