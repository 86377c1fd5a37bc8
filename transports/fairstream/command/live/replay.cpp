#include <fairstream/command/live/replay.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include <fairstream/command/console/clock.hpp>
#include <fairstream/command/console/output.hpp>
#include <fairstream/command/console/stop_signals.hpp>
#include <fairstream/command/console/terminal.hpp>
#include <fairstream/command/live/replay_report.hpp>
#include <fairstream/config/config.hpp>
#include <fairstream/options.hpp>

namespace fairstream::command {
namespace {

/// Writes each update as its length, 8 bytes little-endian, and its bytes.
class UpdateFile {
public:
    explicit UpdateFile(const std::filesystem::path& path)
        : path_(path), file_(std::fopen(path.c_str(), "wb"), std::fclose) {
        if (!file_) fail();
    }
    void write(std::span<const std::byte> message) {
        std::array<std::byte, 8> length;
        for (std::size_t i = 0; i < length.size(); ++i) length[i] = static_cast<std::byte>(message.size() >> (8 * i));
        put(length);
        put(message);
    }
    void close() {
        if (std::fclose(file_.release()) != 0) fail();
    }

private:
    void put(std::span<const std::byte> bytes) {
        if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size()) fail();
    }
    [[noreturn]] void fail() const { throw std::system_error(errno, std::generic_category(), path_.string()); }

    std::filesystem::path path_;
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

/// Delays events to the pace of their times, `speed` times as fast. Events without a time do not wait.
class Pace {
public:
    explicit Pace(std::optional<double> speed) : speed_(speed) {}
    void wait(std::int64_t event_time, const StopSignals& signals) {
        if (!speed_ || event_time == 0) return;
        if (first_time_ == 0) first_time_ = event_time, start_ = Clock::now();
        const std::chrono::duration<double, std::micro> after(static_cast<double>(event_time - first_time_) / *speed_);
        const auto due = start_ + std::chrono::duration_cast<Clock::duration>(after);
        // The pace is this wait, in pieces so that a signal ends it soon.
        constexpr std::chrono::milliseconds patience{50};
        for (auto now = Clock::now(); now < due && !signals.requested(); now = Clock::now()) {
            std::this_thread::sleep_for(std::min<Clock::duration>(patience, due - now));
        }
    }

private:
    std::optional<double> speed_;
    std::int64_t first_time_ = 0;
    Clock::time_point start_;
};

void write_labels(const std::filesystem::path& path, const Engine& engine) {
    const Window& window = engine.window();
    std::vector<Slot> slots(window.size());
    for (Slot slot = 0; slot < window.size(); ++slot) slots[slot] = slot;
    std::sort(slots.begin(), slots.end(), [&](Slot a, Slot b) { return window.id(a) < window.id(b); });
    std::vector<ModelSetup> models = engine.options().models;
    std::erase_if(models, [](const ModelSetup& model) { return !gives_outputs(model.options); });
    std::string text = "id";
    for (const ModelSetup& model : models) text += "," + model.name;
    text += "\n";
    for (const Slot slot : slots) {
        text += std::to_string(window.id(slot));
        for (const ModelSetup& model : models)
            text += "," + (gives_numbers(model.options) ? score_text(engine.scores(model.name)[slot])
                                                        : std::to_string(engine.labels(model.name)[slot]));
        text += "\n";
    }
    write_file(path, text);
}

/// Runs a replay, with all files to be written from it.
replay::Run play(const ReplayOptions& options, const recording::Recording& recording, const EngineOptions& engine,
                 const std::string& what, bool write, const StopSignals& signals) {
    Progress progress("replaying " + what);
    Pace pace(options.speed);
    std::optional<UpdateFile> file;
    replay::Hooks hooks;
    hooks.before = [&](std::int64_t event_time) {
        pace.wait(event_time, signals);
        if (signals.requested()) throw std::runtime_error("stopped");
        return true;
    };
    hooks.after = [&](Sequence done, Sequence last, std::uint64_t points) {
        progress.show(static_cast<double>(done) / static_cast<double>(last),
                      counted(static_cast<std::int64_t>(points)) + " points");
    };
    if (write && !options.updates.empty()) {
        file.emplace(options.updates);
        hooks.update = [&](std::span<const std::byte> message) { file->write(message); };
    }
    if (write && !options.labels.empty()) hooks.end = [&](const Engine& last) { write_labels(options.labels, last); };
    replay::Run run = replay::run(recording, engine, {.threads = options.threads}, hooks);
    if (file) file->close();
    return run;
}

}  // namespace

int run_replay(const ReplayOptions& options) {
    if (options.compare && options.config.empty())
        throw InvalidInput(Reason::bad_option, "--compare needs the other configuration: --config FILE");
    check_outputs({{"--labels", options.labels}, {"--updates", options.updates}}, {options.recording, options.config});
    StopSignals signals;
    std::optional<EngineOptions> other;
    if (!options.config.empty()) other = config::load(options.config).engine;
    const auto recording = open_for_reading(options.recording);
    const auto handler = signals.poll_for_stop();
    ReplayReport report{.recording = options.recording.string(), .recorded_level = recording.cpu_level(), .runs = {}};
    if (!other || options.compare) {
        report.runs.push_back({"recorded", play(options, recording, replay::recorded_options(recording), "as recorded",
                                                !other, signals)});
    }
    if (other)
        report.runs.push_back({options.config.stem().string(),
                               play(options, recording, *other, "with " + options.config.string(), true, signals)});
    print(options.json ? replay_json(report) : replay_summary(report));
    return 0;
}

}  // namespace fairstream::command
