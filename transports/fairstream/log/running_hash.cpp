#include <fairstream/log/running_hash.hpp>

#include <fairstream/log/detail/row_hash.hpp>

namespace fairstream::log {

std::uint64_t event_checksum(Sequence sequence, std::string_view producer, const ProducerMark& mark, Bytes decisions,
                             std::size_t message_size, std::uint64_t message_hash) noexcept {
    return RowHash("events")
        .add(sequence)
        .add(producer)
        .add(mark.epoch)
        .add(mark.producer_sequence)
        .add(decisions)
        .add(message_size, message_hash)
        .value();
}

std::uint64_t next_running_hash(std::uint64_t before, std::uint64_t event_checksum) noexcept {
    return RowHash("running hash").add(before).add(event_checksum).value();
}

std::uint64_t first_running_hash(const RecordingId& id) noexcept {
    return next_running_hash(0, hash_of(id));
}

std::uint64_t running_hash_after(std::uint64_t before, Sequence sequence, std::string_view producer,
                                 const ProducerMark& mark, Bytes message, Bytes decisions) noexcept {
    if (before == 0 && sequence != 1) return 0;
    return next_running_hash(before,
                             event_checksum(sequence, producer, mark, decisions, message.size(), hash_of(message)));
}

std::uint64_t running_hash_after(std::uint64_t before, const RecordedEvent& event) noexcept {
    return running_hash_after(before, event.sequence, event.producer, event.mark, event.message, event.decisions);
}

}  // namespace fairstream::log
