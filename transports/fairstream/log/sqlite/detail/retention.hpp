#pragma once
/// Limits on the events that a recording keeps, and their storage: the table `growth`, as used by the writer inside its
/// transaction.

#include <cstdint>
#include <deque>
#include <optional>

#include <fairstream/log/sqlite/detail/database.hpp>
#include <fairstream/log/sqlite/detail/rows.hpp>
#include <fairstream/log/sqlite/detail/verify.hpp>

namespace fairstream::log::sqlite {

class Retention {
public:
    Retention(Database& database, const Contents& contents, const Settings& settings);

    /// Notes an appended event whose message has `bytes` bytes.
    void note(Sequence sequence, std::int64_t time, std::size_t bytes);
    /// Returns the first event that the limits keep, at most `most`, which bounds the deletions of one call. `needed`
    /// is the event of the older kept checkpoint.
    [[nodiscard]] Sequence first_kept(Sequence needed, Sequence most);
    /// Deletes the rows that are useless once events before `first` are gone.
    void forget_before(Sequence first);
    [[nodiscard]] std::uint64_t kept_bytes() const noexcept { return bytes_ - deleted_bytes_; }
    /// See `Storage`.
    [[nodiscard]] std::optional<std::uint64_t> bytes_a_day() const noexcept;

private:
    void add(const GrowthRow& row);
    [[nodiscard]] bool may_delete(const GrowthRow& row, const GrowthRow& next) const noexcept;

    const Contents& contents_;
    Settings settings_;
    Statement insert_;
    Statement from_;  // selects the rows from a given event's row on
    Statement delete_;
    std::deque<GrowthRow> last_day_;  // rows with times, and always the newest row
    std::int64_t now_ = 0;            // time of the newest event
    std::uint64_t bytes_ = 0;         // bytes of the messages of all events since the first row
    std::uint64_t deleted_bytes_ = 0;
};

}  // namespace fairstream::log::sqlite
