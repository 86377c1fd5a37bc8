#pragma once
/// An engine process of a test, on sockets in a directory of its own.

#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "command.hpp"

namespace fairstream::command {

/// Six features and two attributes, as of the generated applicants; small, so that tests are quick.
inline std::string applicants_stream(bool targets = false, int capacity = 2000) {
    return std::string("[stream]\ndimensions = 6\n") + (targets ? "targets = true\n" : "") + R"([[stream.attribute]]
name = "sex"
groups = ["female", "male"]
[[stream.attribute]]
name = "age_band"
groups = ["under_30", "30_to_54", "55_plus"]
[window]
capacity = )" +
           std::to_string(capacity) + "\n";
}

inline const std::string& applicants_config() {
    static const std::string text = applicants_stream() + R"([[model]]
name = "fair"
kind = "safairkm"
[model.options]
clusters = 4
balance_at_least = 0.4
[[model]]
name = "plain"
kind = "safairkm"
[model.options]
clusters = 4
swaps = 0
[recording]
checkpoint_events = 16
)";
    return text;
}

/// The same, for an engine that takes in events of any length.
inline std::string patient_config() {
    return "event_work_limit = 1000000000000000000\nstep_work_limit = 1000000000000000000\n" + applicants_config();
}

/// A directory with a configuration, a recording, and the endpoints of their engine.
class Site {
public:
    explicit Site(const std::string& config = applicants_config(), std::string run_by = program())
        : program_(std::move(run_by)), config_(directory_.write("config.toml", config)) {}

    [[nodiscard]] std::string file(std::string_view name) const { return (directory_ / name).string(); }
    [[nodiscard]] std::string config() const { return config_.string(); }
    [[nodiscard]] std::string recording() const { return file("stream.fairstream"); }
    [[nodiscard]] std::string endpoint(const std::string& name) const { return "ipc://" + file(name); }
    [[nodiscard]] const test::TemporaryDirectory& directory() const noexcept { return directory_; }

    [[nodiscard]] std::vector<std::string> serve_arguments(std::vector<std::string> more = {}) const {
        more.insert(more.begin(), {program_, "serve", "--config", config(), "--recording", recording(), "--ingest",
                                   endpoint("ingest"), "--updates", endpoint("updates"), "--control",
                                   endpoint("control"), "--threads", "1"});
        return more;
    }
    [[nodiscard]] std::vector<std::string> watch_arguments(const std::string& model,
                                                           std::vector<std::string> more = {}) const {
        more.insert(more.begin(), {program_, "watch", "--updates", endpoint("updates"), "--control",
                                   endpoint("control"), "--model", model, "--timeout", "60"});
        return more;
    }
    [[nodiscard]] std::vector<std::string> send_arguments(std::vector<std::string> more = {}) const {
        more.insert(more.begin(), {program_, "send", "--ingest", endpoint("ingest"), "--timeout", "60", "--json"});
        return more;
    }
    /// Returns whether the engine reports this activity.
    [[nodiscard]] bool is_at_work(const std::string& activity) const {
        return test::run({program_, "status", "--control", endpoint("control"), "--timeout", "1"}).out.find(activity) !=
               std::string::npos;
    }
    /// Asks a running engine to end, and expects an orderly end.
    static void stop(test::Process& engine) {
        engine.signal(SIGTERM);
        const test::Finished finished = engine.wait();
        EXPECT_EQ(finished.exit_code, 0) << finished.err;
    }
    /// Makes the recording: `points` applicants sent in batches to an engine that ends in order.
    void record(int points, int batch) const {
        test::Process engine(serve_arguments());
        const test::Finished sent = test::run(send_arguments(
            {"--generate", "loans", "--points", std::to_string(points), "--batch", std::to_string(batch)}));
        EXPECT_EQ(sent.exit_code, 0) << sent.err;
        stop(engine);
    }

private:
    std::string program_;
    test::TemporaryDirectory directory_;
    std::filesystem::path config_;
};

}  // namespace fairstream::command
