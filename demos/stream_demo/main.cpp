/// The demo: an engine process, a sender and a subscriber, on one stream, with and without fairness.

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include <fairstream/config/config.hpp>
#include <fairstream/zmq/control_client.hpp>

#include "live.hpp"
#include "outcome.hpp"
#include "processes.hpp"
#include "show.hpp"
#include "stream.hpp"

namespace demo {
namespace {

using namespace fairstream;
using namespace std::chrono_literals;

/// A signal asked to stop.
struct Signalled {
    int signal;
};

class Demo {
public:
    Demo(const Stream& stream, std::filesystem::path recording, const Interrupts& interrupts)
        : stream_(stream),
          interrupts_(interrupts),
          show_(stream),
          recording_(recording.empty() ? files_ / "stream.fairstream" : std::move(recording)),
          engine_(serve(), files_ / "engine.log"),
          control_(control_options()) {}

    void run() {
        wait_for_engine();
        Live live(endpoint("updates"), endpoint("control"));
        while (!live.is_at(0)) step(live);  // so that no figures are missed
        Child sender(send(), files_ / "sender.log", stream_.sends_input ? Child::Input::own : Child::Input::none);
        show_.heading(engine_.pid(), sender.pid());
        const Sequence last = follow(live, sender);
        compare_labels(live);
        stop_engine(last);
        show_.outcomes(replay_each(stream_, recording_, rows_, live, [this] { stop_when_asked(); }));
    }

private:
    [[nodiscard]] std::string endpoint(const char* name) const { return "ipc://" + (files_ / name).string(); }
    [[nodiscard]] zmq::ControlOptions control_options() const {
        zmq::ControlOptions options;
        options.endpoint = endpoint("control");
        options.timeout = 500ms;
        return options;
    }
    [[nodiscard]] static std::string program() {
        return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "fairstream").string();
    }
    [[nodiscard]] std::vector<std::string> serve() const {
        const std::filesystem::path config = files_ / "engine.toml";
        std::ofstream(config) << config::write_config(stream_.engine, stream_.reader);
        return {program(),           "serve",    "--quiet",          "--config",  config.string(),     "--recording",
                recording_.string(), "--ingest", endpoint("ingest"), "--updates", endpoint("updates"), "--control",
                endpoint("control")};
    }
    [[nodiscard]] std::vector<std::string> send() const {
        std::vector<std::string> arguments = {program(), "send", "--json", "--ingest", endpoint("ingest")};
        arguments.insert(arguments.end(), stream_.sender.begin(), stream_.sender.end());
        return arguments;
    }

    void stop_when_asked() const {
        if (const int signal = interrupts_.arrived()) throw Signalled{signal};
    }
    /// Throws when a signal arrived or the engine ended.
    void look_around() {
        stop_when_asked();
        if (engine_.wait(0ms)) throw std::runtime_error(ended("the engine", engine_));
    }
    static std::string ended(const std::string& what, Child& child) {
        const std::string code = std::to_string(child.wait(0ms).value_or(0)), output = child.output();
        return what + " ended with exit code " + code + (output.empty() ? "" : ":\n" + output);
    }
    void wait_for_engine() {
        for (;;) {
            look_around();
            try {
                if (control_.health().ready) return;
            } catch (const zmq::ControlTimeout&) {
            }
        }
    }
    void step(Live& live) {
        look_around();
        live.poll(50ms);
    }

    /// Shows the figures until everything sent has arrived; returns the number of the last event.
    Sequence follow(Live& live, Child& sender) {
        Sequence last = 0;
        while (last == 0 || !live.is_at(last)) {
            step(live);
            show_rows(live);
            if (const auto row = live.newest()) show_.moving_row(*row);
            if (last == 0 && sender.wait(0ms)) last = sent(sender);
        }
        show_rows(live);
        return last;
    }
    static Sequence sent(Child& sender) {
        if (sender.wait(0ms) != 0) throw std::runtime_error(ended("the sender", sender));
        return nlohmann::json::parse(sender.output()).at("last_sequence").get<Sequence>();
    }
    void show_rows(Live& live) {
        const std::uint64_t events = stream_.events(), rows = std::min<std::uint64_t>(stream_rows, events);
        while (rows_.size() < rows) {
            const std::optional<Row> row = live.take(((rows_.size() + 1) * events + rows - 1) / rows);
            if (!row) return;
            rows_.push_back(*row);
            show_.row(*row);
        }
    }

    /// Compares the subscribers' views with the engine's own.
    void compare_labels(const Live& live) {
        for (std::size_t i = 0; i < 2; ++i) {
            const wire::Publication own = control_.snapshot("labels." + stream_.engine.models[i].name);
            const auto& labels = std::get<wire::LabelUpdate>(own.body);
            bool same = labels.ids.size() == live.labels(i).size();
            for (std::size_t j = 0; same && j < labels.ids.size(); ++j)
                same = live.labels(i).find(labels.ids[j]) == labels.outputs[j];
            if (!same) throw std::runtime_error("the subscriber's labels differ from the engine's");
        }
    }
    void stop_engine(Sequence last) {
        if (control_.stop() != last)
            throw std::runtime_error("the engine's newest event is not the last one that the sender sent");
        while (!engine_.wait(100ms)) stop_when_asked();
        if (engine_.wait(0ms) != 0) throw std::runtime_error(ended("the engine", engine_));
    }

    const Stream& stream_;
    const Interrupts& interrupts_;
    TemporaryDirectory files_;
    Show show_;
    std::filesystem::path recording_;
    Child engine_;
    zmq::ControlClient control_;
    std::vector<Row> rows_;
};

struct Arguments {
    StreamOptions stream;
    std::filesystem::path recording;
};

/// Plainer help than CLI11's: the first column shows an option with its argument, the second its text.
class HelpFormatter : public CLI::Formatter {
public:
    std::string make_option_opts(const CLI::Option* option) const override { return " " + option->get_type_name(); }
};

CLI::Validator within(double low, double high) {
    return CLI::Range(low, high).description("");
}

void add_options(CLI::App& app, Arguments& arguments) {
    StreamOptions& stream = arguments.stream;
    auto* data = app.add_option(
        "--data", stream.data,
        "file to stream, in a format of fairstream fit --input; - for standard input. Numbers are standardised");
    data->type_name("FILE");
    const auto hand_on = [&](const char* name, const char* help) {
        const auto keep = [&stream, name](const std::vector<std::string>& texts) {
            for (const std::string& text : texts) stream.reading.insert(stream.reading.end(), {name, text});
        };
        return app.add_option_function<std::vector<std::string>>(name, keep, help)
            ->type_name("COL,...")
            ->allow_extra_args(false)
            ->needs(data);
    };
    data->needs(hand_on("--group", "columns of protected attributes; the first is balanced"));
    hand_on("--features", "feature columns [every column that no other option names]");
    app.add_option("--points", stream.points, "number of made-up loan applicants without --data [200000]")
        ->type_name("N")
        ->check(within(100, 1e8))
        ->excludes(data);
    app.add_option("--seed", stream.seed, "seed of the made-up applicants [1]")->type_name("N")->excludes(data);
    app.add_option("--clusters", stream.clusters, "number of clusters [8]")->type_name("K")->check(within(1, 1000));
    app.add_option("--balance", stream.balance,
                   "balance target of the fair model [0.8 times the balance of all points]")
        ->type_name("X")
        ->check(within(0.001, 1));
    app.add_option("--window", stream.window, "number of points retained [20000]")
        ->type_name("N")
        ->check(within(1, 1e7));
    app.add_option("--rate", stream.rate, "points per second; 0: as fast as the engine takes them [all points in 12 s]")
        ->type_name("X")
        ->check(within(0, 1e12));
    app.add_option("--recording", arguments.recording,
                   "file in which to keep the recording; it must not exist [not kept]")
        ->type_name("FILE");
}

/// Parses the command line; nothing if the program is to end with `exit_code`.
std::optional<Arguments> parse(int count, char** values, int& exit_code) {
    Arguments arguments;
    CLI::App app(
        "Shows online k-means and SAfairKM side by side on one stream, with an engine, a sender and a subscriber.",
        "./dev demo");
    app.formatter(std::make_shared<HelpFormatter>());
    add_options(app, arguments);
    app.footer(
        "\nOptions of fairstream fit for reading a file work too: --id, --categorical, --missing, --dates, "
        "--date-order,\n--leave-out, --unknown-group, --groups-at-most, --weight, --bad-rows and others.\n"
        "\nExample:\n"
        "  ./dev demo --data adult.csv.gz --features age,hours_per_week --group sex --clusters 5\n"
        "  ./dev demo --data people.csv --group sex --id key --categorical onehot --missing mean");
    app.allow_extras();
    try {
        app.parse(count, values);
        const std::vector<std::string> others = app.remaining();
        if (!others.empty() && arguments.stream.data.empty()) throw CLI::ExtrasError(others);
        arguments.stream.reading.insert(arguments.stream.reading.end(), others.begin(), others.end());
        return arguments;
    } catch (const CLI::ParseError& error) {
        exit_code = app.exit(error) == 0 ? 0 : 2;
        return std::nullopt;
    }
}

int run(int count, char** values) {
    int exit_code = 0;
    const std::optional<Arguments> arguments = parse(count, values, exit_code);
    if (!arguments) return exit_code;
    std::signal(SIGPIPE, SIG_IGN);  // printing notices a closed pipe
    if (std::filesystem::exists(arguments->recording))
        throw InvalidInput(Reason::bad_option,
                           "--recording " + arguments->recording.string() + ": exists already; name another file");
    const Stream stream = [&] {
        try {
            return make_stream(arguments->stream);
        } catch (const CLI::ParseError& error) {  // from options passed on
            throw InvalidInput(Reason::bad_option, error.what());
        }
    }();
    const Interrupts interrupts;
    Demo(stream, arguments->recording, interrupts).run();
    if (!arguments->recording.empty()) std::printf("\nNow: fairstream replay %s\n", arguments->recording.c_str());
    return 0;
}

}  // namespace
}  // namespace demo

int main(int count, char** values) {
    try {
        return demo::run(count, values);
    } catch (const demo::Signalled& signalled) {
        std::fputs("\n", stderr);
        return 128 + signalled.signal;
    } catch (const fairstream::InvalidInput& error) {
        std::fprintf(stderr, "demo: %s\n", error.what());
        return 2;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "demo: %s\n", error.what());
        return 1;
    }
}
