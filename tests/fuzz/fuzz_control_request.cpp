#include "fuzz/wire_messages.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace fairstream;
    fuzz::check_message(fuzz::bytes_of(data, size), [](const wire::AlignedMessage& message) {
        const std::uint64_t number = wire::read_request_number(message);
        wire::ControlRequest request = wire::read_control_request(message);
        fuzz::require(request.request == number, "a refusal goes to the number that the request has");
        return request;
    });
    return 0;
}
