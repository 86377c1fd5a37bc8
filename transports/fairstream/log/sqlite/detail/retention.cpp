#include <fairstream/log/sqlite/detail/retention.hpp>

#include <algorithm>

namespace fairstream::log::sqlite {

namespace {

// Largest extent of a row of `growth`. Smaller: more rows, and more exact limits.
constexpr std::int64_t most_time = 60'000'000;  // microseconds
constexpr std::uint64_t most_bytes = std::uint64_t{4} << 20;
constexpr std::int64_t hour = 60 * most_time, day = 24 * hour;

}  // namespace

Retention::Retention(Database& database, const Contents& contents, const Settings& settings)
    : contents_(contents),
      settings_(settings),
      insert_(database, "INSERT INTO growth VALUES(?1, ?2, ?3, ?4)"),
      from_(database, select(growth_columns,
                             "growth WHERE sequence >= ifnull((SELECT max(sequence) FROM growth WHERE sequence <= ?1), "
                             "0) ORDER BY sequence")),
      delete_(database, "DELETE FROM growth WHERE sequence < ?1 AND time < ?2") {
    Statement newest(database, select(growth_columns, "growth ORDER BY sequence DESC"));
    for (Rows rows = newest.query(); rows.next();) {
        const GrowthRow row = read_growth(rows);
        if (!last_day_.empty() && (row.time == 0 || row.time < now_ - day)) break;
        now_ = std::max(now_, row.time);
        last_day_.push_front(row);
    }
    if (last_day_.empty()) {
        bytes_ = contents.storage.kept_bytes;
        return;
    }
    Statement since(database, "SELECT ifnull(sum(length(message)), 0) FROM events WHERE sequence >= ?1");
    Rows rows = since.query(last_day_.back().sequence);
    bytes_ = last_day_.back().bytes + (rows.next() ? rows.number(0) : 0);
    deleted_bytes_ = bytes_ - contents.storage.kept_bytes;
}

void Retention::note(Sequence sequence, std::int64_t time, std::size_t bytes) {
    now_ = std::max(now_, time);  // a clock set back does not lower times
    const bool has_older = bytes_ > 0;
    if (last_day_.empty() && has_older) add({contents_.state.first_sequence, now_, 0});
    if (last_day_.empty() || now_ - last_day_.back().time >= most_time || bytes_ - last_day_.back().bytes >= most_bytes)
        add({sequence, now_, bytes_});
    bytes_ += bytes;
}

void Retention::add(const GrowthRow& row) {
    insert_.run(row.sequence, row.time, row.bytes, checksum(row));
    last_day_.push_back(row);
    while (last_day_.size() > 1 && (last_day_.front().time == 0 || last_day_.front().time < now_ - day))
        last_day_.pop_front();
}

// Returns whether the events from one row up to the next may be deleted. Each of them came within `most_time` of its
// row, and before the next row.
bool Retention::may_delete(const GrowthRow& row, const GrowthRow& next) const noexcept {
    const std::int64_t newest = row.time == 0 ? next.time : std::min(row.time + most_time, next.time);
    const bool is_old = settings_.keep_for > 0 && newest > 0 && newest <= now_ - settings_.keep_for;
    return is_old || (settings_.keep_bytes > 0 && bytes_ - row.bytes > settings_.keep_bytes);
}

Sequence Retention::first_kept(Sequence needed, Sequence most) {
    const Sequence first = contents_.state.first_sequence;
    Sequence kept = first;
    if (settings_.keep_events > 0 && needed > settings_.keep_events) kept = needed - settings_.keep_events + 1;
    if (settings_.keep_for > 0 || settings_.keep_bytes > 0) {
        std::optional<GrowthRow> before;
        for (Rows rows = from_.query(first); rows.next();) {
            const GrowthRow row = read_growth(rows);
            if (before && (!may_delete(*before, row) || before->sequence > most)) break;
            if (before) kept = std::max(kept, row.sequence);
            before = row;
        }
    }
    return std::min({kept, needed + 1, most});
}

void Retention::forget_before(Sequence first) {
    Rows rows = from_.query(first);
    if (!rows.next()) return;
    const GrowthRow row = read_growth(rows);
    deleted_bytes_ = row.bytes;
    delete_.run(row.sequence, static_cast<std::uint64_t>(now_ - day));
}

std::optional<std::uint64_t> Retention::bytes_a_day() const noexcept {
    if (last_day_.empty() || last_day_.front().time == 0) return std::nullopt;
    const GrowthRow& first = last_day_.front();
    if (now_ - first.time < hour) return std::nullopt;
    const double days = static_cast<double>(now_ - first.time) / static_cast<double>(day);
    return static_cast<std::uint64_t>(static_cast<double>(bytes_ - first.bytes) / days);
}

}  // namespace fairstream::log::sqlite
