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
#include <fairstream/command/live/salvage.hpp>
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
    app.add_option("--keys", keys.keys, "file with this client's keys, written by fairstream keys")
        ->type_name("FILE")
        ->group(group);
}

/// Describes in the help that missing values, dates and decimal marks follow the engine's stream unless given.
void describe_input_of_stream(CLI::App& app) {
    app.get_option("--missing")
        ->description("drop: leave out rows with a missing value [refused, unless the stream fills it in]");
    app.get_option("--date-order")
        ->description("order of dates such as 3/4/2026: day_first, month_first or year_first [the stream's]");
    app.get_option("--decimal-mark")
        ->description(
            "decimal mark of numbers: comma, as in 3,14, or point [the stream's, otherwise found in the file]");
}

/// Adds the option of an endpoint; `endpoint` holds its default, which the help text shows.
void add_endpoint(CLI::App& app, const std::string& name, std::string& endpoint, const std::string& help) {
    app.add_option(name, endpoint, help + " [" + endpoint + "]")->type_name("ENDPOINT");
}

}  // namespace

void add_serve(CLI::App& app, Run& run) {
    auto [command, options] = add_command<ServeOptions>(
        app, "serve", "Run an engine: take points, publish fair labels, record everything", run_serve, run);
    command->add_option("--config", options.config, "configuration of the engine [the one in the recording]")
        ->type_name("FILE");
    command->add_option("--recording", options.recording, "file to record to; an existing recording is continued")
        ->type_name("FILE");
    command->add_option("--set", options.settings, "option of a model and its value, such as fair.clusters=12")
        ->type_name("MODEL.KEY=VALUE")
        ->allow_extra_args(false);
    command->add_flag("--quiet", options.quiet, "log warnings and errors only");
    const config::WireOptions usual;
    for (const auto& [name, endpoint, default_endpoint, help] :
         {std::tuple("--ingest", &options.ingest, usual.ingest, "endpoint where the engine takes points"),
          std::tuple("--updates", &options.updates, usual.updates, "endpoint where the engine publishes"),
          std::tuple("--control", &options.control, usual.control, "endpoint where the engine answers requests")})
        command->add_option(name, *endpoint, std::string(help) + " [" + default_endpoint + "]")->type_name("ENDPOINT");
    add_number(*command, "--threads", options.threads, 0, most_threads, "number of threads; 0: one for each core");
    command->footer(
        "\nOptions override the configuration file. SIGINT, SIGTERM or SIGHUP stop the engine with a checkpoint. If a "
        "long step is under way, it stops without one, and the next start replays the later events. A second SIGINT "
        "stops it at once; the next start recovers.\n\nA recording holds the configuration of its engine, networks "
        "included. Without --config the engine continues with this configuration. The sections that belong to the "
        "process have their defaults: [recording], [ingest], [updates], [control], [clients] and [security]. A "
        "--config file with only these sections changes them.\n\nExit codes: 0 stopped by a signal; 1 failed; 2 wrong "
        "use or a bad configuration.\n"
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
                     "endpoint where the engine tells whether it is busy; fairstream send waits while the engine is "
                     "busy [if --ingest is not given: " +
                         config::WireOptions{}.control + "]")
        ->type_name("ENDPOINT");
    add_number(*command, "--batch", options.batch, std::int64_t{1}, std::int64_t{1} << 24,
               "points per message [1024, or a tenth of --rate]");
    add_number(*command, "--rate", options.rate, 0.001, 1e12, "limit of points per second [no limit]");
    command
        ->add_option("--name", options.name,
                     "name of this producer; only one process at a time may use it [a new name]")
        ->type_name("NAME");
    add_number(*command, "--timeout", options.timeout, least_timeout, longest_timeout,
               "seconds to wait for an engine that does not answer and is not busy [10]");
    command->add_flag("--json", options.json, "print the statistics as JSON");
    add_input(*command, options.input);
    command
        ->add_option(
            "--outcomes", options.outcomes,
            "CSV file of ids (--id) and outcomes (--target) of points that were sent before, instead of points")
        ->type_name("FILE")
        ->excludes("--input")
        ->excludes("--generate")
        ->group("Points");
    command
        ->add_option(
            "--event", options.input.event,
            "column of events: successive rows with the same text are one message, or several of --batch points")
        ->type_name("COL")
        ->needs(command->get_option("--input"))
        ->group("Points");
    describe_input_of_stream(*command);
    // These options also describe the file of outcomes, so they do not need --input.
    for (const char* const option :
         {"--id", "--target", "--bad-rows", "--bad-rows-to", "--decimal-mark", "--missing-text"})
        command->get_option(option)->remove_needs(command->get_option("--input"));
    command
        ->add_option("--time", options.input.time,
                     "column of event times: ISO 8601 (UTC without an offset) or numbers since 1970 [now]")
        ->type_name("COL")
        ->needs(command->get_option("--input"))
        ->group("Points");
    command
        ->add_option("--time-unit", options.input.time_unit,
                     "unit of times that are numbers: s, ms, us or ns [s below 10^11, otherwise us]")
        ->type_name("UNIT")
        ->needs("--time")
        ->group("Points");
    command
        ->add_flag("--future-times", options.future_times,
                   "also send points whose times make the engine forget retained points. These are times more than a "
                   "day (or max_age of the window, if shorter) ahead of this machine's clock, up to the engine's "
                   "ahead_at_most (\"any\": all times); and the present time, if the retained points are older than "
                   "max_age. The engine then forgets all points that are max_age older than the latest time")
        ->group("Points");
    add_keys(*command, options.keys);
    command->footer(
        "\nGroup columns have the names of the engine's attributes unless --group names others. Feature columns have "
        "the names of the engine's stream, if it has names, unless --features names others. Names of the engine may be "
        "given in any order; other names are matched by position. Values are sent as they are. [prepare] in the "
        "engine's configuration scales them, and says which columns are categories and which values may be missing (an "
        "empty cell, NA, N/A, NaN, nan, null, ? or -).\n\nA message has the latest --time of its points. A point whose "
        "id was sent before replaces the earlier point and its outcome; send the outcome again after it. Rows of a "
        "pipe are sent in groups of 1,024, or after half a second without a new row.\n\nAt its end the command reports "
        "the missing values that the engine fills in, the cells that are no known group or level, and the rows that "
        "were left out. A row that cannot be used stops the command. The error says how many such rows there are, and "
        "what accepts them: a setting of the configuration, --missing drop, or --bad-rows N.\n" +
        generators_help() +
        "\nExit codes: 0 everything is on disk; 1 stopped, refused, no answer, or failed; 2 wrong use or bad input.\n"
        "\nExample:\n"
        "  fairstream send --generate loans --points 200000 --rate 20000\n"
        "  fairstream send --input people.csv --id key --missing age,hours=drop --bad-rows 10\n"
        "  fairstream send --outcomes repaid.csv --id key --target repaid\n"
        "  fairstream send --ingest tcp://127.0.0.1:7400 --input adult.csv.gz --features age,hours_per_week \\\n"
        "      --standardise");
}

void add_watch(CLI::App& app, Run& run) {
    auto [command, options] = add_command<WatchOptions>(
        app, "watch", "Follow the labels or scores of a model and their fairness", run_watch, run);
    command->add_option("--model", options.model, "name of the model [the engine's only model]")->type_name("NAME");
    command
        ->add_option("--labels", options.labels,
                     "write labels or scores at the end; the columns are id and the model's name")
        ->type_name("OUT.csv");
    command
        ->add_option("--probabilities", options.rows.path,
                     "follow the probabilities of clusters instead of labels, and write them at the end: id,p0,p1,..., "
                     "exact to 0.01 (lord)")
        ->type_name("OUT.csv")
        ->excludes("--labels");
    command->add_flag("--json", options.json, "print JSON lines instead of a live table; the default in a pipe");
    add_endpoint(*command, "--updates", options.updates, "endpoint where the engine publishes");
    add_endpoint(*command, "--control", options.control, "endpoint where the engine answers requests");
    add_number(*command, "--until-sequence", options.until_sequence, std::uint64_t{0}, no_upper_limit,
               "number of an event: end as soon as the view is exact as of this event or a later one");
    add_number(*command, "--timeout", options.timeout, 0.0, 1e9, "seconds without news after which to give up [never]");
    command->add_flag("--reconnect", options.reconnect, "wait for the next start when the engine stops");
    add_keys(*command, options.keys);
    command->footer(
        "\nThe range of a small plot is printed after it. The range is at least a tenth of the value, and at least .02 "
        "for shares and distances, so that noise looks flat.\n" +
        figures::drift_help() +
        "\nExit codes: 0 ended by a signal or --until-sequence; 1 gave up after --timeout, or failed; 2 wrong use; 3 "
        "the engine stopped or no longer answers.\n"
        "\nExample:\n"
        "  fairstream watch --model fair\n"
        "  fairstream watch --updates tcp://127.0.0.1:7401 --control tcp://127.0.0.1:7402 --model fair");
}

void add_set(CLI::App& app, Run& run) {
    auto [command, options] =
        add_command<SetOptions>(app, "set", "Change an option of a model while its engine runs", run_set, run);
    command
        ->add_option("settings", options.settings,
                     "option of a model and its new value, such as fair.balance_at_least=0.5; repeatable")
        ->type_name("MODEL.KEY=VALUE")
        ->required();
    add_endpoint(*command, "--control", options.control, "endpoint where the engine answers requests");
    add_number(*command, "--timeout", options.timeout, least_timeout, longest_timeout,
               "seconds to wait for an answer [5]");
    command->add_flag("--json", options.json, "print a line of JSON for each change");
    add_keys(*command, options.keys);
    command->footer(
        "\nThe change is recorded as an event, like a batch of points. fairstream status lists the options that may "
        "change.\n"
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
               "limit of rounds of improvement; 0: until nothing improves [0]");
    add_endpoint(*command, "--control", options.control, "endpoint where the engine answers requests");
    add_number(*command, "--timeout", options.timeout, least_timeout, longest_timeout,
               "seconds to wait for an answer [600]");
    command->add_flag("--json", options.json, "print one JSON object");
    add_keys(*command, options.keys);
    command->footer(
        "\nAn engine improves its models a little with each batch of points. A refinement continues until nothing "
        "improves, as fairstream fit does at its end. It consists of turns, each limited by the engine's "
        "step_work_limit; arriving points wait for at most one turn. Each turn is recorded as an event, and fairstream "
        "status shows how far the refinement is. Ctrl-C stops waiting and asks for no further turn. The engine refuses "
        "a refinement if the model has none, or if its estimated work exceeds event_work_limit.\n\nExit codes: 0 "
        "refined; 1 no answer, or failed; 2 wrong use or refused; 130 Ctrl-C ended the wait.\n"
        "\nExample:\n"
        "  fairstream refine fair\n"
        "  fairstream refine fair --rounds 20 --control tcp://127.0.0.1:7402 --json");
}

void add_producers(CLI::App& app, Run& run) {
    auto [command, options] = add_command<ProducersOptions>(
        app, "producers", "List the producers that an engine knows, or forget one", run_producers, run);
    command
        ->add_option("--forget", options.forget,
                     "producer to forget; if it returns, it needs a higher epoch, so that no event counts twice. A new "
                     "start takes its epoch from the clock")
        ->type_name("NAME");
    add_endpoint(*command, "--control", options.control, "endpoint where the engine answers requests");
    add_number(*command, "--timeout", options.timeout, least_timeout, longest_timeout,
               "seconds to wait for an answer [5]");
    command->add_flag("--json", options.json, "print a line of JSON for each producer");
    add_keys(*command, options.keys);
    command->footer(
        "\nEach producer belongs to a client. With keys the client is \"key:KEY\", or \"name:NAME\" if [security] "
        "binds the key to a name. Without keys it is \"user:ID\", a user of this machine at an ipc endpoint, or "
        "\"loopback\", all programs that use tcp. [clients] in the configuration limits the producers of a client. "
        "With keys only a controller may use this command.\n"
        "\nExit codes: 0 done; 1 no answer, or failed; 2 wrong use, or refused.\n"
        "\nExample:\n"
        "  fairstream producers\n"
        "  fairstream producers --forget \"loan desk\" --control tcp://127.0.0.1:7402");
}

namespace {

void add_ids(CLI::App& app, std::filesystem::path& ids) {
    app.add_option("--ids", ids, "file of point ids, one a line; - for standard input")->type_name("FILE")->required();
}

}  // namespace

void add_remove(CLI::App& app, Run& run) {
    auto [command, options] =
        add_command<RemoveOptions>(app, "remove", "Remove points from a running engine", run_remove, run);
    add_ids(*command, options.ids);
    add_endpoint(*command, "--control", options.control, "endpoint where the engine answers requests");
    add_number(*command, "--timeout", options.timeout, least_timeout, longest_timeout,
               "seconds to wait for each answer [60]");
    command->add_flag("--json", options.json, "print one JSON object");
    add_keys(*command, options.keys);
    command->footer(
        "\nThe points leave the window with their groups and outcomes, and every model steps without them at once. A "
        "replay repeats this. What models learned from the points as weights and running means stays until a refit. An "
        "id that is sent again is a new point. The recording keeps the events of the points; fairstream erase writes a "
        "recording without them. With keys only a controller may use this command.\n\nExit codes: 0 removed; 1 no "
        "answer, or failed; 2 wrong use or refused.\n"
        "\nExample:\n"
        "  fairstream remove --ids leaving.txt\n"
        "  fairstream remove --ids - --control tcp://127.0.0.1:7402 < leaving.txt");
}

void add_erase(CLI::App& app, Run& run) {
    auto [command, options] =
        add_command<EraseOptions>(app, "erase", "Write a recording again without some points", run_erase, run);
    command->add_option("recording", options.recording, "recording of an engine that is stopped")
        ->type_name("RECORDING")
        ->required();
    add_ids(*command, options.ids);
    command->add_option("--to", options.to, "new recording; an existing file is not replaced")
        ->type_name("NEW")
        ->required();
    add_number(*command, "--threads", options.threads, 0, most_threads, "number of threads; 0: one for each core [0]");
    command->add_flag("--json", options.json, "print one JSON object");
    command->footer(
        "\nThe new recording is as if these points had never come. Their rows are removed from events, outcomes and "
        "removals, refused messages that name them are emptied, and models run again. Events and producers keep their "
        "numbers, so that an event that is sent again does not count twice. The new recording has its own id and new "
        "hashes; fairstream check shows that points were erased. Subscribers take a new snapshot by themselves. If the "
        "first events of the old recording were deleted, the new recording begins with the older of its two "
        "checkpoints. The points are removed from this checkpoint, but what models had learned from the points before "
        "it stays.\n\nThe old recording, its copies, backups, exports and files of labels or updates still contain the "
        "points. Delete them yourself.\n\nExit codes: 0 written, and nothing in it names the points; 1 a damaged "
        "recording, stopped, or failed; 2 wrong use.\n"
        "\nExample:\n"
        "  fairstream erase loans.fairstream --ids leaving.txt --to loans2.fairstream");
}

void add_status(CLI::App& app, Run& run) {
    auto [command, options] = add_command<StatusOptions>(
        app, "status", "Show the state of a running engine: models, figures, options", run_status, run);
    add_endpoint(*command, "--control", options.control, "endpoint where the engine answers requests");
    CLI::Option* const json = command->add_flag("--json", options.json, "print one JSON object");
    command->add_flag("--watch", options.watch, "show the state again every second until Ctrl-C; needs a terminal")
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

namespace {

/// Adds the recording to read, and the files of its events.
void add_event_files(CLI::App& app, EventFiles& files) {
    app.add_option("recording", files.recording, "file that fairstream serve recorded to")
        ->type_name("RECORDING")
        ->required();
    app.add_option("--points", files.points,
                   "write the points, one a row; -: standard output [-, unless only --save-config is given]")
        ->type_name("OUT.csv|-");
    app.add_option("--events", files.events,
                   "write the other events, such as changes of options, refinements and outcomes")
        ->type_name("OUT.csv|-");
    app.add_option("--outcomes", files.outcomes,
                   "write the outcomes that came after their points, as send --outcomes reads them")
        ->type_name("OUT.csv|-");
    app.add_option("--save-config", files.save_config,
                   "write the configuration at the start of the recording, for serve and replay")
        ->type_name("OUT.toml|-");
}

}  // namespace

void add_export(CLI::App& app, Run& run) {
    auto [command, options] = add_command<ExportOptions>(
        app, "export", "Write the events of a recording as CSV, and its configuration", run_export, run);
    add_event_files(*command, options);
    add_number(*command, "--from", options.from, std::uint64_t{1}, no_upper_limit,
               "number of the first event [the oldest kept]");
    add_number(*command, "--to", options.to, std::uint64_t{1}, no_upper_limit, "number of the last event [the newest]");
    command->add_flag("--leave-out-ahead", options.leave_out_ahead,
                      "leave out points whose event times are more than a day (or max_age of the window, if shorter) "
                      "ahead of this machine's clock. A new recording made from the rest accepts current points again");
    command->footer(
        event_files_help() +
        "\nExit codes: 0 written; 1 a damaged recording (see fairstream salvage), or failed; 2 wrong use or "
        "no recording.\n"
        "\nExample:\n"
        "  fairstream export loans.fairstream > points.csv\n"
        "  fairstream export loans.fairstream --points points.csv --events changes.csv --from 100\n"
        "  fairstream export loans.fairstream --save-config loans_again.toml\n"
        "  fairstream export loans.fairstream --leave-out-ahead --points points.csv");
}

void add_salvage(CLI::App& app, Run& run) {
    auto [command, options] = add_command<SalvageOptions>(
        app, "salvage", "Write the readable events of a damaged recording as CSV", run_salvage, run);
    add_event_files(*command, options);
    command
        ->add_option("--config", options.config,
                     "configuration that the recording was served with, if its own is damaged")
        ->type_name("FILE");
    command->add_flag("--json", options.json, "print the numbers of written and lost events as JSON");
    command->footer(
        "\nThe recording stays as it is. An event is written if its row can be read and has the right checksum. The "
        "other events are lost, and named on stderr. The files have the columns of fairstream export. To continue, "
        "write the configuration too, begin a new recording with it, and send the points and outcomes again.\n"
        "\nExit codes: 0 written; 1 no event can be read, or failed; 2 wrong use or no recording.\n"
        "\nExample:\n"
        "  fairstream salvage loans.fairstream > points.csv\n"
        "  fairstream salvage loans.fairstream --outcomes outcomes.csv --save-config again.toml > points.csv");
}

void add_replay(CLI::App& app, Run& run) {
    auto [command, options] = add_command<ReplayOptions>(
        app, "replay", "Run a recording again, with its own or another configuration", run_replay, run);
    command->add_option("recording", options.recording, "file that fairstream serve recorded to")
        ->type_name("RECORDING")
        ->required();
    command->add_flag("--verify", options.verify,
                      "fail unless the updates equal the published ones, as far as the recording holds their digests");
    command->add_option("--config", options.config, "another configuration for the same stream [the recorded one]")
        ->type_name("FILE");
    command->add_flag("--compare", options.compare, "run the recorded configuration too, and show both side by side");
    command->add_flag(
        "--without-changes", options.without_changes,
        "leave out the recorded changes of options; with --compare, only in the run of the other configuration");
    command->add_option("--labels", options.labels, "write the labels or scores of the retained points")
        ->type_name("OUT.csv");
    command->add_flag("--json", options.json, "print the report as JSON");
    command->add_option("--updates-to", options.updates, "write every update, byte for byte as it is published")
        ->type_name("OUT.bin");
    add_number(*command, "--speed", options.speed, 1e-6, 1e9,
               "pace of the replay, as a multiple of the recorded pace [as fast as possible]");
    add_number(*command, "--threads", options.threads, 0, most_threads,
               "number of threads; 0: one for each core. The digest does not depend on it [0]");
    command->footer(
        "\nA recording has a digest of the updates of each event: their labels, scores and outcomes, but no figures. "
        "--verify compares these digests. Recordings of older versions have none. If old events were deleted "
        "(keep_events, keep_for, keep_bytes), the replay begins with the older checkpoint, and only the recorded "
        "configuration can be run.\n\nChanges by fairstream set are recorded. A replay repeats them at the same event, "
        "also with another configuration.\n" +
        figures::drift_help() +
        "\nExit codes: 0 done; 1 a damaged recording, stopped, or failed, or with --verify updates that differ or are "
        "not recorded; 2 wrong use or no recording.\n"
        "\nExample:\n"
        "  fairstream replay loans.fairstream --verify\n"
        "  fairstream replay loans.fairstream --config other.toml --compare");
}

namespace {

/// Adds the input options of a command that asks about points. Such points have no targets, no weights and no scaling
/// of their own.
void add_question_input(CLI::App& app, files::InputOptions& input) {
    add_input(app, input);
    for (const char* const option : {"--positive", "--target", "--weight", "--standardise", "--unit-range"})
        app.remove_option(app.get_option(option));
    app.get_option("--group")->description("columns of protected attributes [the stream's names]");
    app.get_option("--unit-rows")->description("scale each point to length 1");
    describe_input_of_stream(app);
    app.get_option("--id")->description("column of the points' ids, which may be any text [the row's number, from 0]");
}

}  // namespace

void add_predict(CLI::App& app, Run& run) {
    auto [command, options] = add_command<PredictOptions>(
        app, "predict", "Label or score the points of a file with a fitted, recorded or running model", run_predict,
        run);
    command
        ->add_option("--by", options.by,
                     "the model to ask: a file written by fairstream fit --save, a recording of an engine, or the "
                     "control endpoint of a running engine, such as tcp://127.0.0.1:7402")
        ->type_name("MODEL|ENDPOINT")
        ->required();
    command->add_option("--labels", options.labels, "write id,label of each point, in the order of the file")
        ->type_name("OUT.csv");
    command
        ->add_option("--scores", options.scores,
                     "write id,score or id,prediction of each point, in the order of the file")
        ->type_name("OUT.csv");
    command
        ->add_option("--probabilities", options.rows.path,
                     "write id,p0,p1,...: how probable each cluster is for each point (lord)")
        ->type_name("OUT.csv");
    command->add_option("--model", options.model, "name of the model [the only one]")->type_name("NAME");
    command->add_flag("--nearest", options.nearest,
                      "give each point its nearest cluster, whatever its groups and the targets");
    command->add_flag(
        "--fair", options.fair,
        "fail, instead of giving labels that may miss the targets, if points have no groups or the model has no fair "
        "assignment");
    command->add_option("--report", options.report, "write the report as JSON")->type_name("OUT.json");
    command->add_flag("--json", options.json, "print the report as JSON");
    add_number(*command, "--timeout", options.timeout, least_timeout, longest_timeout,
               "seconds to wait for each answer of a running engine [10]");
    add_number(*command, "--threads", options.threads, 0, most_threads,
               "number of threads that recover a recording; 0: one for each core [0]");
    add_question_input(*command, options.input);
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
    command->add_option("file", options.file, "file for both keys; it must not exist")->type_name("FILE")->required();
    command->footer(
        "\nExample:\n"
        "  fairstream keys engine.keys");
}

void add_check(CLI::App& app, Run& run) {
    auto [command, options] = add_command<CheckOptions>(
        app, "check", "Check whether a configuration or a recording is in order", run_check, run);
    command->add_option("--config", options.config, "configuration to validate")->type_name("FILE");
    command->add_option("recording", options.recording, "recording to verify")->type_name("RECORDING");
    command->add_flag("--json", options.json, "print the findings as JSON");
    command->footer(
        "\nExit codes: 0 in order; 1 a damaged recording, or failed; 2 wrong use, a bad configuration or no "
        "recording.\n"
        "\nExample:\n"
        "  fairstream check --config demos/loans.toml\n"
        "  fairstream check loans.fairstream");
}

}  // namespace fairstream::command
