#include <fairstream/log/sqlite/recording.hpp>

#include <algorithm>
#include <iterator>
#include <system_error>
#include <utility>

#include <fairstream/log/sqlite/detail/create.hpp>
#include <fairstream/log/sqlite/detail/layout.hpp>
#include <fairstream/log/sqlite/detail/log_file.hpp>
#include <fairstream/log/sqlite/detail/opening.hpp>
#include <fairstream/log/sqlite/detail/reader.hpp>
#include <fairstream/log/sqlite/detail/writer.hpp>

namespace fairstream::log::sqlite {

namespace {

namespace fs = std::filesystem;

// Runs `action`; turns an error of the file system into a `RecordingError` that names the file.
template <class Action> auto naming(const fs::path& path, Action&& action) {
    try {
        return std::forward<Action>(action)();
    } catch (const std::system_error& error) {
        fail(path, "cannot be accessed: " + error.code().message());
    }
}

void configure(Database& database) {
    (void)database.number("SELECT count(*) FROM sqlite_schema");  // from here on nobody deletes the log
    for (const char* pragma : {
             "PRAGMA synchronous = FULL",
             "PRAGMA cache_size = -32768",             // KiB; filled only by transactions of this size
             "PRAGMA journal_size_limit = 134217728",  // bytes; bounds the log after a reader kept it growing
             "PRAGMA secure_delete = FAST",            // some builds overwrite deleted content, which costs time
             "PRAGMA cell_size_check = ON",
             "PRAGMA trusted_schema = OFF",
             "PRAGMA temp_store = MEMORY",
         }) {
        database.execute(pragma);
    }
}

std::optional<std::uint64_t> events_after_log_begin(const Contents& contents) {
    if (!contents.log_begin) return std::nullopt;
    return contents.last_sequence - *contents.log_begin;
}

void bring_up_to_date(Database& database, Contents& contents) {
    if (contents.format == format_version && contents.has_update_digests && contents.has_erasures) return;
    database.execute("BEGIN IMMEDIATE");
    upgrade(database);
    database.execute("COMMIT");
    contents.format = format_version;
    contents.has_update_digests = contents.has_erasures = true;
}

}  // namespace

struct Recording::Impl {
    Impl(const fs::path& file, Access access, const Settings& settings, Files& files);
    [[nodiscard]] Writer& writing();

    UncleanEnd unclean_end;
    bool had_writer = false;
    Settings settings;
    LogFile log;  // outlives the database, which may change the log when it closes, under the writer's lock
    Database database;
    Contents contents;
    std::optional<Reader> reader;
    std::optional<Writer> writer;
};

Recording::Impl::Impl(const fs::path& file, Access access, const Settings& given, Files& files)
    : settings(given), database(file, access, files) {
    database.wait_for_locks(settings.lock_wait, [this] {
        const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(settings.lock_wait).count();
        if (settings.warn)
            settings.warn("recording " + database.file().string() + ": another program has locked it; waiting up to " +
                          std::to_string(seconds) + " s for the lock");
    });
    check_header(database);
    refuse_journal(file, files);
    check_length(database);
    configure(database);
    log = LogFile(file, access == Access::write ? LogFile::Use::writing : LogFile::Use::reading, files);
    const auto scan = log.check();
    had_writer = !scan;
    contents = verify(database, {.has_log = !scan || scan->has_frame, .has_writer = !scan});
    unclean_end.unreadable = scan && scan->has_unreadable_end;
    if (scan && scan->holds_transactions()) unclean_end.events = events_after_log_begin(contents);
    if (access != Access::write) {
        reader.emplace(database, contents);
        return;
    }
    bring_up_to_date(database, contents);
    writer.emplace(database, log.open_file(), contents, settings);
    reader.emplace(database, contents);
    database.fold_on_close(true);
}

Writer& Recording::Impl::writing() {
    if (!writer) fail(database.file(), "is open for reading only");
    return *writer;
}

Recording::Recording(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Recording::~Recording() = default;
Recording::Recording(Recording&&) noexcept = default;
Recording& Recording::operator=(Recording&&) noexcept = default;

Recording Recording::create(const fs::path& path, const std::string& config, const Settings& settings) {
    return create(path, config, settings, system_files());
}

Recording Recording::create(const fs::path& path, const std::string& config, const Settings& settings, Files& files) {
    create_file(path, config, files);
    return open(path, settings, files);
}

Recording Recording::open(const fs::path& path, const Settings& settings) {
    return open(path, settings, system_files());
}

Recording Recording::open(const fs::path& path, const Settings& settings, Files& files) {
    return naming(path, [&] {
        return Recording(std::make_unique<Impl>(regular_file(path, files), Access::write, settings, files));
    });
}

Recording Recording::open_read_only(const fs::path& path) {
    return open_read_only(path, system_files());
}

Recording Recording::open_read_only(const fs::path& path, Files& files) {
    return naming(path, [&] {
        const fs::path file = regular_file(path, files);
        return Recording(std::make_unique<Impl>(file, access_for_reading(file, files), Settings{}, files));
    });
}

const RecordingId& Recording::id() const noexcept {
    return impl_->contents.id;
}

const fs::path& Recording::file() const noexcept {
    return impl_->database.file();
}

const std::string& Recording::config() const noexcept {
    return impl_->contents.config;
}

const std::string& Recording::cpu_level() const noexcept {
    return impl_->contents.cpu_level;
}

Sequence Recording::first_sequence() const {
    return impl_->reader->first_sequence();
}

Sequence Recording::last_sequence() const {
    return impl_->writer ? impl_->contents.last_sequence : impl_->reader->last_sequence();
}

RecentHashes Recording::take_recent_hashes() {
    return std::exchange(impl_->contents.recent_hashes, {});
}

std::optional<std::uint64_t> Recording::running_hash() const {
    return impl_->writer ? impl_->contents.running_hash : impl_->reader->running_hash();
}

UncleanEnd Recording::unclean_end() const noexcept {
    return impl_->unclean_end;
}

bool Recording::had_writer() const noexcept {
    return impl_->had_writer;
}

void Recording::append(const NewEvent& event) {
    impl_->writing().append(event);
}

void Recording::mark_recovery(Sequence differs_from) {
    impl_->writing().mark_recovery(differs_from);
}

void Recording::refuse(const Refusal& refusal) {
    impl_->writing().refuse(refusal);
}

void Recording::flush() {
    impl_->writing().commit();
}

void Recording::begin_checkpoint(Checkpoint checkpoint) {
    impl_->writing().begin_checkpoint(std::move(checkpoint));
}

bool Recording::checkpoint_pending() const noexcept {
    return impl_->writer && impl_->writer->checkpoint_pending();
}

void Recording::finish_checkpoint() {
    Writer& writer = impl_->writing();
    while (writer.checkpoint_pending()) writer.commit();
}

void Recording::begin_after(Checkpoint checkpoint) {
    impl_->writing().begin_after(std::move(checkpoint));
}

void Recording::complete_copy(const Log& from, const std::function<void(Refusal&)>& edit, const Erasure& erasure) {
    const auto* const other = dynamic_cast<const Recording*>(&from);
    if (other == nullptr) throw InvalidInput(Reason::bad_state, from.name() + " is not a recording in a file");
    impl_->writing().complete_copy(other->impl_->database, other->impl_->contents, edit, erasure);
}

void Recording::require_claim() {
    impl_->writing().require_in_place();
}

bool Recording::needs_times() const noexcept {
    return impl_->settings.keep_for > 0;
}

std::size_t Recording::refused_bytes() const noexcept {
    return impl_->settings.refused_bytes;
}

std::uint64_t Recording::log_bytes() const noexcept {
    return bytes_of_log(impl_->database.log_pages());
}

std::optional<Checkpoint> Recording::newest_checkpoint() const {
    return impl_->reader->newest_checkpoint();
}

std::optional<Checkpoint> Recording::oldest_checkpoint() const {
    return impl_->reader->oldest_checkpoint();
}

std::vector<Build> Recording::builds() const {
    return impl_->reader->builds();
}

std::vector<AppendTime> Recording::times() const {
    return impl_->reader->times();
}

std::vector<Erasure> Recording::erasures() const {
    return impl_->reader->erasures();
}

Storage Recording::storage() const noexcept {
    return impl_->contents.storage;
}

std::map<std::string, ProducerMark> Recording::producer_marks() const {
    std::map<std::string, ProducerMark> marks;
    for (const auto& [name, known] : producers()) marks.emplace(name, known.mark);
    return marks;
}

std::map<std::string, KnownProducer> Recording::producers() const {
    return impl_->reader->producers();
}

Expiry Recording::expiry() const {
    return impl_->reader->expiry();
}

std::optional<Refusal> Recording::find_refusal(const std::string& producer, const ProducerMark& mark) const {
    return impl_->reader->find_refusal(producer, mark);
}

std::optional<Sequence> Recording::find_event(const std::string& producer, const ProducerMark& mark) const {
    return impl_->reader->find_event(producer, mark);
}

std::uint64_t Recording::refused_count() const {
    return impl_->writer ? impl_->contents.state.refused : impl_->reader->refused_count();
}

std::vector<Refusal> Recording::refusals() const {
    return impl_->reader->refusals();
}

void Recording::for_each_event(Sequence first, const std::function<bool(const RecordedEvent&)>& each,
                               OnDeletion on_deletion) const {
    impl_->reader->for_each_event(first, each, on_deletion);
}

}  // namespace fairstream::log::sqlite
