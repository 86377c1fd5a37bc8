#include <cstdint>
#include <random>

#include <fairstream/config/config.hpp>
#include <fairstream/service/detail/monitor_watch.hpp>
#include <fairstream/service/recorded_events.hpp>
#include <fairstream/service/service.hpp>

namespace fairstream::service {

namespace {

using recording::RecordingError;

// Throws unless `options` are the recorded ones: others would replay to another state than the one that was published.
void check_config(const std::string& text_of_recording, const EngineOptions& options) {
    const std::string given = config::write_toml(options), recorded = config::renewed(text_of_recording);
    if (recorded == given) return;
    std::string text = "the recording was made with other options (-) than are given now (+):";
    for (const std::string& line : config::differences(recorded, given)) text += "\n" + line;
    throw InvalidInput(Reason::bad_state, text);
}

// Returns a random number, never 0, which means none.
std::uint64_t random_life() {
    std::random_device device;
    return std::uniform_int_distribution<std::uint64_t>(1)(device);
}

}  // namespace

Service::Service(recording::Recording recording, const EngineOptions& options, Settings settings, int threads,
                 const Progress& progress)
    : settings_((check(settings), std::move(settings))),
      refused_bytes_(recording.settings().refused_bytes),
      id_(recording.id()),
      file_(recording.file().string()),
      format_(options.format),
      life_(random_life()),
      hashes_(recording.take_recent_hashes()),
      journal_(std::move(recording), settings_.run_beside),
      threads_(threads),
      engine_(options, threads, settings_.run_beside),
      publisher_(id_, options, settings_.ring),
      producers_(journal_.recording().producers(), journal_.recording().expiry()),
      refused_before_(journal_.recording().refused_count()),
      monitor_(std::make_unique<MonitorWatch>()),
      stepped_at_(options.models.size(), 0) {
    check_config(journal_.recording().config(), options);
    (void)encode(wire::Welcome{1, options.format});  // throws when the names in it are too long for a message
    board_.begin_recovery(0, journal_.recording().last_sequence());
    if (!settings_.recover_later) recover(progress);
}

Service::~Service() = default;

void Service::interrupt() noexcept {
    const std::scoped_lock lock(replacing_);
    interrupts_ = true;
    engine_.interrupt();
}

void Service::recover(const Progress& progress) {
    try {
        replay(progress);
    } catch (const Interrupted&) {
        interrupted_ = true;
        throw;
    }
    recovered_ = true;
    describe_models();
    board_.end();
    board_.note(standing());
    engine_.on_progress([this](const WorkProgress& work) {
        board_.note(work);
        return true;
    });
}

void Service::replace_engine(Engine engine) {
    const std::scoped_lock lock(replacing_);
    if (interrupts_) throw Interrupted();
    engine_ = std::move(engine);
}

void Service::replay(const Progress& progress) {
    const recording::Recording& recording = journal_.recording();
    std::uint64_t running_hash = 0;
    if (const auto checkpoint = recording.newest_checkpoint()) {
        replace_engine(Engine::load(engine_.options(), checkpoint->state, threads_, settings_.run_beside));
        if (engine_.sequence() != checkpoint->sequence) {
            throw RecordingError("the checkpoint of event " + std::to_string(checkpoint->sequence) +
                                 " holds the state after event " + std::to_string(engine_.sequence()));
        }
        publisher_.resume(checkpoint->topics);
        running_hash = checkpoint->running_hash.value_or(0);
        checkpointed_ = checkpoint->sequence;
    }
    const Sequence last = recording.last_sequence();
    if (last == engine_.sequence()) return;
    if (recording.cpu_level() != cpu_level() && !settings_.any_cpu_level) {
        throw RecordingError("events after " + std::to_string(engine_.sequence()) + " were taken in at CPU level " +
                             recording.cpu_level() + "; this machine's is " + std::string(cpu_level()) +
                             ", where their labels may differ from the published ones");
    }
    board_.begin_recovery(engine_.sequence(), last);
    replay_events(recording, engine_, running_hash, [&](const Replayed& replayed) {
        const recording::RecordedEvent& event = replayed.event;
        publisher_.publish(engine_, replayed.update, replayed.running_hash, held_.publications);
        note_steps(replayed.update);
        held_.publications.clear();  // kept in the rings; those who missed them ask
        ++events_since_checkpoint_;
        bytes_since_checkpoint_ += event.message.size();
        board_.note_recovered(event.sequence);
        if (progress) progress(event.sequence, last);
        if (interrupts_) throw Interrupted();
    });
    if (checkpoint_due()) begin_checkpoint();  // or a kill before the next event would cost the same replay again
}

}  // namespace fairstream::service
