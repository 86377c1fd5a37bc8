#include <fairstream/recording/salvage.hpp>

#include <algorithm>
#include <optional>
#include <utility>

#include <fairstream/recording/detail/layout.hpp>
#include <fairstream/recording/detail/opening.hpp>
#include <fairstream/recording/detail/rows.hpp>

namespace fairstream::recording {

namespace {

/// Returns a number that a query gives; 0 where what it reads is damaged.
std::uint64_t number_or_none(Database& database, const std::string& sql) {
    try {
        Statement statement(database, sql);
        Rows rows = statement.query();
        return rows.next() ? rows.number(0) : 0;
    } catch (const RecordingError&) {
        return 0;
    }
}

}  // namespace

struct Salvage::Impl {
    explicit Impl(const std::filesystem::path& path)
        : database(regular_file(path, system_files()), access_for_reading(path, system_files())) {
        check_header(database);
        refuse_journal(database.file(), system_files());
        database.execute("PRAGMA cell_size_check = ON");
        database.execute("PRAGMA trusted_schema = OFF");
        Statement meta(database, select(meta_columns, "meta"));
        Rows rows = meta.query();
        if (!rows.next()) fail(database.file(), "table meta is empty");
        config = read_meta(rows).config;
        events.emplace(database, select(event_columns, "events WHERE sequence >= ?1 ORDER BY sequence LIMIT 1"));
        oldest = number_or_none(database, "SELECT first_sequence FROM state");
        // Either may be in a damaged page.
        for (const char* sql : {"SELECT max(sequence) FROM events", "SELECT max(last_sequence) FROM producers"})
            last = std::max(last, number_or_none(database, sql));
    }

    /// The oldest event from `sequence` on, or, where it or what leads to it is damaged, the newest sequence that is
    /// lost.
    struct Found {
        Sequence sequence = 0;
        std::optional<RecordedEvent> event = {};
    };
    [[nodiscard]] Found find(Sequence sequence);

    Database database;
    std::optional<Statement> events;
    std::string config;
    Sequence oldest = 0, last = 0;  // events; before the oldest they were deleted. 0: not known
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

std::vector<LostEvents> Salvage::for_each_event(Sequence first,
                                                const std::function<bool(const RecordedEvent&)>& each) const {
    std::vector<LostEvents> lost;
    Sequence expected = std::max({first, impl_->oldest, Sequence{1}});  // of which nothing is known yet
    for (Sequence next = expected; next <= impl_->last;) {
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
