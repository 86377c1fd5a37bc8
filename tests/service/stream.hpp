#pragma once
/// A small stream, and the messages of its producers and clients as bytes.

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include <fairstream/service/service.hpp>
#include <fairstream/wire/messages.hpp>

namespace fairstream::service::test {

using Message = std::vector<std::byte>;

/// Three features, two attributes; a fair and a plain model that step with every batch, and two slow ones, of which one
/// never waits.
[[nodiscard]] EngineOptions small_options(WindowPolicy policy = WindowPolicy::sliding);

/// Seeded random points of that format. Ids come again now and then.
class Points {
public:
    explicit Points(std::uint64_t seed) : random_(seed) {}
    [[nodiscard]] PointColumns next(std::size_t count);
    [[nodiscard]] std::uint64_t below(std::uint64_t bound) { return random_() % bound; }

private:
    std::mt19937_64 random_;
    PointId newest_ = 0;
};

[[nodiscard]] Message hello(const std::string& producer, std::uint64_t epoch);
[[nodiscard]] Message event(const std::string& producer, std::uint64_t epoch, std::uint64_t number, const Event& event);
[[nodiscard]] Message control(std::uint64_t request, decltype(wire::ControlRequest::body) body);

/// A message and what was read from it; the columns borrow from the message.
template <class Value> struct Read {
    wire::AlignedMessage message;
    Value value;
};
[[nodiscard]] Read<wire::IngestReply> ingest_reply(const Reply& reply);
[[nodiscard]] Read<wire::ControlReply> control_reply(const Reply& reply);
[[nodiscard]] Read<wire::Publication> publication(Bytes bytes);

/// Sends one control request and returns the answer, which must be the only one.
Read<wire::ControlReply> ask(Service& service, decltype(wire::ControlRequest::body) body);
/// Sends one ingest request, commits, and returns the answer, which must be the only one.
Read<wire::IngestReply> send(Service& service, const Message& message);
/// All that was released since the last call.
[[nodiscard]] Outbox take(Service& service);

using View = std::map<PointId, ClusterId>;
/// Folds a label update into a view.
void fold(const wire::LabelUpdate& update, View& view);
/// What the engine itself holds.
[[nodiscard]] View view_of(const Engine& engine, std::string_view model);

/// The bytes of the newest checkpoint, after finishing one.
[[nodiscard]] Message saved_state(Service& service);

}  // namespace fairstream::service::test
