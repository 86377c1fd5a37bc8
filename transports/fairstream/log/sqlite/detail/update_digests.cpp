#include <fairstream/log/sqlite/detail/update_digests.hpp>

#include <fairstream/log/sqlite/detail/rows.hpp>
#include <fairstream/numeric/cpu_level.hpp>

namespace fairstream::log::sqlite {

UpdateDigests::UpdateDigests(Database& database)
    : insert_(database, "INSERT INTO update_digests VALUES(?1, ?2, ?3)"),
      delete_(database, "DELETE FROM update_digests WHERE sequence BETWEEN ?1 AND ?2"),
      insert_build_(database, "INSERT INTO builds VALUES(?1, ?2, ?3, ?4, ?5, ?6)") {
    Statement newest(database, select(build_columns, "builds ORDER BY id DESC LIMIT 1"));
    Rows rows = newest.query();
    if (!rows.next()) return;
    const BuildRow row = read_build(rows);
    builds_ = row.id;
    marked_ = row.differs_from;
    is_build_added_ = row.version == FAIRSTREAM_VERSION && row.cpu_level == cpu_level();
}

void UpdateDigests::add(Sequence sequence, std::uint64_t digest) {
    if (!is_build_added_) add_build(sequence, 0);
    const UpdateDigestRow row{sequence, digest};
    insert_.run(row.sequence, row.digest, checksum(row));
}

void UpdateDigests::mark_recovery(Sequence differs_from, Sequence next) {
    // Adds the difference once, although a recovery that was killed before its checkpoint finds it again.
    if (!is_build_added_ || marked_ != differs_from) add_build(next, differs_from);
}

void UpdateDigests::forget(Sequence first, Sequence last) {
    delete_.run(first, last);
}

void UpdateDigests::add_build(Sequence from, Sequence differs_from) {
    const BuildRow row{++builds_, from, FAIRSTREAM_VERSION, cpu_level(), differs_from};
    insert_build_.run(row.id, row.sequence, row.version, row.cpu_level, row.differs_from, checksum(row));
    marked_ = differs_from;
    is_build_added_ = true;
}

}  // namespace fairstream::log::sqlite
