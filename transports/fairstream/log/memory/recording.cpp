#include <fairstream/log/memory/recording.hpp>

#include <algorithm>
#include <deque>
#include <random>
#include <string_view>
#include <utility>

#include <fairstream/log/running_hash.hpp>
#include <fairstream/numeric/cpu_level.hpp>

namespace fairstream::log::memory {

namespace {

struct StoredEvent {
    std::shared_ptr<const RecordedEvent> event;
    std::uint64_t running_hash = 0;  // running hash after the event
    std::int64_t time = 0;
};

struct Producer {
    enum class State : std::uint8_t { known, expired, removed };

    ProducerMark mark;
    Sequence last_sequence = 0;
    std::string owner = {};
    State state = State::known;
    std::map<ProducerMark, Refusal> refusals = {};  // without messages
};

RecordingId random_id() {
    std::random_device device;
    RecordingId id{};
    for (std::byte& byte : id) byte = static_cast<std::byte>(device());
    return id;
}

Refusal without_message(Refusal refusal) {
    refusal.message.clear();
    return refusal;
}

std::string name_of(std::string_view producer, const ProducerMark& mark) {
    return "'" + std::string(producer) + "', epoch " + std::to_string(mark.epoch) + ", number " +
           std::to_string(mark.producer_sequence);
}

}  // namespace

struct Recording::Contents {
    RecordingId id{};
    std::string config, cpu_level;
    Settings settings;
    std::weak_ptr<Writer> writer;  // the newest writer, which has the claim, if it still exists
    std::uint64_t records = 0;     // number stored: events, refusals and checkpoints
    Sequence first = 1, last = 0;
    std::uint64_t running_hash = 0;
    std::uint64_t kept_bytes = 0;
    std::deque<StoredEvent> events;
    std::vector<Checkpoint> checkpoints;  // at most two, oldest first
    std::map<std::string, Producer> producers;
    Expiry floors;
    std::deque<Refusal> refusals;  // newest ones, with messages
    std::uint64_t refused = 0;
    std::vector<Build> builds;
    std::vector<Erasure> erasures;

    void add_build(Sequence from, Sequence differs_from) {
        builds.push_back({from, FAIRSTREAM_VERSION, cpu_level, differs_from});
    }

    void append(RecordedEvent event, const std::string& owner, std::int64_t time, const ProducerExpiry& expiry) {
        event.position = Position{++records};
        Producer& producer = producers[event.producer];
        if (!owner.empty() || producer.state != Producer::State::known) producer.owner = owner;
        producer.state = Producer::State::known;
        producer.mark = event.mark;
        producer.last_sequence = last = event.sequence;
        running_hash = running_hash_after(running_hash, event);
        kept_bytes += event.message.size();
        if (event.update_digest && builds.empty()) add_build(last, 0);
        events.push_back({std::make_shared<const RecordedEvent>(std::move(event)), running_hash, time});
        expire(expiry);
    }

    void expire(const ProducerExpiry& expiry) {
        for (const std::string& name : expiry.names) {
            const auto known = producers.find(name);
            if (known == producers.end() || known->second.state != Producer::State::known) continue;
            Producer& producer = known->second;
            producer.state = expiry.removed ? Producer::State::removed : Producer::State::expired;
            producer.refusals.clear();
        }
        for (const EpochFloor& floor : expiry.floors) {
            if (floor.client.empty()) {
                floors.epoch = std::max(floors.epoch.value_or(0), floor.epoch);
            } else {
                std::uint64_t& epoch = floors.clients[floor.client];
                epoch = std::max(epoch, floor.epoch);
            }
        }
    }

    void refuse(Refusal refusal) {
        ++records;
        if (uses_up_number(refusal)) {
            Producer& producer = producers[refusal.producer];
            producer.mark = std::max(producer.mark, refusal.mark);
            producer.refusals.insert_or_assign(refusal.mark, without_message(refusal));
            if (producer.refusals.size() > known_refusals) producer.refusals.erase(producer.refusals.begin());
        }
        if (refusal.kept_parts == KeptParts::number) return;
        ++refused;
        refusals.push_back(std::move(refusal));
        if (refusals.size() > settings.refused_rows) refusals.pop_front();
    }

    void complete(Checkpoint checkpoint) {
        ++records;
        checkpoint.running_hash = hash_after(checkpoint.sequence);
        checkpoints.push_back(std::move(checkpoint));
        if (checkpoints.size() > 2) checkpoints.erase(checkpoints.begin());
    }

    [[nodiscard]] std::optional<std::uint64_t> hash_after(Sequence sequence) const {
        if (sequence == last) return running_hash;
        if (const StoredEvent* const stored = find(sequence)) return stored->running_hash;
        if (!checkpoints.empty()) return checkpoints.back().running_hash;
        return 0;  // before the first event
    }

    [[nodiscard]] const StoredEvent* find(Sequence sequence) const {
        return sequence < first || sequence > last ? nullptr : &events[sequence - first];
    }

    void delete_old_events() {
        if (settings.keep_events == 0 || checkpoints.size() < 2) return;
        const Sequence needed = checkpoints.front().sequence;
        for (; first + settings.keep_events <= needed; ++first) {
            kept_bytes -= events.front().event->message.size();
            events.pop_front();
        }
    }
};

struct Recording::Writer {
    Sequence last = 0;
    std::uint64_t running_hash = 0;
    std::vector<std::function<void(Contents&)>> handed_over;  // work of the next flush, in order
    std::map<std::string, ProducerMark, std::less<>> marks;   // numbers used up by this writer
    std::optional<Checkpoint> checkpoint;                     // pending

    void require_rising(const Contents& contents, const std::string& producer, const ProducerMark& mark) const {
        ProducerMark newest;
        if (const auto known = contents.producers.find(producer); known != contents.producers.end())
            newest = known->second.mark;
        if (const auto used = marks.find(producer); used != marks.end()) newest = used->second;
        if (mark > newest) return;
        throw InvalidInput(mark.epoch < newest.epoch ? Reason::stale_epoch : Reason::sequence_gap,
                           "producer " + name_of(producer, mark) + " does not come after " + name_of(producer, newest));
    }
};

Recording::Recording(std::shared_ptr<Contents> contents, std::shared_ptr<Writer> writer)
    : contents_(std::move(contents)),
      writer_(std::move(writer)),
      had_writer_(!writer_ && !contents_->writer.expired()) {
    for (const StoredEvent& stored : contents_->events) recent_hashes_.add(stored.event->sequence, stored.running_hash);
}
Recording::~Recording() = default;
Recording::Recording(Recording&&) noexcept = default;
Recording& Recording::operator=(Recording&&) noexcept = default;

Recording Recording::create(const std::string& config, const Settings& settings) {
    auto contents = std::make_shared<Contents>();
    contents->id = settings.id ? *settings.id : random_id();
    contents->config = config;
    contents->cpu_level = fairstream::cpu_level();
    contents->settings = settings;
    return Recording(std::move(contents), nullptr).open();
}

Recording Recording::open() const {
    auto writer = std::make_shared<Writer>();
    contents_->writer = writer;
    writer->last = contents_->last;
    writer->running_hash = contents_->running_hash;
    return {contents_, std::move(writer)};
}

Recording Recording::open_read_only() const {
    return {contents_, nullptr};
}

Recording::Writer& Recording::writing() const {
    if (!writer_) throw RecordingError(name() + " is open for reading only");
    if (!has_claim()) throw RecordingError(name() + " now has another writer");
    return *writer_;
}

bool Recording::has_claim() const noexcept {
    return writer_ && writer_ == contents_->writer.lock();
}

const RecordingId& Recording::id() const noexcept {
    return contents_->id;
}

std::string Recording::name() const {
    return "a recording in memory";
}

const std::string& Recording::config() const noexcept {
    return contents_->config;
}

const std::string& Recording::cpu_level() const noexcept {
    return contents_->cpu_level;
}

UncleanEnd Recording::unclean_end() const noexcept {
    return {};
}

void Recording::append(const NewEvent& event) {
    Writer& writer = writing();
    if (event.sequence != writer.last + 1)
        throw InvalidInput(Reason::sequence_gap, "event " + std::to_string(event.sequence) + " where " +
                                                     std::to_string(writer.last + 1) + " is next");
    if (event.producer.empty()) throw InvalidInput(Reason::malformed, "an event needs the name of its producer");
    RecordedEvent stored{event.sequence,
                         std::string(event.producer),
                         event.mark,
                         {event.message.begin(), event.message.end()},
                         {event.decisions.begin(), event.decisions.end()},
                         event.update_digest};
    writer.require_rising(*contents_, stored.producer, stored.mark);
    writer.marks[stored.producer] = stored.mark;
    writer.last = stored.sequence;
    writer.running_hash = running_hash_after(writer.running_hash, stored);
    writer.handed_over.emplace_back(
        [stored = std::move(stored), owner = std::string(event.owner), time = event.time,
         expiry = event.expiry == nullptr ? ProducerExpiry{} : *event.expiry](Contents& contents) mutable {
            contents.append(std::move(stored), owner, time, expiry);
        });
}

void Recording::mark_recovery(Sequence differs_from) {
    Writer& writer = writing();
    writer.handed_over.emplace_back([differs_from, next = writer.last + 1](Contents& contents) {
        if (contents.builds.empty() || contents.builds.back().differs_from != differs_from)
            contents.add_build(next, differs_from);
    });
}

void Recording::flush() {
    Writer& writer = writing();
    for (const auto& store : writer.handed_over) store(*contents_);
    writer.handed_over.clear();
    writer.marks.clear();
    if (writer.checkpoint) contents_->complete(*std::exchange(writer.checkpoint, std::nullopt));
    contents_->delete_old_events();
}

void Recording::require_claim() {
    (void)writing();
}

bool Recording::needs_times() const noexcept {
    return false;
}

Sequence Recording::first_sequence() const {
    return contents_->events.empty() ? 0 : contents_->first;
}

Sequence Recording::last_sequence() const {
    return has_claim() ? writer_->last : contents_->last;
}

void Recording::for_each_event(Sequence first, const std::function<bool(const RecordedEvent&)>& each,
                               OnDeletion on_deletion) const {
    const Sequence oldest_then = contents_->first;
    for (Sequence next = std::max(first, oldest_then); next <= contents_->last; ++next) {
        if (next < contents_->first) {
            if (on_deletion == OnDeletion::fail)
                throw RecordingError(name() + ": event " + std::to_string(next) + " was deleted before it was read");
            next = contents_->first;
        }
        const std::shared_ptr<const RecordedEvent> event = contents_->find(next)->event;  // `each` may release it
        if (!each(*event)) return;
    }
}

std::optional<Sequence> Recording::find_event(const std::string& producer, const ProducerMark& mark) const {
    const auto found = std::ranges::find_if(contents_->events, [&](const StoredEvent& stored) {
        return stored.event->producer == producer && stored.event->mark == mark;
    });
    return found == contents_->events.end() ? std::nullopt : std::optional(found->event->sequence);
}

std::optional<std::uint64_t> Recording::running_hash() const {
    return has_claim() ? writer_->running_hash : contents_->running_hash;
}

RecentHashes Recording::take_recent_hashes() {
    return std::exchange(recent_hashes_, {});
}

std::vector<Build> Recording::builds() const {
    return contents_->builds;
}

std::vector<AppendTime> Recording::times() const {
    std::vector<AppendTime> times;
    for (const StoredEvent& stored : contents_->events)
        if (stored.time != 0) times.push_back({stored.event->sequence, stored.time});
    return times;
}

Storage Recording::storage() const noexcept {
    return {.first_sequence = contents_->first, .kept_bytes = contents_->kept_bytes};
}

void Recording::begin_checkpoint(Checkpoint checkpoint) {
    Writer& writer = writing();
    const Sequence newest = contents_->checkpoints.empty() ? 0 : contents_->checkpoints.back().sequence;
    if (checkpoint.sequence < newest || checkpoint.sequence > writer.last)
        throw InvalidInput(Reason::bad_state, "a checkpoint of event " + std::to_string(checkpoint.sequence) +
                                                  " must be between the newest checkpoint's event, " +
                                                  std::to_string(newest) + ", and the newest event, " +
                                                  std::to_string(writer.last));
    writer.checkpoint = std::move(checkpoint);
}

bool Recording::checkpoint_pending() const noexcept {
    return has_claim() && writer_->checkpoint;
}

void Recording::finish_checkpoint() {
    if (writing().checkpoint) flush();
}

std::optional<Checkpoint> Recording::newest_checkpoint() const {
    if (contents_->checkpoints.empty()) return std::nullopt;
    return contents_->checkpoints.back();
}

std::optional<Checkpoint> Recording::oldest_checkpoint() const {
    if (contents_->checkpoints.empty()) return std::nullopt;
    return contents_->checkpoints.front();
}

std::map<std::string, KnownProducer> Recording::producers() const {
    std::map<std::string, KnownProducer> known;
    for (const auto& [name, producer] : contents_->producers)
        if (producer.state == Producer::State::known)
            known.emplace(name, KnownProducer{producer.mark, producer.last_sequence, producer.owner});
    return known;
}

Expiry Recording::expiry() const {
    Expiry expiry = contents_->floors;
    for (const auto& [name, producer] : contents_->producers)
        if (producer.state == Producer::State::removed) expiry.removed.emplace(name, producer.mark.epoch);
    return expiry;
}

void Recording::refuse(const Refusal& refusal) {
    Writer& writer = writing();
    if (uses_up_number(refusal)) {
        writer.require_rising(*contents_, refusal.producer, refusal.mark);
        writer.marks[refusal.producer] = refusal.mark;
    }
    Refusal kept = refusal;
    kept.text = kept_text(refusal.text);
    kept.message.resize(std::min(kept.message.size(), contents_->settings.refused_bytes));
    writer.handed_over.emplace_back(
        [kept = std::move(kept)](Contents& contents) mutable { contents.refuse(std::move(kept)); });
}

std::optional<Refusal> Recording::find_refusal(const std::string& producer, const ProducerMark& mark) const {
    const auto known = contents_->producers.find(producer);
    if (known == contents_->producers.end()) return std::nullopt;
    const auto found = known->second.refusals.find(mark);
    return found == known->second.refusals.end() ? std::nullopt : std::optional(found->second);
}

std::uint64_t Recording::refused_count() const {
    return contents_->refused;
}

std::vector<Refusal> Recording::refusals() const {
    return {contents_->refusals.begin(), contents_->refusals.end()};
}

std::size_t Recording::refused_bytes() const noexcept {
    return contents_->settings.refused_bytes;
}

void Recording::begin_after(Checkpoint checkpoint) {
    Writer& writer = writing();
    if (writer.last > 0) throw InvalidInput(Reason::bad_state, "the recording has events already");
    writer.last = checkpoint.sequence;
    writer.running_hash = first_running_hash(contents_->id);
    writer.handed_over.emplace_back([last = writer.last, hash = writer.running_hash](Contents& contents) {
        contents.last = last;
        contents.first = last + 1;
        contents.running_hash = hash;
    });
    writer.checkpoint = std::move(checkpoint);
}

void Recording::complete_copy(const Log& from, const std::function<void(Refusal&)>& edit, const Erasure& erasure) {
    const auto* const other = dynamic_cast<const Recording*>(&from);
    if (other == nullptr) throw InvalidInput(Reason::bad_state, from.name() + " is not a recording in memory");
    std::map<std::string, Producer> producers = other->contents_->producers;
    std::deque<Refusal> refusals = other->contents_->refusals;
    const auto edited = [&](Refusal& refusal) {
        edit(refusal);
        refusal.text = kept_text(refusal.text);
    };
    std::ranges::for_each(refusals, edited);
    for (auto& [name, producer] : producers)
        for (auto& [mark, refusal] : producer.refusals) edited(refusal);
    std::vector<Erasure> erasures = other->contents_->erasures;
    erasures.push_back(erasure);
    writing().handed_over.emplace_back([producers = std::move(producers), refusals = std::move(refusals),
                                        erasures = std::move(erasures), floors = other->contents_->floors,
                                        refused = other->contents_->refused](Contents& contents) mutable {
        contents.producers = std::move(producers);
        contents.refusals = std::move(refusals);
        contents.erasures = std::move(erasures);
        contents.floors = std::move(floors);
        contents.refused = refused;
    });
}

std::vector<Erasure> Recording::erasures() const {
    return contents_->erasures;
}

}  // namespace fairstream::log::memory
