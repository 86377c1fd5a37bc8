#include "fuzz/wire_messages.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace fairstream;
    fuzz::check_message(fuzz::bytes_of(data, size), wire::read_publication);
    return 0;
}
