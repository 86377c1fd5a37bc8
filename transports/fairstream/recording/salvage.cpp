#include <fairstream/recording/salvage.hpp>

#include <algorithm>
#include <optional>
#include <system_error>
#include <utility>

#include <fairstream/recording/detail/layout.hpp>
#include <fairstream/recording/detail/log_scan.hpp>
#include <fairstream/recording/detail/opening.hpp>
#include <fairstream/recording/detail/patched_vfs.hpp>
#include <fairstream/recording/detail/rows.hpp>

namespace fairstream::recording {

namespace {

/// Events in a row that are looked for in vain before the rest counts as lost: more than one page can lead to.
constexpr Sequence most_looked_for = Sequence{1} << 20;

/// Returns what a function reads; nothing where that is damaged.
template <class Read> std::optional<Sequence> number_or_none(const Read& read) {
    try {
        return read();
    } catch (const RecordingError&) {
        return std::nullopt;
    }
}

/// Returns the configuration; empty where it is damaged.
std::string recorded_config(Database& database) {
    try {
        Statement meta(database, select(meta_columns, "meta"));
        Rows rows = meta.query();
        if (rows.next()) return std::string(read_meta(rows).config);
    } catch (const RecordingError&) {  // names what SQLite looked for
    }
    return {};
}

/// Returns what makes the header of a damaged file one that SQLite takes.
std::vector<Patch> header_of(const std::filesystem::path& path) {
    std::vector<Patch> patches(1);
    patches[0].bytes = mended_header(Database(path, access_for_reading(path, system_files())));
    return patches;
}

/// Returns what makes SQLite read a damaged log to its end; nothing for one that is not damaged.
std::vector<Patch> log_of_damaged(const std::filesystem::path& path) {
    try {
        const std::unique_ptr<OpenFile> log = system_files().open(log_of(path), Files::Open::reading);
        if (log == nullptr || scan_log(*log).damage.empty()) return {};
        return mended_log(*log);
    } catch (const std::system_error& error) {
        fail(path, std::string("its log cannot be read: ") + error.what());
    }
}

Sequence oldest_event(Database& database) {
    Statement statement(database, select(state_columns, "state"));
    Rows rows = statement.query();
    return rows.next() ? read_state(rows).first_sequence : 0;
}

Sequence newest_event(Database& database) {
    Statement statement(database, "SELECT max(sequence) FROM events");
    Rows rows = statement.query();
    return rows.next() ? rows.number(0) : 0;
}

Sequence newest_event_of_producers(Database& database) {
    Sequence newest = 0;
    Statement statement(database, select(producer_columns, "producers"));
    for (Rows rows = statement.query(); rows.next();) newest = std::max(newest, read_producer(rows).last_sequence);
    return newest;
}

}  // namespace

struct Salvage::Impl {
    explicit Impl(const std::filesystem::path& path) : Impl(regular_file(path, system_files()), Checked{}) {}
    struct Checked {};
    Impl(const std::filesystem::path& path, Checked)
        : vfs(system_files(), header_of(path), log_of_damaged(path)),
          database(path, access_for_reading(path, system_files()), system_files(), vfs.name()) {
        refuse_journal(database.file(), system_files());
        database.execute("PRAGMA cell_size_check = ON");
        database.execute("PRAGMA trusted_schema = OFF");
        // Without it SQLite reads nothing of a file that is shorter than its header says. It is open for reading alone.
        database.execute("PRAGMA writable_schema = ON");
        config = recorded_config(database);
        try {
            events.emplace(database, select(event_columns, "events WHERE sequence >= ?1 ORDER BY sequence LIMIT 1"));
        } catch (const RecordingError&) {  // names what SQLite looked for
            fail(database.file(), "nothing in it can be read: its tables are cut off or damaged");
        }
        oldest = number_or_none([&] { return oldest_event(database); }).value_or(0);
        // The newest event may be in a damaged page, or what leads to it; the producers are elsewhere.
        const auto of_events = number_or_none([&] { return newest_event(database); }),
                   of_producers = number_or_none([&] { return newest_event_of_producers(database); });
        last = std::max(of_events.value_or(0), of_producers.value_or(0));
        knows_last = of_events || of_producers;
        if (config.empty() && last == 0)
            fail(database.file(),
                 "nothing in it can be read: its configuration, which its events are read by, is cut off or damaged");
    }

    /// The oldest event from `sequence` on, or, where it or what leads to it is damaged, the newest sequence that is
    /// lost.
    struct Found {
        Sequence sequence = 0;
        std::optional<RecordedEvent> event = {};
    };
    [[nodiscard]] Found find(Sequence sequence);

    PatchedVfs vfs;
    Database database;
    std::optional<Statement> events;
    std::string config;
    Sequence oldest = 0, last = 0;  // events; before the oldest they were deleted. 0: not known
    bool knows_last = false;
};

Salvage::Impl::Found Salvage::Impl::find(Sequence sequence) {
    Found found{sequence};
    try {
        Rows rows = events->query(sequence);
        if (!rows.next()) return {last};
        found.sequence = rows.number(0);
        const EventRow row = read_event(rows);
        found.event = RecordedEvent{row.sequence,
                                    std::string(row.producer),
                                    row.mark,
                                    {row.message.begin(), row.message.end()},
                                    {row.decisions.begin(), row.decisions.end()}};
    } catch (const RecordingError&) {
        found.event.reset();
    }
    return found;
}

Salvage::Salvage(const std::filesystem::path& path) : impl_(std::make_unique<Impl>(path)) {}
Salvage::~Salvage() = default;
Salvage::Salvage(Salvage&&) noexcept = default;
Salvage& Salvage::operator=(Salvage&&) noexcept = default;

const std::string& Salvage::config() const noexcept {
    return impl_->config;
}
Sequence Salvage::last_sequence() const noexcept {
    return impl_->last;
}
bool Salvage::knows_last_sequence() const noexcept {
    return impl_->knows_last;
}

std::vector<LostEvents> Salvage::for_each_event(Sequence first,
                                                const std::function<bool(const RecordedEvent&)>& each) const {
    std::vector<LostEvents> lost;
    Sequence expected = std::max({first, impl_->oldest, Sequence{1}});  // of which nothing is known yet
    for (Sequence next = expected; next <= impl_->last && next - expected < most_looked_for;) {
        const Impl::Found found = impl_->find(next);
        next = found.sequence + 1;
        if (!found.event) continue;
        if (expected < found.sequence) lost.push_back({expected, found.sequence - 1});
        expected = next;
        if (!each(*found.event)) return lost;
    }
    if (expected <= impl_->last) lost.push_back({expected, impl_->last});
    return lost;
}

}  // namespace fairstream::recording
