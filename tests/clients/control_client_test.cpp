#include <gtest/gtest.h>

#include <functional>
#include <thread>

#include <fairstream/zmq/control_client.hpp>

#include "clients/fake_server.hpp"
#include "clients/point_feed.hpp"

namespace fairstream::zmq {
namespace {

using namespace test;

class ControlClientTest : public testing::Test {
protected:
    using Body = decltype(wire::ControlReply::body);
    using Request = wire::ControlRequest;

    /// Runs `talk` while the server answers each request by `answer`.
    template <class Talk> auto with(std::function<Body(const Request&)> answer, const Talk& talk) {
        std::jthread serving([&](const std::stop_token& stop) {
            while (!stop.stop_requested()) {
                server.wait(5ms);
                while (auto in = server.receive()) {
                    const Request request = wire::read_control_request(in->message);
                    server.reply(
                        *in, wire::write(wire::ControlReply{request.request, recording(3), answer(request)}, encoder));
                }
            }
        });
        return talk();
    }
    template <class Expected> static const Expected& as(const Request& request) {
        return std::get<Expected>(request.body);
    }

    Folder folder;
    FakeServer server{::zmq::socket_type::router, folder.endpoint("control")};
    wire::Encoder encoder;
    ControlClient client{{.endpoint = folder.endpoint("control"), .timeout = 30s, .security = {}, .context = nullptr}};
};

TEST_F(ControlClientTest, AssignsRowsToClusters) {
    const std::vector<float> features{1, 2, 3, 4};
    const std::vector<GroupId> groups{1, 0};
    const std::vector<ClusterId> labels{5, 6};
    const auto answer = [&](const Request& request) -> Body {
        const auto& assign = as<wire::AssignRequest>(request);
        EXPECT_EQ(assign.model, "m");
        EXPECT_TRUE(std::ranges::equal(assign.features, features));
        EXPECT_TRUE(assign.groups.empty() || std::ranges::equal(assign.groups, groups));
        return wire::Assigned{wire::Answered<ClusterId>{std::span(labels).first(assign.groups.empty() ? 1 : 2)}};
    };
    EXPECT_EQ(with(answer, [&] { return client.assign("m", features, groups); }), labels);
    EXPECT_EQ(with(answer, [&] { return client.assign("m", features); }), std::vector<ClusterId>{5});
    EXPECT_EQ(client.recording(), recording(3));
}

TEST_F(ControlClientTest, TakesSnapshotsAndRanges) {
    LabelFeed engine(3, 1);
    for (int i = 0; i < 4; ++i) engine.publish();
    const auto snapshot = engine.snapshot();
    const auto answer = [&](const Request& request) -> Body {
        if (const auto* range = std::get_if<wire::RangeRequest>(&request.body)) {
            if (range->first > 1) return engine.range(range->first, range->last);
        } else {
            EXPECT_EQ(as<wire::SnapshotRequest>(request).topic, "labels.m");
        }
        return wire::read_publication(snapshot);
    };
    EXPECT_EQ(with(answer, [&] { return client.snapshot("labels.m"); }).topic_sequence, 4U);
    const auto range = with(answer, [&] { return client.range("labels.m", 2, 3); });
    const auto& messages = std::get<std::vector<wire::AlignedMessage>>(range);
    ASSERT_EQ(messages.size(), 2U);
    EXPECT_EQ(wire::read_publication(messages[1]).topic_sequence, 3U);
    const auto old = with(answer, [&] { return client.range("labels.m", 1, 3); });
    EXPECT_EQ(std::get<wire::Publication>(old).topic_sequence, 4U);
}

TEST_F(ControlClientTest, ChangesOptionsRefinesReportsAndStops) {
    const auto answer = [&](const Request& request) -> Body {
        if (const auto* knob = std::get_if<KnobChange>(&request.body)) {
            EXPECT_EQ(*knob, (KnobChange{"m", "swaps", "8"}));
            return wire::Done{11};
        }
        if (const auto* refinement = std::get_if<Refinement>(&request.body)) {
            EXPECT_EQ(*refinement, (Refinement{"m", 4}));
            return wire::Done{12};
        }
        if (std::holds_alternative<wire::StopRequest>(request.body)) return wire::Done{13};
        if (std::holds_alternative<wire::HealthRequest>(request.body)) {
            return wire::Health{true, 13, 100, 2, 1, 1.5, "x86-64-v3", "0.1.0", ""};
        }
        EXPECT_EQ(as<wire::ReportRequest>(request).model, "m");
        wire::FairnessReport fairness;
        fairness.cost = 0.5;
        return wire::ModelReport{fairness, {.clusters = 1, .dimensions = 1, .sizes = {9}, .centres = {2}}, "", {}};
    };
    EXPECT_EQ(with(answer, [&] { return client.set_option({"m", "swaps", "8"}); }), 11U);
    EXPECT_EQ(with(answer, [&] { return client.refine({"m", 4}); }), 12U);
    EXPECT_EQ(with(answer, [&] { return client.stop(); }), 13U);
    EXPECT_EQ(with(answer, [&] { return client.health(); }).retained, 100U);
    const auto report = with(answer, [&] { return client.report("m"); });
    EXPECT_EQ(report.fairness.cost, 0.5);
    EXPECT_EQ(report.clusters.sizes, std::vector<std::int64_t>{9});
}

TEST_F(ControlClientTest, ThrowsRefusalsWithReasonAndText) {
    const auto answer = [](const Request&) -> Body { return wire::Nack{0, Reason::unknown_model, "no model x", 0}; };
    try {
        with(answer, [&] { return client.set_option({"x", "swaps", "8"}); });
        FAIL() << "nothing was thrown";
    } catch (const ControlRefused& error) {
        EXPECT_EQ(error.reason(), Reason::unknown_model);
        EXPECT_STREQ(error.what(), "no model x");
    }
}

TEST_F(ControlClientTest, ThrowsWhenTheAnswerIsOfAnotherKind) {
    const auto answer = [](const Request&) -> Body { return wire::Done{1}; };
    EXPECT_THROW(static_cast<void>(with(answer, [&] { return client.health(); })), ControlMismatch);
    EXPECT_THROW(static_cast<void>(with(answer, [&] { return client.range("t", 1, 2); })), ControlMismatch);
}

TEST_F(ControlClientTest, NeverTakesALateAnswerForAnother) {
    client.set_timeout(20ms);
    std::optional<FakeServer::Incoming> given_up;
    ASSERT_TRUE(eventually([&] {
        EXPECT_THROW(static_cast<void>(client.set_option({"m", "o", "v"})), ControlTimeout);
        given_up = server.receive();
        return given_up.has_value();
    }));
    server.reply(
        *given_up,
        wire::write(wire::ControlReply{wire::read_request_number(given_up->message), {}, wire::Done{1}}, encoder));
    client.set_timeout(30s);
    EXPECT_EQ(with([](const Request&) -> Body { return wire::Done{2}; }, [&] { return client.stop(); }), 2U);
}

TEST_F(ControlClientTest, SkipsForeignAndUnreadableAnswers) {
    std::jthread serving([&] {
        auto in = server.await();
        const std::uint64_t request = wire::read_request_number(in.message);
        const std::byte nonsense[24] = {};
        server.reply(in, nonsense);
        server.reply(in, wire::write(wire::ControlReply{request + 1, {}, wire::Done{1}}, encoder));
        server.reply(in, wire::write(wire::ControlReply{0, {}, wire::Done{1}}, encoder));
        server.reply(in, wire::write(wire::ControlReply{request, {}, wire::Done{2}}, encoder));
    });
    EXPECT_EQ(client.stop(), 2U);
}

TEST_F(ControlClientTest, ThrowsRefusalOfUnreadableRequest) {
    std::jthread serving([&] {
        auto in = server.await();
        server.reply(in,
                     wire::write(wire::ControlReply{0, {}, wire::Nack{0, Reason::malformed, "cut off", 0}}, encoder));
    });
    EXPECT_THROW(client.stop(), ControlRefused);
}

TEST_F(ControlClientTest, RefusesNamesThatCannotBeSentBeforeSending) {
    EXPECT_THROW(static_cast<void>(client.report("")), InvalidInput);
    EXPECT_THROW(client.set_option({"m", std::string(5000, 'x'), "1"}), InvalidInput);
    EXPECT_FALSE(server.receive());
}

}  // namespace
}  // namespace fairstream::zmq
