#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>

#include <fairstream/config/config.hpp>
#include <fairstream/service/detail/monitor_watch.hpp>
#include <fairstream/service/recorded_events.hpp>
#include <fairstream/service/service.hpp>
#include <fairstream/service/update_digest.hpp>

namespace fairstream::service {

namespace {

using log::RecordingError;

// Throws unless `options` are the recorded options: with other options a replay would not reach the published state.
void check_config(const std::string& text_of_recording, const EngineOptions& options) {
    const std::string given = config::write_toml(options), recorded = config::renewed(text_of_recording);
    if (recorded == given) return;
    std::string text = "the recording has other options (-) than the given ones (+):";
    for (const std::string& line : config::differences(recorded, given)) text += "\n" + line;
    throw InvalidInput(Reason::bad_state, text);
}

// Returns a random number other than 0, which means none.
std::uint64_t random_life() {
    std::random_device device;
    return std::uniform_int_distribution<std::uint64_t>(1)(device);
}

}  // namespace

Service::Service(std::unique_ptr<log::Log> recording, const EngineOptions& options, Settings settings, int threads,
                 const Progress& progress)
    : settings_((check(settings), std::move(settings))),
      refused_bytes_(recording->refused_bytes()),
      id_(recording->id()),
      name_(recording->name()),
      format_(options.format),
      life_(random_life()),
      hashes_(recording->take_recent_hashes()),
      journal_(std::move(recording), settings_.run_in_background),
      threads_(threads),
      engine_(options, threads, settings_.run_in_background),
      publisher_(id_, options, settings_.ring),
      producers_(journal_.log().producers(), journal_.log().expiry()),
      refused_before_(journal_.log().refused_count()),
      monitor_(std::make_unique<MonitorWatch>()),
      stepped_at_(options.models.size(), 0) {
    check_config(journal_.log().config(), options);
    if (journal_.log().needs_times() && !settings_.clock)
        throw InvalidInput(Reason::bad_option, "keep_for needs a clock in the settings");
    // Throws when names of the format are too long for a message.
    (void)encode(wire::Welcome{.format = options.format, .reader_settings = settings_.reader_settings});
    board_.begin_recovery(0, journal_.log().last_sequence());
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
    CommittedState now = committed_state();
    now.storage = journal_.log().storage();
    board_.note(now);
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
    const log::Log& recording = journal_.log();
    std::uint64_t running_hash = 0;
    std::map<std::string, log::TopicMark> topics = publisher_.marks();
    if (auto checkpoint = recording.newest_checkpoint()) {
        replace_engine(Engine::load(engine_.options(), checkpoint->state, threads_, settings_.run_in_background));
        if (engine_.sequence() != checkpoint->sequence) {
            throw RecordingError("the checkpoint of event " + std::to_string(checkpoint->sequence) +
                                 " holds the state after event " + std::to_string(engine_.sequence()));
        }
        publisher_.resume(checkpoint->topics);
        topics = std::move(checkpoint->topics);
        running_hash = checkpoint->running_hash.value_or(0);
        checkpointed_ = checkpoint->sequence;
    }
    const Sequence first = engine_.sequence() + 1, last = recording.last_sequence();
    if (last < first) return;
    if (recording.cpu_level() != cpu_level() && !settings_.any_cpu_level) {
        throw RecordingError("events after " + std::to_string(engine_.sequence()) + " were taken in at CPU level " +
                             recording.cpu_level() + "; this machine's is " + std::string(cpu_level()) +
                             ", where their labels may differ from the published ones; to go on, set any_cpu_level = "
                             "true under [recording]");
    }
    board_.begin_recovery(engine_.sequence(), last);
    Sequence differs_from = 0;
    replay_events(recording, engine_, running_hash, [&](const Replayed& replayed) {
        const log::RecordedEvent& event = replayed.event;
        if (differs_from == 0 && event.update_digest && *event.update_digest != update_digest(engine_, replayed.update))
            differs_from = event.sequence;
        publisher_.publish(engine_, replayed.update, replayed.running_hash, held_.publications);
        note_steps(replayed.update);
        held_.publications.clear();  // the rings keep them; clients that missed them ask
        ++events_since_checkpoint_;
        bytes_since_checkpoint_ += event.message.size();
        board_.note_recovered(event.sequence);
        if (progress) progress(event.sequence, last);
        if (interrupts_) throw Interrupted();
    });
    if (differs_from > 0) restart_topics(differs_from, topics, last - first + 1);
    // Without this checkpoint, a kill before the next event would cause the same replay again, and perhaps another
    // difference.
    if (checkpoint_due() || differs_from > 0) begin_checkpoint();
}

// Continues after updates that differ from the published updates. Leaves numbers out on each topic: as many as there
// were replayed events, each of which had at most one publication on a topic. A later recovery from the same checkpoint
// leaves out as many numbers if this build makes it, and more if another build makes it.
void Service::restart_topics(Sequence differs_from, const std::map<std::string, log::TopicMark>& before,
                             std::uint64_t replayed) {
    log::Log& recording = journal_.log();
    recording.mark_recovery(differs_from);
    recording.flush();
    const std::vector<log::Build> builds = recording.builds();
    const log::Build* const build = log::build_of_event(builds, differs_from);
    if (settings_.warn)
        settings_.warn("the updates of the recovery differ from those published" +
                       (build == nullptr ? "" : " by " + text_of(*build)) + ", from event " +
                       std::to_string(differs_from) + " on; this version is " + text_of(builds.back()) +
                       ": subscribers take a new snapshot");
    const auto marks = static_cast<std::uint64_t>(
        std::ranges::count_if(builds, [](const log::Build& each) { return each.differs_from > 0; }));
    std::map<std::string, log::TopicMark> anew = before;
    for (auto& [topic, mark] : anew) mark = {mark.number + replayed + marks, hashes_.after(engine_.sequence())};
    publisher_.resume(anew);
}

}  // namespace fairstream::service
