#include <fairstream/fit/stages/saved_fit.hpp>

#include <string>
#include <tuple>
#include <utility>

#include <fairstream/config/config.hpp>
#include <fairstream/files/written/output.hpp>
#include <fairstream/files/written/partial_recording.hpp>
#include <fairstream/log/open/open.hpp>
#include <fairstream/log/running_hash.hpp>
#include <fairstream/service/recorded_events.hpp>
#include <fairstream/service/update_digest.hpp>

namespace fairstream::fit {
namespace {

using log::ProducerMark;
using service::fit_producer;

ProducerMark fit_mark(Sequence sequence) {
    return {1, sequence};
}

}  // namespace

void check_save(const FitOptions& options) {
    if (options.save.empty()) return;
    const auto refuse = [&](const std::string& why) {
        throw InvalidInput(Reason::bad_option, "--save " + options.save.string() + ": " + why);
    };
    files::check_new_recording("--save", options.save);
    if (options.input.is_graph()) refuse("a graph is clustered as a whole, and its clustering cannot label new nodes");
    if (options.input.config.empty()) return;
    const std::string scaling = options.input.column_scaling();
    for (const auto& [option, given, key] :
         {std::tuple(scaling, !scaling.empty(), "scale"),
          std::tuple(std::string("--unit-rows"), options.input.unit_rows, "unit_rows")})
        if (given)
            refuse(option + " scales the file before the model sees it, and is not saved: set " + key +
                   " under [prepare] of " + options.input.config.string() + " instead");
}

const Update& SavedFit::ingest(Engine& engine, const Event& event) {
    if (!options_)
        publisher_.emplace(wire::RecordingId{}, options_.emplace(engine.options()), service::RingLimits{1, 0});
    const Sequence sequence = engine.sequence() + 1;
    const ProducerMark mark = fit_mark(sequence);
    const wire::Bytes message = wire::write(
        wire::IngestRequest(wire::EventMessage{fit_producer, mark.epoch, mark.producer_sequence, event}), encoder_);
    SavedEvent& kept = events_.emplace_back(SavedEvent{{message.begin(), message.end()}, {}, 0});
    const Update& update = engine.ingest(event);
    kept.update_digest = service::update_digest(engine, update);
    if (!update.decisions.empty()) kept.decisions = service::write_decisions(update.decisions);
    running_hash_ = log::running_hash_after(running_hash_, sequence, fit_producer, mark, kept.message, kept.decisions);
    std::vector<service::Outgoing> nobody;
    publisher_->publish(engine, update, running_hash_, nobody);
    return update;
}

void SavedFit::save_state(Engine& engine, bool stopped) {
    if (stopped) return;
    checkpoint_ = log::Checkpoint{engine.sequence(), engine.save(), publisher_->marks()};
}

void SavedFit::write(const FitOptions& options, Listener& listener) {
    if (!checkpoint_) {
        listener.note("--save wrote nothing: a recording cannot reproduce a fit that was stopped");
        return;
    }
    const files::PartialRecording partial("--save", options.save);
    {
        const std::string config =
            options.stream ? config::write_toml(*options_, options.stream->reader) : config::write_toml(*options_);
        const std::unique_ptr<log::Log> recording = log::create(partial.path(), config);
        for (std::size_t i = 0; i < events_.size(); ++i) {
            const Sequence sequence = i + 1;
            recording->append({.sequence = sequence,
                               .producer = fit_producer,
                               .mark = fit_mark(sequence),
                               .message = events_[i].message,
                               .decisions = events_[i].decisions,
                               .update_digest = events_[i].update_digest});
        }
        recording->flush();
        recording->begin_checkpoint(std::move(*checkpoint_));
        recording->finish_checkpoint();
    }
    partial.move_into_place();
}

}  // namespace fairstream::fit
