/// Runs all five systems on one window of one stream, recorded, and replays the recording on 1, 2 and 4 threads: every
/// replay publishes the same bytes.
///
///     five_systems                       # the recording is removed at the end
///     five_systems decisions.fairstream  # the recording stays: `fairstream replay decisions.fairstream`

#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fairstream/base/hexadecimal.hpp>
#include <fairstream/config/config.hpp>
#include <fairstream/generate/generator.hpp>
#include <fairstream/log/open/open.hpp>
#include <fairstream/options.hpp>
#include <fairstream/replay/run.hpp>
#include <fairstream/service/service.hpp>

#include "screen.hpp"

namespace {

using namespace fairstream;
using demo::figure, demo::padded;

constexpr std::size_t batch_size = 500, points_sent = 10'000;
constexpr Slot capacity = 2'000;

/// Loan applicants, with the lender's decision as the target, and the models.
EngineOptions engine_options() {
    EngineOptions options;
    options.format = generate::Generator("loan_decisions", 1).format();
    options.window.capacity = capacity;
    for (const char* const kind : {"safairkm", "fair_spectral", "lord", "partial_fair_scorer", "esvd_fair"})
        options.models.push_back({kind, default_options(kind), {}});
    for (std::size_t clusters = 0; clusters < 3; ++clusters)
        set_option(options.models[clusters].options, "clusters", "6");
    return options;
}

/// Records the stream, as an engine process records the events of producers.
void record(const std::filesystem::path& path) {
    const EngineOptions options = engine_options();
    service::Service service(log::create(path, config::write_toml(options)), options);
    generate::Generator applicants("loan_decisions", 1, points_sent);
    wire::Encoder encoder;
    PointColumns points;
    for (std::uint64_t number = 1; applicants.next(batch_size, points) > 0; ++number) {
        service.handle_ingest("demo", wire::write(wire::EventMessage{"demo", 1, number, points.view()}, encoder));
        service.commit();
    }
    service.finish();
}

std::string short_text(double value) {
    std::array<char, 32> text;
    return {text.data(), static_cast<std::size_t>(std::snprintf(text.data(), text.size(), "%.3g", value))};
}

std::string fairness_of(const wire::FairnessReport& report) {
    if (const ScoreFairness* scores = report.scores())
        return "statistical parity gap " + figure(scores->sp) + ", accuracy " + figure(scores->accuracy);
    if (const PredictionFairness* predictions = report.predictions())
        return "KS distance of groups " + figure(predictions->ks) + " (" + figure(predictions->ks_by_chance) +
               " by chance), squared error " + figure(*predictions->mse);
    return "balance of " + report.attributes()[0].attribute + " " + figure(report.attributes()[0].balance) + ", cost " +
           short_text(report.cost);
}

int run(const std::filesystem::path& path) {
    record(path);
    const auto recording = log::open_read_only(path);
    std::string digest;
    for (const int threads : {1, 2, 4}) {
        const replay::Run run = replay::run(*recording, replay::recorded_options(*recording), {.threads = threads}, {});
        if (threads == 1) {
            digest = hexadecimal(run.digest);
            std::printf("%s applicants, the newest %s retained:\n", demo::counted(points_sent).c_str(),
                        demo::counted(capacity).c_str());
            for (const replay::ModelRun& model : run.models)
                std::printf("  %s%s\n", padded(model.name, -22).c_str(),
                            fairness_of(model.samples.back().figures).c_str());
        }
        std::printf("threads: %d   publications: %s   digest of their bytes: %s%s\n", threads,
                    demo::counted(run.updates).c_str(), hexadecimal(run.digest).c_str(),
                    hexadecimal(run.digest) == digest ? "" : "   DIFFERENT");
        if (hexadecimal(run.digest) != digest) return 1;
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    const bool keeps = argc == 2;
    const std::filesystem::path path =
        keeps ? argv[1]
              : std::filesystem::temp_directory_path() / ("five_systems." + std::to_string(::getpid()) + ".fairstream");
    int result = 2;
    try {
        result = run(path);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "five_systems: %s\n", error.what());
    }
    if (!keeps)
        for (const char* const ending : {"", "-wal", "-shm"}) {
            std::error_code ignored;
            std::filesystem::remove(path.string() + ending, ignored);
        }
    return result;
}
