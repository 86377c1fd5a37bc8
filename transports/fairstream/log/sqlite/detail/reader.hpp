#pragma once
/// Queries of a recording's tables in their current state, for the writer's own connection and for readers.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fairstream/log/sqlite/detail/database.hpp>
#include <fairstream/log/sqlite/detail/verify.hpp>

namespace fairstream::log::sqlite {

class Reader {
public:
    Reader(Database& database, Contents& contents);

    [[nodiscard]] Sequence first_sequence();
    [[nodiscard]] Sequence last_sequence();
    [[nodiscard]] std::uint64_t refused_count();
    [[nodiscard]] std::optional<std::uint64_t> running_hash();
    [[nodiscard]] std::optional<Checkpoint> newest_checkpoint();
    [[nodiscard]] std::optional<Checkpoint> oldest_checkpoint();
    [[nodiscard]] std::vector<Build> builds();
    [[nodiscard]] std::vector<AppendTime> times();
    [[nodiscard]] std::vector<Erasure> erasures();
    [[nodiscard]] std::map<std::string, KnownProducer> producers();
    [[nodiscard]] Expiry expiry();
    [[nodiscard]] std::optional<Refusal> find_refusal(const std::string& producer, const ProducerMark& mark);
    [[nodiscard]] std::optional<Sequence> find_event(const std::string& producer, const ProducerMark& mark);
    [[nodiscard]] std::vector<Refusal> refusals();
    void for_each_event(Sequence first, const std::function<bool(const RecordedEvent&)>& each, OnDeletion on_deletion);

private:
    [[nodiscard]] Producers read_producers();
    [[nodiscard]] std::optional<Checkpoint> first_checkpoint(Statement& of);
    std::vector<std::byte> read_state(const CheckpointRow& row);
    void note_new_events();

    Database& database_;
    Contents& contents_;  // beside a writer, a reader extends its producers' positions as the file grows
    Statement first_sequence_;
    Statement last_sequence_;
    Statement refused_count_;
    Statement newest_checkpoint_;
    Statement oldest_checkpoint_;
    Statement checkpoint_parts_;
    Statement producers_;
    Statement find_refusal_;
    Statement event_marks_;
    Statement refused_messages_;
    std::optional<Statement> running_hash_;     // for a checkpoint; nothing for files of older formats
    std::optional<Statement> owners_, floors_;  // nothing for files of older formats
};

}  // namespace fairstream::log::sqlite
