#pragma once
/// One message of every kind, and functions for tests of messages of any kind.

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include <fairstream/wire/messages.hpp>

namespace fairstream::wire::test {

using Message = std::variant<IngestRequest, IngestReply, Publication, ControlRequest, ControlReply>;

struct Sample {
    std::string name;  ///< name of its fixture, without the extension
    Message message;   ///< columns borrow from static memory
};

/// Every alternative of every message, at least once. A changed value changes the fixtures: add samples, and keep
/// these.
[[nodiscard]] const std::vector<Sample>& samples();

inline constexpr int newest_version = 13;  ///< of the schema

/// Returns the message as read from bytes of this version of the schema: later fields are 0.
[[nodiscard]] Message as_written(Message message, int version);
/// Returns whether the sample has fields that came with this version, from 2 on. Its bytes of that version are then in
/// the folder `vN`, too; those of the first version are in `v1`.
[[nodiscard]] bool has_grown(const Sample& sample, int version);
/// Returns the newest version with which the sample grew; 1: it never did.
[[nodiscard]] int last_grown(const Sample& sample);

/// Returns all fields as one text: messages are equal if their texts are. Reads every byte of every column.
[[nodiscard]] std::string show(const Message& message);

Bytes write_any(const Message& message, Encoder& encoder);
/// Reads bytes as a message of the same family as `like`.
[[nodiscard]] Message read_like(const Message& like, const AlignedMessage& bytes);

[[nodiscard]] std::vector<std::byte> encoded(const Message& message);

}  // namespace fairstream::wire::test
