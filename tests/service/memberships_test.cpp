/// Publications and answers of the service on memberships.

#include <fairstream/options.hpp>
#include <fairstream/service/update_digest.hpp>

#include "service/fixture.hpp"
#include "support/streams.hpp"

namespace fairstream::service {
namespace {

using Row = wire::Memberships;
using MembershipMap = std::map<PointId, Row>;

class Memberships : public ServiceTest {
protected:
    static EngineOptions soft(std::uint64_t every) {
        EngineOptions options = small_options();
        ModelOptions lord = default_options("lord");
        set_option(lord, "clusters", "3");
        set_option(lord, "starts", "2");
        options.models = {small_model("fair", 3, 0, {}), {"m", lord, {every, WhenBusy::wait}}};
        return options;
    }
    void send_batches(std::uint64_t first, std::uint64_t last) {
        for (std::uint64_t number = first; number <= last; ++number) {
            columns_ = mixture(options_.format, 60, number, 60 * number);
            service_->handle_ingest("c", event("p", 1, number, columns_.view()));
            service_->commit();
            for (const Outgoing& each : take(*service_).publications) published_.push_back(each);
        }
    }
    /// Returns the memberships of all points, exactly.
    [[nodiscard]] MembershipMap now() const {
        MembershipMap all;
        const Engine& engine = service_->engine();
        const auto rows = engine.memberships("m");
        for (std::size_t i = 0; i < rows.size(); ++i)
            all[engine.window().id(static_cast<Slot>(i / 3))].push_back({static_cast<ClusterId>(i % 3), rows[i]});
        return all;
    }
    static void fold_memberships(const wire::MembershipUpdate& update, MembershipMap& view) {
        for (const PointId id : update.departed) view.erase(id);
        for (std::size_t i = 0; i < update.ids.size(); ++i) view[update.ids[i]] = update.outputs[i];
    }
    static double probability(const Row& row, ClusterId cluster) {
        const auto found = std::ranges::find(row, cluster, &wire::Membership::cluster);
        return found == row.end() ? 0 : static_cast<double>(found->probability);
    }

    std::vector<Outgoing> published_;
};

TEST_F(Memberships, AreInTheDigestsOfUpdates) {
    const EngineOptions options = soft(1);
    PointColumns points = mixture(options.format, 60, 1, 0);
    const PointColumns next = mixture(options.format, 60, 2, 60);
    Engine engine(options), other(options);
    engine.ingest(points.view());
    const Update update = engine.ingest(next.view());
    ASSERT_FALSE(update.models[1].rows_of[RowKind::memberships].empty());
    const std::uint64_t digest = update_digest(engine, update);
    Update fewer = update;
    fewer.models[1].rows_of[RowKind::memberships].pop_back();
    EXPECT_NE(update_digest(engine, fewer), digest);

    points.features[0] += 0.5F;
    other.ingest(points.view());
    other.ingest(next.view());
    EXPECT_NE(update_digest(other, update), digest) << "other probabilities of the same points";
}

TEST_F(Memberships, UpdatesAreWithinOnePercent) {
    for (const std::uint64_t every : {0, 100}) {
        begin({}, soft(every));
        published_.clear();
        send_batches(1, 10);
        MembershipMap view;
        std::map<std::string, int> topics;
        for (const Outgoing& each : published_) {
            ++topics[std::string(each.topic)];
            if (each.topic != "memberships.m") continue;
            const auto publication = read_publication(each.message.view());
            const auto& update = std::get<wire::MembershipUpdate>(publication.value.body);
            for (const Row& row : update.outputs)
                for (const wire::Membership& membership : row) EXPECT_GE(membership.probability, 0.005F);
            fold_memberships(update, view);
        }
        EXPECT_EQ(topics["memberships.m"], 10);
        EXPECT_FALSE(topics.contains("memberships.fair"));
        const MembershipMap exact = now();
        ASSERT_EQ(view.size(), exact.size());
        EXPECT_EQ(view.size(), service_->engine().window().size());
        for (const auto& [id, row] : exact)
            for (ClusterId l = 0; l < 3; ++l) EXPECT_NEAR(probability(view.at(id), l), probability(row, l), 0.01) << id;
    }
}

TEST_F(Memberships, SnapshotsAreExact) {
    for (const std::uint64_t every : {0, 100}) {
        begin({}, soft(every));
        send_batches(1, 10);
        const MembershipMap before = now();
        for (const bool recovered : {false, true}) {
            if (recovered) reopen();
            const auto reply = ask(*service_, wire::SnapshotRequest{"memberships.m"});
            MembershipMap view;
            fold_memberships(std::get<wire::MembershipUpdate>(std::get<wire::Publication>(reply.value.body).body),
                             view);
            EXPECT_EQ(view, before) << every << recovered;
        }
    }
}

TEST_F(Memberships, OfNewPointsAreAnswered) {
    begin({}, soft(0));
    const auto warming = ask(*service_, wire::SnapshotRequest{"memberships.m"});
    EXPECT_TRUE(std::get<wire::MembershipUpdate>(std::get<wire::Publication>(warming.value.body).body).ids.empty());
    send_batches(1, 5);
    const PointColumns points = mixture(options_.format, 9, 77);
    std::vector<float> expected(9 * 3);
    service_->engine().predict_memberships("m", points.features, expected);
    const auto reply = ask(*service_, wire::RowRequest{"m", points.features});
    const auto& assigned = std::get<wire::Assigned>(reply.value.body);
    EXPECT_TRUE(std::ranges::equal(std::get<wire::Answered<wire::Memberships>>(assigned.outputs).values, expected));
    const auto reason = [&](const std::string& model, std::span<const float> features) {
        const auto refused = ask(*service_, wire::RowRequest{model, features});
        return std::get<wire::Nack>(refused.value.body).reason;
    };
    EXPECT_EQ(reason("fair", points.features), Reason::unknown_request);
    EXPECT_EQ(reason("other", points.features), Reason::unknown_model);
    EXPECT_EQ(reason("m", std::span(points.features).first(1)), Reason::wrong_shape);
}

}  // namespace
}  // namespace fairstream::service
