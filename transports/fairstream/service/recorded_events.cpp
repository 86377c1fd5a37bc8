#include <fairstream/service/recorded_events.hpp>

#include <string>
#include <utility>
#include <variant>

#include <fairstream/log/running_hash.hpp>

namespace fairstream::service {

namespace {

using log::RecordedEvent;
using log::RecordingError;

constexpr std::size_t decision_bytes = sizeof(std::uint32_t) + 1;  // model index, little-endian; whether it was skipped

}  // namespace

std::vector<std::byte> write_decisions(std::span<const Decision> decisions) {
    std::vector<std::byte> bytes;
    bytes.reserve(decisions.size() * decision_bytes);
    for (const Decision& decision : decisions) {
        for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<std::byte>(decision.model >> shift));
        bytes.push_back(std::byte{decision.skipped});
    }
    return bytes;
}

std::vector<Decision> read_decisions(std::span<const std::byte> bytes) {
    if (bytes.size() % decision_bytes != 0) {
        throw InvalidInput(Reason::malformed,
                           std::to_string(bytes.size()) + " bytes of decisions are not a multiple of 5");
    }
    std::vector<Decision> decisions(bytes.size() / decision_bytes);
    for (std::size_t i = 0; i < decisions.size(); ++i) {
        const auto row = bytes.subspan(i * decision_bytes, decision_bytes);
        for (std::size_t b = 0; b < 4; ++b) decisions[i].model |= std::to_integer<std::uint32_t>(row[b]) << (8 * b);
        decisions[i].skipped = row[4] != std::byte{0};
    }
    return decisions;
}

Event read_event(const RecordedEvent& recorded, wire::AlignedMessage& message) {
    const std::string name = "event " + std::to_string(recorded.sequence);
    try {
        message.assign(recorded.message);
        wire::IngestRequest request = wire::read_ingest_request(message);
        if (auto* event = std::get_if<wire::EventMessage>(&request)) return std::move(event->event);
    } catch (const InvalidInput& error) {
        throw RecordingError(name + " cannot be read: " + error.what());
    }
    throw RecordingError(name + " cannot be read: its message holds no event");
}

void replay_events(const log::EventLog& log, Engine& engine, std::uint64_t running_hash,
                   const std::function<void(const Replayed&)>& each) {
    wire::AlignedMessage message;
    log.for_each_event(engine.sequence() + 1, [&](const RecordedEvent& recorded) {
        const std::string name = "event " + std::to_string(recorded.sequence);
        if (recorded.sequence != engine.sequence() + 1) {
            throw RecordingError(name + " came where " + std::to_string(engine.sequence() + 1) +
                                 " is needed: older events were deleted");
        }
        const Event event = read_event(recorded, message);
        try {
            const Update& update = engine.ingest(event, read_decisions(recorded.decisions));
            running_hash = log::running_hash_after(running_hash, recorded);
            each({recorded, running_hash, update});
        } catch (const InvalidInput& error) {
            throw RecordingError(name + " cannot be taken in again: " + error.what());
        }
        return true;
    });
}

}  // namespace fairstream::service
