#pragma once
/// Limits on the events that a recording keeps, and the room that they take: the table `growth`, as the writer uses it
/// inside its transaction.

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

    /// Notes an event that is appended, with a message of so many bytes.
    void note(Sequence sequence, std::int64_t time, std::size_t bytes);
    /// Returns the first event that the limits let stay, where a checkpoint of event `needed` is the older one that is
    /// kept; at most `most`, so that not all that may go is looked for at once.
    [[nodiscard]] Sequence first_kept(Sequence needed, Sequence most);
    /// Deletes what is of no more use once events before `first` are gone.
    void forget_before(Sequence first);
    [[nodiscard]] std::uint64_t kept_bytes() const noexcept { return bytes_ - deleted_bytes_; }
    /// See `Storage`.
    [[nodiscard]] std::optional<std::uint64_t> bytes_a_day() const noexcept;

private:
    void add(const GrowthRow& row);
    [[nodiscard]] bool may_go(const GrowthRow& row, const GrowthRow& next) const noexcept;

    const Contents& contents_;
    Settings settings_;
    Statement insert_;
    Statement from_;  // the rows from that on in which an event falls
    Statement delete_;
    std::deque<GrowthRow> last_day_;  // rows with times, and the newest row in any case
    std::int64_t now_ = 0;            // time of the newest event
    std::uint64_t bytes_ = 0;         // of the messages of all events, from the first row on
    std::uint64_t deleted_bytes_ = 0;
};

}  // namespace fairstream::log::sqlite
