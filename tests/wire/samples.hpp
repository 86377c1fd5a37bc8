#pragma once
/// One message of every kind, and what tests need to handle messages of any kind alike.

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include <fairstream/wire/messages.hpp>

namespace fairstream::wire::test {

using Message = std::variant<IngestRequest, IngestReply, Publication, ControlRequest, ControlReply>;

struct Sample {
    std::string name;  ///< of its fixture, without the extension
    Message message;   ///< columns borrow from static memory
};

/// Every alternative of every message at least once. Changing a value here changes the fixtures: add samples, keep
/// these.
[[nodiscard]] const std::vector<Sample>& samples();

/// The message as a reader finds it in bytes of the first version of the schema: fields that came later are 0.
[[nodiscard]] Message as_first_written(Message message);
/// The message as a reader finds it in bytes of the second and of the third version.
[[nodiscard]] Message as_second_written(Message message);
[[nodiscard]] Message as_third_written(Message message);
/// Likewise with what the fourth version had.
[[nodiscard]] Message as_fourth_written(Message message);
/// Returns whether the sample has fields that came with version 2, 3 or 4: then its bytes of that version are in the
/// folder `v2`, `v3` or `v4` too.
[[nodiscard]] bool has_grown(const Sample& sample, int version);

/// All fields in one text: messages are equal when their texts are. Reads every byte of every column.
[[nodiscard]] std::string show(const Message& message);

Bytes write_any(const Message& message, Encoder& encoder);
/// Reads bytes as a message of the same family as `like`.
[[nodiscard]] Message read_like(const Message& like, const AlignedMessage& bytes);

[[nodiscard]] std::vector<std::byte> encoded(const Message& message);

}  // namespace fairstream::wire::test
