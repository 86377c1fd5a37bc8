#include "fuzz/wire_messages.hpp"

namespace fairstream::fuzz {
namespace {

// A subscriber reads the publications in a reply like published ones.
void check_publications(const wire::AlignedMessage& message) {
    wire::ControlReply reply;
    try {
        reply = wire::read_control_reply(message);
    } catch (const InvalidInput&) {
        return;
    }
    if (const auto* publications = std::get_if<wire::Publications>(&reply.body))
        for (const wire::Bytes bytes : publications->messages) check_message(bytes, wire::read_publication);
}

}  // namespace
}  // namespace fairstream::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace fairstream;
    const wire::Bytes bytes = fuzz::bytes_of(data, size);
    fuzz::check_message(bytes, wire::read_control_reply);
    if (size % sizeof(std::uint64_t) == 0) fuzz::check_publications(wire::AlignedMessage(bytes));
    return 0;
}
