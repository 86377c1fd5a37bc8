#pragma once
/// The tables of update digests and of the builds that made them, as the writer uses them inside its transaction.

#include <cstdint>
#include <optional>

#include <fairstream/log/sqlite/detail/database.hpp>
#include <fairstream/log/sqlite/detail/verify.hpp>

namespace fairstream::log::sqlite {

class UpdateDigests {
public:
    explicit UpdateDigests(Database& database);

    /// Adds the digest of an event, and before the first one of this process its build, if it is another one than that
    /// of the digests before.
    void add(Sequence sequence, std::uint64_t digest);
    /// Adds that this build's recovery, after which `next` is the next event, came to other updates from an event on.
    void mark_recovery(Sequence differs_from, Sequence next);
    /// Deletes the digests of the events in [first, last].
    void forget(Sequence first, Sequence last);

private:
    void add_build(Sequence from, Sequence differs_from);

    Statement insert_;
    Statement delete_;
    Statement insert_build_;
    std::uint64_t builds_ = 0;     // in the table
    Sequence marked_ = 0;          // `differs_from` of the newest one
    bool is_build_added_ = false;  // whether the newest one is this build
};

}  // namespace fairstream::log::sqlite
