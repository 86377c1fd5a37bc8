#include <fairstream/log/sqlite/detail/checkpoint_writer.hpp>

#include <algorithm>
#include <utility>

namespace fairstream::log::sqlite {

namespace {

constexpr std::uint64_t parts_dropped_per_step =
    2;  // more parts than a step writes, so that loose parts do not accumulate
constexpr std::int64_t all = -1;

}  // namespace

CheckpointWriter::CheckpointWriter(Database& database, Contents& contents, RunningHashes& hashes)
    : contents_(contents),
      database_(database),
      hashes_(hashes),
      insert_part_(database, "INSERT INTO checkpoint_parts(checkpoint, part, checksum, bytes) VALUES(?1, ?2, ?3, ?4)"),
      insert_checkpoint_(database, "INSERT INTO checkpoints VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)"),
      delete_checkpoint_(database, "DELETE FROM checkpoints WHERE id = ?1"),
      delete_loose_parts_(database,
                          "DELETE FROM checkpoint_parts WHERE id IN (SELECT id FROM checkpoint_parts "
                          "WHERE checkpoint <> ?1 AND checkpoint NOT IN (SELECT id FROM checkpoints) LIMIT ?2)") {}

void CheckpointWriter::begin(Checkpoint checkpoint, std::optional<std::uint64_t> running_hash) {
    loose_parts_ = loose_parts_ || pending();
    pending_ = Pending{std::move(checkpoint), ++contents_.last_checkpoint_id, 0, 0, {}, running_hash};
}

std::optional<Sequence> CheckpointWriter::oldest_needed() const noexcept {
    if (contents_.checkpoints.size() < kept_checkpoints) return std::nullopt;
    return contents_.checkpoints.front().sequence;
}

void CheckpointWriter::step() {
    if (pending_) {
        write_part();
        if (pending_->bytes == pending_->checkpoint.state.size()) complete();
    }
    if (loose_parts_) {
        delete_loose_parts_.run(pending_ ? pending_->id : 0, parts_dropped_per_step);
        loose_parts_ = database_.changed_rows() == parts_dropped_per_step;
    }
}

void CheckpointWriter::drop_loose_parts() {
    delete_loose_parts_.run(0, all);
}

void CheckpointWriter::write_part() {
    const Bytes rest = Bytes(pending_->checkpoint.state).subspan(pending_->bytes);
    if (rest.empty()) return;
    const PartRow row{pending_->id, pending_->parts, rest.first(std::min(rest.size(), part_bytes))};
    insert_part_.run(row.checkpoint, row.part, checksum(row), row.bytes);
    pending_->hash.add(row.bytes);
    pending_->bytes += row.bytes.size();
    ++pending_->parts;
}

void CheckpointWriter::complete() {
    const std::vector<std::byte> topics = write_topics(pending_->checkpoint.topics);
    const CheckpointRow row{pending_->id,    pending_->checkpoint.sequence, pending_->parts,
                            pending_->bytes, pending_->hash.value(),        topics};
    insert_checkpoint_.run(row.id, row.sequence, row.parts, row.bytes, row.hash, row.topics, checksum(row));
    hashes_.keep(row.id, row.sequence, pending_->running_hash);
    contents_.checkpoints.push_back({row.id, row.sequence, pending_->running_hash});
    contents_.state.newest_checkpoint = row.id;
    while (contents_.checkpoints.size() > kept_checkpoints) {
        delete_checkpoint_.run(contents_.checkpoints.front().id);
        hashes_.forget(contents_.checkpoints.front().id);
        contents_.checkpoints.erase(contents_.checkpoints.begin());
        loose_parts_ = true;
    }
    pending_.reset();
}

}  // namespace fairstream::log::sqlite
