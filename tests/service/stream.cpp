#include "service/stream.hpp"

#include <gtest/gtest.h>

namespace fairstream::service::test {

namespace {

ModelSetup safairkm(std::string name, int clusters, double balance, Schedule schedule) {
    safairkm::Options options;
    options.clusters = clusters;
    options.balance_at_least = balance;
    options.kmeans_updates = 20;
    options.swaps = 0;
    return {std::move(name), options, schedule};
}

Message copied(Bytes bytes) {
    return {bytes.begin(), bytes.end()};
}

}  // namespace

EngineOptions small_options(WindowPolicy policy) {
    EngineOptions options;
    options.format.dimensions = 3;
    options.format.attributes = {{"sex", {"f", "m"}}, {"age", {"young", "middle", "old"}}};
    options.window.capacity = 150;
    options.window.policy = policy;
    options.models = {safairkm("fair", 4, 0.4, {}), safairkm("plain", 3, 0, {}),
                      safairkm("slow", 5, 0.2, {64, WhenBusy::wait}),
                      safairkm("never-waits", 5, 0, {40, WhenBusy::skip})};
    return options;
}

PointColumns Points::next(std::size_t count) {
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

Message hello(const std::string& producer, std::uint64_t epoch) {
    wire::Encoder encoder;
    return copied(wire::write(wire::IngestRequest{wire::Hello{producer, epoch}}, encoder));
}

Message event(const std::string& producer, std::uint64_t epoch, std::uint64_t number, const Event& event) {
    wire::Encoder encoder;
    return copied(wire::write(wire::IngestRequest{wire::EventMessage{producer, epoch, number, event}}, encoder));
}

Message control(std::uint64_t request, decltype(wire::ControlRequest::body) body) {
    wire::Encoder encoder;
    return copied(wire::write(wire::ControlRequest{request, std::move(body)}, encoder));
}

Read<wire::IngestReply> ingest_reply(const Reply& reply) {
    Read<wire::IngestReply> read{wire::AlignedMessage(reply.message.view()), {}};
    read.value = wire::read_ingest_reply(read.message);
    return read;
}

Read<wire::ControlReply> control_reply(const Reply& reply) {
    Read<wire::ControlReply> read{wire::AlignedMessage(reply.message.view()), {}};
    read.value = wire::read_control_reply(read.message);
    return read;
}

Read<wire::Publication> publication(Bytes bytes) {
    Read<wire::Publication> read{wire::AlignedMessage(bytes), {}};
    read.value = wire::read_publication(read.message);
    return read;
}

Outbox take(Service& service) {
    Outbox out;
    service.take(out);
    return out;
}

Read<wire::ControlReply> ask(Service& service, decltype(wire::ControlRequest::body) body) {
    service.handle_control("asker", control(7, std::move(body)), 1.5);
    const Outbox out = take(service);
    EXPECT_EQ(out.control.size(), 1U);
    EXPECT_EQ(out.control.at(0).client, "asker");
    auto reply = control_reply(out.control.at(0));
    EXPECT_EQ(reply.value.request, 7U);
    EXPECT_EQ(reply.value.recording, service.recording().id());
    return reply;
}

Read<wire::IngestReply> send(Service& service, const Message& message) {
    service.handle_ingest("sender", message);
    service.commit();
    const Outbox out = take(service);
    EXPECT_EQ(out.ingest.size(), 1U);
    EXPECT_EQ(out.ingest.at(0).client, "sender");
    return ingest_reply(out.ingest.at(0));
}

void fold(const wire::LabelUpdate& update, View& view) {
    for (const PointId id : update.departed) view.erase(id);
    for (std::size_t i = 0; i < update.ids.size(); ++i) view[update.ids[i]] = update.labels[i];
}

View view_of(const Engine& engine, std::string_view model) {
    View view;
    const auto labels = engine.labels(model);
    for (Slot slot = 0; slot < engine.window().size(); ++slot) {
        if (labels[slot] != no_cluster) view[engine.window().id(slot)] = labels[slot];
    }
    return view;
}

Message saved_state(Service& service) {
    service.finish();
    return service.recording().newest_checkpoint()->state;
}

}  // namespace fairstream::service::test
