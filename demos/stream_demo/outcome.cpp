#include "outcome.hpp"

#include <algorithm>

#include <fairstream/log/open/open.hpp>
#include <fairstream/replay/run.hpp>

namespace demo {
namespace {

using namespace fairstream;

bool holds(const zmq::LabelMap& labels, const Engine& engine, const std::string& model) {
    const auto ours = engine.labels(model);
    std::size_t labelled = 0;
    for (Slot slot = 0; slot < ours.size(); ++slot) {
        if (ours[slot] == no_cluster) continue;
        ++labelled;
        if (labels.find(engine.window().id(slot)) != ours[slot]) return false;
    }
    return labelled == labels.size();
}

/// Returns whether the rows equal the samples of the same events. Rows without a sample are skipped, as a lost message
/// may have moved them.
bool same_figures(const std::vector<Row>& rows, std::size_t model, const std::vector<replay::Sample>& samples) {
    return std::all_of(rows.begin(), rows.end(), [&](const Row& row) {
        const auto sample = std::find_if(samples.begin(), samples.end(), [&](const replay::Sample& candidate) {
            return candidate.sequence == row.event;
        });
        const wire::FairnessReport& seen = row.figures[model];
        return sample == samples.end() ||
               (sample->figures.cost == seen.cost && sample->figures.attributes() == seen.attributes());
    });
}

Outcome outcome(const replay::ModelRun& model, double seconds, std::uint64_t points) {
    Outcome result;
    result.lowest_balance = 1;
    for (const replay::Sample& sample : model.samples) {
        const wire::AttributeReport& balanced = sample.figures.attributes()[0];
        result.cost += sample.figures.cost / static_cast<double>(model.samples.size());
        result.average_balance += balanced.average_balance / static_cast<double>(model.samples.size());
        result.lowest_balance = std::min(result.lowest_balance, balanced.balance);
        result.balance = balanced.balance;
    }
    result.churn = model.mean_churn;
    result.points_per_second = static_cast<double>(points) / seconds;
    return result;
}

}  // namespace

std::array<Outcome, 2> replay_each(const Stream& stream, const std::filesystem::path& path,
                                   const std::vector<Row>& rows, const Live& live,
                                   const std::function<void()>& after_event) {
    const auto recording = log::open_read_only(path);
    std::array<Outcome, 2> outcomes;
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        EngineOptions alone = stream.engine;
        alone.models = {stream.engine.models[i]};
        bool same_labels = false;
        replay::Hooks hooks;
        hooks.after = [&](Sequence, Sequence, std::uint64_t) { after_event(); };
        hooks.end = [&](const Engine& engine) { same_labels = holds(live.labels(i), engine, alone.models[0].name); };
        const replay::Run run = replay::run(*recording, alone, {.threads = 1, .samples = stream_rows}, hooks);
        outcomes[i] = outcome(run.models[0], run.seconds, run.points);
        outcomes[i].same_figures = same_figures(rows, i, run.models[0].samples);
        outcomes[i].same_labels = same_labels;
    }
    return outcomes;
}

}  // namespace demo
