#include <cstdio>
#include <limits>
#include <utility>

#include <fairstream/command/console/note.hpp>
#include <fairstream/command/console/terminal.hpp>
#include <fairstream/command/live/open_recording.hpp>
#include <fairstream/command/predict/asked_engine.hpp>
#include <fairstream/command/predict/outlying_columns.hpp>
#include <fairstream/engine.hpp>
#include <fairstream/models/model_kind.hpp>
#include <fairstream/replay/run.hpp>
#include <fairstream/service/recorded_events.hpp>
#include <fairstream/text/numbers.hpp>

namespace fairstream::command {
namespace {

/// Returns the engine of the newest checkpoint, or a new one when the recording has none.
Engine checkpointed_engine(const log::Log& recording, int threads) {
    const EngineOptions options = replay::recorded_options(recording);
    const auto checkpoint = recording.newest_checkpoint();
    if (!checkpoint) return Engine(options, threads);
    try {
        return Engine::load(options, checkpoint->state, threads);
    } catch (const InvalidInput& error) {
        throw log::RecordingError(recording.name() + ": the checkpoint of event " +
                                  std::to_string(checkpoint->sequence) + " cannot be loaded: " + error.what());
    }
}

/// Takes in the events after the checkpoint.
void catch_up(const log::Log& recording, Engine& engine) {
    const Sequence last = recording.last_sequence();
    if (engine.sequence() >= last) return;
    if (recording.cpu_level() != cpu_level())
        print_note("events after " + std::to_string(engine.sequence()) + " were taken in at CPU level " +
                   recording.cpu_level() + "; this machine's is " + std::string(cpu_level()) +
                   ", so a few labels may differ");
    Progress progress("recovering " + std::filesystem::path(recording.name()).filename().string());
    service::replay_events(recording, engine, 0, [&](const service::Replayed& replayed) {
        progress.show(static_cast<double>(replayed.event.sequence) / static_cast<double>(last),
                      "event " + counted(static_cast<std::int64_t>(replayed.event.sequence)));
    });
}

class RecordedEngine final : public AskedEngine {
public:
    RecordedEngine(Engine engine, files::ReaderSettings reader_settings, bool is_saved_fit)
        : engine_(std::move(engine)),
          reader_settings_(std::move(reader_settings)),
          is_saved_fit_(is_saved_fit),
          outlying_columns_(engine_) {
        for (const ModelSetup& model : engine_.options().models)
            models_.push_back({model.name, engine_.current_options(model.name)});
    }

    const StreamFormat& format() const override { return engine_.options().format; }
    const files::ReaderSettings& reader_settings() const override { return reader_settings_; }
    const std::vector<AskedModel>& models() const override { return models_; }
    bool is_saved_fit() const override { return is_saved_fit_; }
    Sequence sequence() override { return engine_.sequence(); }
    std::uint64_t retained_points() override { return engine_.window().size(); }

    void note(ConstRows rows) override { outlying_columns_.add(engine_, rows); }
    std::vector<std::string> warnings() const override { return outlying_columns_.warnings(); }
    std::vector<ClusterId> assign(const std::string& model, ConstRows rows) override {
        std::vector<ClusterId> labels(points_in(rows));
        engine_.assign(model, rows, labels);
        return labels;
    }
    std::vector<ClusterId> assign_fair(const std::string& model, ConstRows rows,
                                       std::span<const GroupId> groups) override {
        std::vector<ClusterId> labels(points_in(rows));
        engine_.assign_fair(model, rows, groups, labels);
        return labels;
    }
    std::size_t most_bytes_at_once() const override { return std::numeric_limits<std::size_t>::max(); }
    Retained retained(const std::string& model) override {
        const FairnessTally labelled = engine_.report(model).tally();
        const double unit = engine_.window().weight_unit();
        return {group_masses(labelled, unit), labelled, unit};
    }
    std::optional<FairnessTally> nearest_retained(const std::string& model) override {
        const Window& window = engine_.window();
        std::vector<ClusterId> labels(window.size());
        engine_.assign_retained(model, labels);
        FairnessTally nearest = empty_tally(engine_.report(model).tally().clusters(), window.format());
        nearest.add(labels, window.points().groups.data(), window.weights());
        return nearest;
    }
    std::vector<Score> score(const std::string& model, ConstRows rows, std::span<const GroupId> groups) override {
        std::vector<Score> scores(points_in(rows));
        engine_.score(model, rows, groups, scores);
        return scores;
    }
    std::vector<float> rows(const std::string& model, RowKind kind, ConstRows features) override {
        const ModelOptions& options = engine_.current_options(model);
        std::vector<float> rows(points_in(features) * static_cast<std::size_t>(options.kind().cluster_count(options)));
        engine_.predict_rows(model, kind, features, rows);
        return rows;
    }

private:
    [[nodiscard]] std::size_t points_in(ConstRows rows) const { return rows.size() / format().dimensions; }

    Engine engine_;
    files::ReaderSettings reader_settings_;
    bool is_saved_fit_;
    OutlyingColumns outlying_columns_;
    std::vector<AskedModel> models_;
};

}  // namespace

std::unique_ptr<AskedEngine> recover_engine(const std::filesystem::path& file, int threads) {
    const std::unique_ptr<log::Log> recording = open_for_reading(file);
    Engine engine = checkpointed_engine(*recording, threads);
    catch_up(*recording, engine);
    const auto producers = recording->producers();
    const bool is_saved_fit = producers.size() == 1 && producers.begin()->first == service::fit_producer;
    return std::make_unique<RecordedEngine>(std::move(engine), replay::recorded_reader_settings(*recording),
                                            is_saved_fit);
}

}  // namespace fairstream::command
