#pragma once
/// The tables of update digests and of their builds, as used by the writer inside its transaction.

#include <cstdint>
#include <optional>

#include <fairstream/log/sqlite/detail/database.hpp>
#include <fairstream/log/sqlite/detail/verify.hpp>

namespace fairstream::log::sqlite {

class UpdateDigests {
public:
    explicit UpdateDigests(Database& database);

    /// Adds the digest of an event. Before the first digest of this process, adds its build, unless the same build made
    /// the previous digests.
    void add(Sequence sequence, std::uint64_t digest);
    /// Records that from event `differs_from` on, this build's recovery gave other updates; `next` is the next event
    /// after the recovery.
    void mark_recovery(Sequence differs_from, Sequence next);
    /// Deletes the digests of the events in [first, last].
    void forget(Sequence first, Sequence last);

private:
    void add_build(Sequence from, Sequence differs_from);

    Statement insert_;
    Statement delete_;
    Statement insert_build_;
    std::uint64_t builds_ = 0;     // number of builds in the table
    Sequence marked_ = 0;          // `differs_from` of the newest build
    bool is_build_added_ = false;  // whether the newest build is that of this process
};

}  // namespace fairstream::log::sqlite
