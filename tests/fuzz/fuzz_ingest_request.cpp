#include "fuzz/wire_messages.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace fairstream;
    fuzz::check_message(fuzz::bytes_of(data, size), [](const wire::AlignedMessage& message) {
        const auto mark = wire::read_event_mark(message);
        wire::IngestRequest request = wire::read_ingest_request(message);
        const auto* event = std::get_if<wire::EventMessage>(&request);
        fuzz::require(mark.has_value() == (event != nullptr), "exactly events have marks");
        fuzz::require(event == nullptr || (event->producer == mark->producer && event->epoch == mark->epoch &&
                                           event->producer_sequence == mark->producer_sequence),
                      "a refusal names the producer and the number that the event has");
        return request;
    });
    return 0;
}
