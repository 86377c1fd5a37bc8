#include <fairstream/log/sqlite/salvage.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

#include <fairstream/log/sqlite/detail/layout.hpp>
#include <fairstream/log/sqlite/detail/leaf_scan.hpp>
#include <fairstream/log/sqlite/detail/log_scan.hpp>
#include <fairstream/log/sqlite/detail/opening.hpp>
#include <fairstream/log/sqlite/detail/patched_vfs.hpp>
#include <fairstream/log/sqlite/detail/rows.hpp>

namespace fairstream::log::sqlite {

namespace {

/// Number of consecutive missing events after which the rest counts as lost. A single damaged page hides fewer events.
constexpr Sequence most_looked_for = Sequence{1} << 20;

/// Returns the result of `read`; nothing if its data are damaged.
template <class Read> std::optional<Sequence> number_or_none(const Read& read) {
    try {
        return read();
    } catch (const RecordingError&) {
        return std::nullopt;
    }
}

/// Returns the configuration; empty if damaged.
std::string recorded_config(Database& database) {
    try {
        Statement meta(database, select(meta_columns, "meta"));
        Rows rows = meta.query();
        if (rows.next()) return std::string(read_meta(rows).config);
    } catch (const RecordingError&) {  // its text would only tell what SQLite looked for
    }
    return {};
}

/// The patches with which SQLite reads around the damage of a file and of its log.
struct Patches {
    std::vector<Patch> file_patches, log_patches;
};

/// Returns patches that make SQLite accept the file's header and, if the log is damaged, read the log to its end.
/// `pages` replace the same pages of the file and the log.
Patches patches_for(const std::filesystem::path& path, const LogPages& pages = {}) {
    Patches patches;
    const std::vector<std::byte> header = repaired_header(Database(path, access_for_reading(path, system_files())));
    patches.file_patches.push_back({0, header});
    for (const auto& [number, bytes] : pages)
        patches.file_patches.push_back({std::uint64_t{number - 1} * page_bytes, bytes});
    const std::unique_ptr<OpenFile> log = system_files().open(log_of(path), Files::Open::reading);
    if (log == nullptr || (pages.empty() && scan_log(*log).damage.empty())) return patches;
    LogPages of_log = pages;
    of_log.emplace(1, header);
    patches.log_patches = log_repair_patches(*log, of_log);
    return patches;
}

/// A connection to a file, read through patches.
struct View {
    View(const std::filesystem::path& path, Patches patches)
        : vfs(system_files(), std::move(patches.file_patches), std::move(patches.log_patches)),
          database(path, access_for_reading(path, system_files()), system_files(), vfs.name()) {
        database.execute("PRAGMA cell_size_check = ON");
        database.execute("PRAGMA trusted_schema = OFF");
        // Without this SQLite reads nothing from a file that is shorter than its header says. The file is open only for
        // reading.
        database.execute("PRAGMA writable_schema = ON");
    }

    PatchedVfs vfs;
    Database database;
    std::optional<Statement> events;  // reads the next event from a sequence on
    Sequence first = 0;               // first event that the view leads to
};

void find_events(View& view) {
    view.events.emplace(view.database, select(event_columns, "events WHERE sequence >= ?1 ORDER BY sequence LIMIT 1"));
}

/// Returns whether pages of events, or pages that lead to them, are damaged.
bool is_tree_damaged(Database& database) {
    try {
        (void)database.number("SELECT count(*) FROM events");
        return false;
    } catch (const RecordingError&) {
        return true;
    }
}

/// Returns views that lead, through rebuilt roots, to all events on intact pages; empty if there are no such pages.
std::vector<std::unique_ptr<View>> views_by_leaves(const std::filesystem::path& path, std::uint32_t root) {
    const std::unique_ptr<OpenFile> file = system_files().open(path, Files::Open::reading),
                                    log = system_files().open(log_of(path), Files::Open::reading);
    std::vector<EventLeaf> leaves = leaves_of_events(
        *file, log.get(), log == nullptr ? std::map<std::uint32_t, std::uint64_t>() : frames_of_log(*log));
    std::erase_if(leaves, [&](const EventLeaf& leaf) { return leaf.page == root; });
    std::vector<std::unique_ptr<View>> views;
    for (std::size_t at = 0; at < leaves.size(); at += most_leaves_of_root) {
        // A root must lead to two leaves: a single leaf is listed twice, which is harmless.
        std::vector<EventLeaf> some(
            leaves.begin() + static_cast<std::ptrdiff_t>(at),
            leaves.begin() + static_cast<std::ptrdiff_t>(std::min(at + most_leaves_of_root, leaves.size())));
        if (some.size() == 1) some.push_back(some[0]);
        views.push_back(std::make_unique<View>(path, patches_for(path, {{root, root_of(some)}})));
        views.back()->first = some[0].first;
        find_events(*views.back());
    }
    return views;
}

StateRow state_of(Database& database) {
    Statement statement(database, select(state_columns, "state"));
    Rows rows = statement.query();
    return rows.next() ? read_state(rows) : StateRow{.first_sequence = 0};
}

Sequence oldest_event(Database& database) {
    return state_of(database).first_sequence;
}

/// Returns whether the file's log is missing.
bool is_log_missing(Database& database, const std::filesystem::path& path) {
    try {
        if (!state_of(database).log_follows) return false;
        const std::unique_ptr<OpenFile> log = system_files().open(log_of(path), Files::Open::reading);
        return log == nullptr || log->status().size < bytes_of_log(1);
    } catch (const RecordingError&) {
        return false;  // unknown whether the file had a log
    }
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
    explicit Impl(const std::filesystem::path& given) : path(regular_file(given, system_files())) {
        refuse_journal(path, system_files());
        views.push_back(std::make_unique<View>(path, patches_for(path)));
        Database& database = views[0]->database;
        config = recorded_config(database);
        try {
            find_events(*views[0]);
        } catch (const RecordingError&) {  // its text would only tell what SQLite looked for
            fail(path, "nothing in it can be read: its tables are cut off or damaged");
        }
        oldest = number_or_none([&] { return oldest_event(database); }).value_or(0);
        // The newest event, or a page that leads to it, may be damaged; the table of producers is stored elsewhere.
        const auto of_events = number_or_none([&] { return newest_event(database); }),
                   of_producers = number_or_none([&] { return newest_event_of_producers(database); });
        last = std::max(of_events.value_or(0), of_producers.value_or(0));
        last_is_known = of_events || of_producers;
        lacks_log = is_log_missing(database, path);
        if (config.empty() && last == 0)
            fail(path,
                 "nothing in it can be read: its configuration, without which events cannot be read, is cut off or "
                 "damaged");
    }

    /// Searches for pages of events directly, if SQLite does not reach all of them.
    void look_for_leaves();
    /// The oldest event from `sequence` on. If this event, or a page that leads to it, is damaged: the newest lost
    /// sequence.
    struct FoundEvent {
        Sequence sequence = 0;
        std::optional<RecordedEvent> event = {};
    };
    [[nodiscard]] FoundEvent find(Sequence sequence);

    std::filesystem::path path;
    std::vector<std::unique_ptr<View>> views;  // in the order of their events
    std::string config;
    Sequence oldest = 0, last = 0;  // `oldest`: earlier events were deleted; 0: unknown
    bool last_is_known = false, lacks_log = false;
    bool looked_for_leaves = false;
};

void Salvage::Impl::look_for_leaves() {
    if (std::exchange(looked_for_leaves, true) || !is_tree_damaged(views[0]->database)) return;
    try {
        const auto root = static_cast<std::uint32_t>(
            views[0]->database.number("SELECT rootpage FROM sqlite_schema WHERE name = 'events'"));
        std::vector<std::unique_ptr<View>> by_leaves = views_by_leaves(path, root);
        if (!by_leaves.empty()) views = std::move(by_leaves);
    } catch (const std::system_error& error) {
        fail(path, std::string("it cannot be read: ") + error.what());
    }
}

Salvage::Impl::FoundEvent Salvage::Impl::find(Sequence sequence) {
    // A view leads to no event after its last one; the next view leads to none before its first.
    for (std::size_t i = 0; i < views.size(); ++i) {
        if (i + 1 < views.size() && views[i + 1]->first <= sequence) continue;
        FoundEvent found{sequence};
        try {
            Rows rows = views[i]->events->query(sequence);
            if (!rows.next()) continue;
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
    return {last};
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
bool Salvage::lacks_log() const noexcept {
    return impl_->lacks_log;
}
bool Salvage::knows_last_sequence() const noexcept {
    return impl_->last_is_known;
}

std::vector<LostEvents> Salvage::for_each_event(Sequence first,
                                                const std::function<bool(const RecordedEvent&)>& each) const {
    std::vector<LostEvents> lost;
    impl_->look_for_leaves();
    Sequence expected = std::max({first, impl_->oldest, Sequence{1}});  // first event not yet accounted for
    for (Sequence next = expected; next <= impl_->last && next - expected < most_looked_for;) {
        const Impl::FoundEvent found = impl_->find(next);
        next = found.sequence + 1;
        if (!found.event) continue;
        if (expected < found.sequence) lost.push_back({expected, found.sequence - 1});
        expected = next;
        if (!each(*found.event)) return lost;
    }
    if (expected <= impl_->last) lost.push_back({expected, impl_->last});
    return lost;
}

}  // namespace fairstream::log::sqlite
