#pragma once
/// A small stream for tests of the service and the server, and the messages of its producers and clients as bytes.

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <fairstream/models/safairkm/safairkm.hpp>
#include <fairstream/service/service.hpp>
#include <fairstream/wire/messages.hpp>

namespace fairstream::test {

using Message = std::vector<std::byte>;

inline Message copied(std::span<const std::byte> bytes) {
    return {bytes.begin(), bytes.end()};
}

inline ModelSetup small_model(std::string name, int clusters, double balance, Schedule schedule) {
    safairkm::Options options;
    options.clusters = clusters;
    options.targets.balance_at_least = balance;
    options.kmeans_updates = 20;
    options.swaps = 0;
    options.targets.parity_at_least = 0;
    options.effort = 0;
    options.targets.rare_below = 0;
    return {std::move(name), options, schedule};
}

/// Returns options with three features and two attributes. A fair and a plain model step with every batch. Two slow
/// models step less often; one of them skips steps while it is busy.
inline EngineOptions small_options(WindowPolicy policy = WindowPolicy::sliding) {
    EngineOptions options;
    options.format.dimensions = 3;
    options.format.attributes = {{"sex", {"f", "m"}}, {"age", {"young", "middle", "old"}}};
    options.window.capacity = 150;
    options.window.policy = policy;
    options.models = {small_model("fair", 4, 0.4, {}), small_model("plain", 3, 0, {}),
                      small_model("slow", 5, 0.2, {64, WhenBusy::wait}),
                      small_model("never-waits", 5, 0, {40, WhenBusy::skip})};
    return options;
}

/// Seeded random points of that format. Ids are repeated now and then.
class Points {
public:
    explicit Points(std::uint64_t seed) : random_(seed) {}

    [[nodiscard]] PointColumns next(std::size_t count) {
        PointColumns columns;
        for (std::size_t i = 0; i < count; ++i) {
            const bool again = newest_ > 50 && below(8) == 0;
            PointId id = again ? newest_ - 40 + below(30) : ++newest_;
            if (std::ranges::find(columns.ids, id) != columns.ids.end()) id = ++newest_;
            columns.ids.push_back(id);
            const auto blob = static_cast<float>(below(4));
            for (int j = 0; j < 3; ++j) columns.features.push_back(4 * blob + static_cast<float>(below(1000)) / 500);
            columns.groups.push_back(static_cast<GroupId>(below(2)));
            columns.groups.push_back(static_cast<GroupId>(below(3)));
        }
        return columns;
    }
    [[nodiscard]] std::uint64_t below(std::uint64_t bound) { return random_() % bound; }

private:
    std::mt19937_64 random_;
    PointId newest_ = 0;
};

inline Message hello(const std::string& producer, std::uint64_t epoch) {
    wire::Encoder encoder;
    return copied(wire::write(wire::IngestRequest{wire::Hello{producer, epoch}}, encoder));
}
inline Message event(const std::string& producer, std::uint64_t epoch, std::uint64_t number, const Event& content) {
    wire::Encoder encoder;
    return copied(wire::write(wire::IngestRequest{wire::EventMessage{producer, epoch, number, content}}, encoder));
}
inline Message control(std::uint64_t request, decltype(wire::ControlRequest::body) body) {
    wire::Encoder encoder;
    return copied(wire::write(wire::ControlRequest{request, std::move(body)}, encoder));
}

/// A message and the value read from it; columns borrow from the message.
template <class Value> struct Read {
    wire::AlignedMessage message;
    Value value;
};
inline Read<wire::IngestReply> read_ingest_reply(std::span<const std::byte> bytes) {
    Read<wire::IngestReply> read{wire::AlignedMessage(bytes), {}};
    read.value = wire::read_ingest_reply(read.message);
    return read;
}
inline Read<wire::ControlReply> read_control_reply(std::span<const std::byte> bytes) {
    Read<wire::ControlReply> read{wire::AlignedMessage(bytes), {}};
    read.value = wire::read_control_reply(read.message);
    return read;
}
inline Read<wire::Publication> read_publication(std::span<const std::byte> bytes) {
    Read<wire::Publication> read{wire::AlignedMessage(bytes), {}};
    read.value = wire::read_publication(read.message);
    return read;
}

/// Returns the messages released since the last call.
inline service::Outbox take(service::Service& service) {
    service::Outbox out;
    service.take(out);
    return out;
}
/// Sends one control request, commits, and returns the answer, which must be the only one.
inline Read<wire::ControlReply> ask(service::Service& service, decltype(wire::ControlRequest::body) body,
                                    const service::Client& client = {}) {
    service.handle_control("asker", control(7, std::move(body)), 1.5, client);
    service.commit();
    const service::Outbox out = take(service);
    EXPECT_EQ(out.control.size(), 1U);
    EXPECT_EQ(out.control.at(0).client, "asker");
    auto reply = read_control_reply(out.control.at(0).message.view());
    EXPECT_EQ(reply.value.request, 7U);
    EXPECT_EQ(reply.value.recording, service.recording().id());
    return reply;
}
/// Sends one ingest request, commits, and returns the answer, which must be the only one.
inline Read<wire::IngestReply> send(service::Service& service, const Message& message,
                                    const service::Client& client = {}) {
    service.handle_ingest("sender", message, client);
    service.commit();
    const service::Outbox out = take(service);
    EXPECT_EQ(out.ingest.size(), 1U);
    EXPECT_EQ(out.ingest.at(0).client, "sender");
    return read_ingest_reply(out.ingest.at(0).message.view());
}

using View = std::map<PointId, ClusterId>;

/// Folds a label update into a view.
inline void fold(const wire::LabelUpdate& update, View& view) {
    for (const PointId id : update.departed) view.erase(id);
    for (std::size_t i = 0; i < update.ids.size(); ++i) view[update.ids[i]] = update.outputs[i];
}
/// Returns the engine's own view of a model's labels.
inline View view_of(const Engine& engine, std::string_view model) {
    View view;
    const auto labels = engine.labels(model);
    for (Slot slot = 0; slot < engine.window().size(); ++slot) {
        if (labels[slot] != no_cluster) view[engine.window().id(slot)] = labels[slot];
    }
    return view;
}

/// Takes a checkpoint now and returns the engine's state in it.
inline Message saved_state(service::Service& service) {
    service.finish();
    return service.recording().newest_checkpoint()->state;
}

}  // namespace fairstream::test
