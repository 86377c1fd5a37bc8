#include <fairstream/recording/recording.hpp>

#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include <fairstream/recording/create.hpp>
#include <fairstream/recording/layout.hpp>
#include <fairstream/recording/log_file.hpp>
#include <fairstream/recording/reader.hpp>
#include <fairstream/recording/writer.hpp>

namespace fairstream::recording {

namespace {

namespace fs = std::filesystem;

/// The canonical path, by which SQLite too names the log.
fs::path regular_file(const fs::path& path) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (status.type() == fs::file_type::not_found) fail(path, "there is no such file");
    if (error) fail(path, "cannot be looked at: " + error.message());
    if (fs::is_directory(status)) fail(path, "is a directory");
    if (!fs::is_regular_file(status)) fail(path, "is not a regular file");
    return fs::canonical(path);
}

// A journal is another mode's log: SQLite would write its old pages over the file.
void refuse_journal(const fs::path& file) {
    std::error_code error;
    const fs::path journal = file.string() + "-journal";
    if (fs::exists(journal, error)) fail(file, "has a foreign journal beside it, '" + journal.string() + "'");
}

// Reading a database with a log needs a file for the log's index beside it, which cannot be made in every directory.
// Without a log there is nothing to index; then nobody may write while it is read.
Access access_for_reading(const fs::path& file) {
    std::error_code error;
    const bool may_write = ::access(file.parent_path().c_str(), W_OK) == 0;
    return may_write || fs::exists(log_of(file), error) ? Access::read : Access::immutable;
}

void configure(Database& database) {
    (void)database.number("SELECT count(*) FROM sqlite_schema");  // from now on nobody deletes the log
    for (const char* pragma : {
             "PRAGMA synchronous = FULL",
             "PRAGMA cache_size = -32768",             // KiB; grows to that only with transactions that large
             "PRAGMA journal_size_limit = 134217728",  // bytes the log is cut back to after a reader kept it growing
             "PRAGMA secure_delete = FAST",            // some builds overwrite what is deleted, which costs its writing
             "PRAGMA cell_size_check = ON",
             "PRAGMA trusted_schema = OFF",
             "PRAGMA temp_store = MEMORY",
         }) {
        database.execute(pragma);
    }
}

}  // namespace

struct Recording::Impl {
    Impl(const fs::path& file, Access access, const Settings& settings);
    [[nodiscard]] Writer& writing();

    LogFile log;  // outlives the database, whose closing may change the log under the writer's lock
    Database database;
    Contents contents;
    std::optional<Reader> reader;
    std::optional<Writer> writer;
};

Recording::Impl::Impl(const fs::path& file, Access access, const Settings& settings) : database(file, access) {
    check_header(database);
    refuse_journal(file);
    check_length(database);
    configure(database);
    log = LogFile(file, access == Access::write ? LogFile::For::writing : LogFile::For::reading);
    const auto scan = log.check();
    contents = verify(database, !scan || scan->has_header);
    reader.emplace(database, contents);
    if (access != Access::write) return;
    writer.emplace(database, contents, settings);
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
    create_file(path, config);
    return open(path, settings);
}

Recording Recording::open(const fs::path& path, const Settings& settings) {
    return Recording(std::make_unique<Impl>(regular_file(path), Access::write, settings));
}

Recording Recording::open_read_only(const fs::path& path) {
    const fs::path file = regular_file(path);
    return Recording(std::make_unique<Impl>(file, access_for_reading(file), Settings{}));
}

const RecordingId& Recording::id() const noexcept {
    return impl_->contents.id;
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

void Recording::append(Sequence sequence, const std::string& producer, const ProducerMark& mark, Bytes message) {
    impl_->writing().append(sequence, producer, mark, message);
}

void Recording::attach_decisions(Sequence sequence, Bytes decisions) {
    impl_->writing().attach_decisions(sequence, decisions);
}

void Recording::refuse(const Refusal& refusal) {
    impl_->writing().refuse(refusal);
}

void Recording::expire(Sequence through) {
    impl_->writing().expire(through);
}

void Recording::commit() {
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

std::optional<Checkpoint> Recording::newest_checkpoint() const {
    return impl_->reader->newest_checkpoint();
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

void Recording::for_each_event(Sequence first, const std::function<bool(const RecordedEvent&)>& each) const {
    impl_->reader->for_each_event(first, each);
}

}  // namespace fairstream::recording
