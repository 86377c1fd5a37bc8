#pragma once
/// The property of message readers for any bytes: they refuse them, or read a message that is unchanged by writing and
/// reading again.

#include <algorithm>

#include <fairstream/wire/messages.hpp>

#include "fuzz/oracle.hpp"
#include "wire/samples.hpp"

namespace fairstream::fuzz {

/// `read` reads bytes as a message of one family.
template <class Read> void check_message(wire::Bytes bytes, const Read& read) {
    wire::AlignedMessage message;
    wire::test::Message first;
    try {
        message.assign(bytes);
        first = read(message);
    } catch (const InvalidInput&) {
        return;
    }
    const std::vector<std::byte> written = wire::test::encoded(first);
    const wire::AlignedMessage again(written);
    const wire::test::Message second = read(again);
    require(wire::test::show(second) == wire::test::show(first), "written and read again, a message is the same");
    require(std::ranges::equal(wire::test::encoded(second), written), "equal messages are written as equal bytes");
}

}  // namespace fairstream::fuzz
