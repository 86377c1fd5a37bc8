/// The view of scores: the same code as for labels, with another type.

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include <fairstream/zmq/point_view.hpp>

#include "clients/point_feed.hpp"

namespace fairstream::zmq {
namespace {

using namespace std::chrono_literals;
using test::contents;
using test::ScoreFeed;

const PointView<Score>::Time score_start = PointView<Score>::Time(1h);

template <class T> class OutputView : public testing::Test {};
using Outputs = testing::Types<Score, wire::Memberships>;
TYPED_TEST_SUITE(OutputView, Outputs);

TYPED_TEST(OutputView, IsExactDespiteLossAndRepetition) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        std::mt19937_64 random(seed);
        test::PointFeed<TypeParam> engine(1, seed);
        PointView<TypeParam> view(test::Feeds<TypeParam>::topic, {}, 1000ms);
        std::vector<ViewChanges<TypeParam>> changes;
        const auto repair = [&] {
            const auto need = view.need();
            if (need.kind == ViewNeed::Kind::range) {
                view.on_range(engine.range(need.first, need.last), changes);
            } else if (need.kind == ViewNeed::Kind::snapshot) {
                const auto message = engine.snapshot();
                view.on_snapshot(wire::read_publication(message), changes);
            }
        };
        for (int i = 0; i < 200; ++i) {
            engine.publish();
            for (std::uint64_t copies = random() % 3; copies > 0; --copies) {
                const auto& message =
                    engine.updates.at(engine.updates.size() - 1 - random() % engine.updates.size() % 3);
                view.on_update(wire::read_publication(message), message, changes);
            }
            if (random() % 4 == 0) repair();
            ASSERT_EQ(contents(view.outputs()), engine.by_topic_sequence.at(view.topic_sequence()));
        }
        const auto status = engine.status();
        view.on_status(wire::read_publication(status), score_start);
        while (view.need() != ViewNeed{}) repair();
        EXPECT_TRUE(view.complete());
        EXPECT_EQ(contents(view.outputs()), engine.now());
        std::map<PointId, TypeParam> folded;
        for (const ViewChanges<TypeParam>& change : changes) {
            if (change.replaced) folded.clear();
            for (const PointId id : change.departed) folded.erase(id);
            for (std::size_t i = 0; i < change.ids.size(); ++i) folded[change.ids[i]] = change.outputs[i];
        }
        EXPECT_EQ(folded, engine.now());
    }
}

TEST(ScoreView, RefusesLabelsAndNanScores) {
    const ScoreFeed engine(1, 1);
    PointView<Score> view("scores.m", {}, 1000ms);
    std::vector<ViewChanges<Score>> changes;
    const std::vector<PointId> ids{1};
    const auto refused = [&](decltype(wire::Publication::body) body) {
        const wire::Publication bad{engine.id(), "scores.m", 1, 1, std::move(body)};
        wire::Encoder encoder;
        const std::uint64_t before = view.statistics().unreadable;
        view.on_update(bad, wire::AlignedMessage(wire::write(bad, encoder)), changes);
        view.on_snapshot(bad, changes);
        return view.statistics().unreadable == before + 2 && view.outputs().empty() && changes.empty();
    };
    const std::vector<ClusterId> labels{3};
    EXPECT_TRUE(refused(wire::LabelUpdate{{}, ids, labels, {}}));
    for (const double bad :
         {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), no_score}) {
        const std::vector<Score> scores{bad};
        EXPECT_TRUE(refused(wire::ScoreUpdate{{}, ids, scores, {}})) << bad;
    }
    const std::vector<Score> scores{1.5};
    const std::vector<PointId> reserved{no_point};
    EXPECT_TRUE(refused(wire::ScoreUpdate{{}, reserved, scores, {}}));
}

TEST(MembershipView, TakesNoProbabilityThatIsNone) {
    const test::PointFeed<wire::Memberships> engine(1, 1);
    PointView<wire::Memberships> view("memberships.m", {}, 1000ms);
    std::vector<ViewChanges<wire::Memberships>> changes;
    const std::vector<PointId> ids{1};
    for (const wire::Membership bad : {wire::Membership{-1, 0.5F}, {0, -0.5F}, {0, NAN}, {0, INFINITY}}) {
        const wire::Publication update{engine.id(), "memberships.m", 1, 1,
                                       wire::MembershipUpdate{{}, ids, {{bad}}, {}}};
        view.on_snapshot(update, changes);
        EXPECT_TRUE(view.outputs().empty() && changes.empty()) << bad.cluster << " " << bad.probability;
    }
    EXPECT_EQ(view.statistics().unreadable, 4U);
}

}  // namespace
}  // namespace fairstream::zmq
