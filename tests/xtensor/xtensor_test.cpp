/// Points and results as arrays: what is borrowed, copied and refused.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fairstream/models/lord/lord.hpp>
#include <fairstream/models/partial_fair_scorer/partial_fair_scorer.hpp>
#include <fairstream/models/safairkm/front.hpp>
#include <fairstream/models/safairkm/safairkm.hpp>
#include <fairstream/xtensor.hpp>

#include "support/refusal.hpp"

namespace fairstream::xtensor {
namespace {

using test::expect_refused;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

const StreamFormat format{2, {{"sex", {"f", "m"}}}};

using Ids = xt::xtensor<PointId, 1>;
using Floats = xt::xtensor<float, 2>;
using Groups = xt::xtensor<GroupId, 1>;

struct Arrays {
    Ids ids{4, 7, 9};
    Floats features{{1, 2}, {3, 4}, {5, 6}};
    Groups groups{0, 1, 1};
};

// Temporaries are never borrowed.
template <class I, class F, class G> constexpr bool makes_a_batch =
    std::is_constructible_v<Batch, const StreamFormat&, I, F, G>;
static_assert(makes_a_batch<Ids&, Floats&, Groups&>);
static_assert(makes_a_batch<const Ids&, const Floats&, const Groups&>);
static_assert(!makes_a_batch<Ids, Floats&, Groups&>);
static_assert(!makes_a_batch<Ids&, Floats, Groups&>);
static_assert(!makes_a_batch<Ids&, const Floats, Groups&>);
static_assert(!makes_a_batch<Ids&, Floats&, Groups>);
using Sum = decltype(std::declval<Floats&>() + std::declval<Floats&>());
static_assert(!makes_a_batch<Ids&, Sum, Groups&>, "an expression refers to operands that may be gone");
static_assert(!makes_a_batch<Ids&, Sum&, Groups&>, "with a name, too");
using Rows = decltype(xt::view(std::declval<Floats&>(), xt::range(0, 1)));
static_assert(makes_a_batch<Ids&, Rows&, Groups&>);
static_assert(!makes_a_batch<Ids&, Rows, Groups&>);
using Folded = decltype(xt::reshape_view(std::declval<xt::xtensor<float, 1>&>(), std::array<std::size_t, 2>{3, 2}));
static_assert(makes_a_batch<Ids&, Folded&, Groups&>);
static_assert(!makes_a_batch<Ids&, Folded, Groups&>);
template <class W>
concept LendsTo = requires(W&& window) {
    features(std::forward<W>(window));
};
static_assert(LendsTo<const Window&> && !LendsTo<Window>, "nothing is borrowed from a window that is gone");

TEST(Batches, BorrowWhatLiesInMemoryRowByRow) {
    Arrays x;
    const Batch batch(format, x.ids, x.features, x.groups);
    const PointBatch points = batch.view();
    EXPECT_FALSE(batch.copied());
    EXPECT_EQ(points.ids.data(), x.ids.data());
    EXPECT_EQ(points.features.data(), x.features.data());
    EXPECT_EQ(points.groups.data(), x.groups.data());
    EXPECT_THAT(points.features, ElementsAre(1, 2, 3, 4, 5, 6));
    EXPECT_THAT(points.ids, ElementsAre(4, 7, 9));
    EXPECT_TRUE(points.targets.empty());

    const std::vector<float> own{1, 2, 3, 4, 5, 6};
    const auto adapted = xt::adapt(own, std::array<std::size_t, 2>{3, 2});
    EXPECT_EQ(Batch(format, x.ids, adapted, x.groups).view().features.data(), own.data());
    const xt::xarray<float> any = x.features;
    EXPECT_EQ(Batch(format, x.ids, any, x.groups).view().features.data(), any.data());
    const xt::xtensor<GroupId, 2> table{{0}, {1}, {1}};
    EXPECT_EQ(Batch(format, x.ids, x.features, table).view().groups.data(), table.data());
}

TEST(Batches, BorrowRowsOfAView) {
    const Floats features{{0, 0}, {1, 2}, {3, 4}, {5, 6}, {0, 0}};
    const Arrays x;
    const auto rows = xt::view(features, xt::range(1, 4), xt::all());
    const Batch batch(format, x.ids, rows, x.groups);
    EXPECT_FALSE(batch.copied());
    EXPECT_EQ(batch.view().features.data(), features.data() + 2);
    EXPECT_THAT(batch.view().features, ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(Batches, CopyWhatLiesOtherwise) {
    const Arrays x;
    const auto expect_copied = [&](auto& features) {
        const Batch batch(format, x.ids, features, x.groups);
        EXPECT_TRUE(batch.copied());
        EXPECT_THAT(batch.view().features, ElementsAre(1, 2, 3, 4, 5, 6));
    };
    const xt::xtensor<float, 2, xt::layout_type::column_major> by_columns = x.features;
    expect_copied(by_columns);
    const xt::xtensor<double, 2> doubles = xt::cast<double>(x.features);
    expect_copied(doubles);
    const Floats wide{{1, 2, 0}, {3, 4, 0}, {5, 6, 0}};
    const auto some_columns = xt::view(wide, xt::all(), xt::range(0, 2));
    expect_copied(some_columns);
    const Floats tall{{1, 2}, {0, 0}, {3, 4}, {0, 0}, {5, 6}};
    const auto every_other = xt::view(tall, xt::range(0, 5, 2), xt::all());
    expect_copied(every_other);
    const auto chosen = xt::view(tall, xt::keep(0, 2, 4), xt::all());
    expect_copied(chosen);
}

TEST(Batches, ConvertNumbersThatFit) {
    const Floats features{{1, 2}, {3, 4}, {5, 6}};
    const xt::xtensor<int, 1> ids{4, 7, 9};
    const xt::xtensor<bool, 1> women{true, false, false};
    const PointBatch points = Batch(format, ids, features, women).view();
    EXPECT_EQ(points.size(), 3U);
    const Batch batch(format, ids, features, women);
    EXPECT_THAT(batch.view().ids, ElementsAre(4, 7, 9));
    EXPECT_THAT(batch.view().groups, ElementsAre(1, 0, 0));
    const xt::xtensor<double, 1> whole{4, 7, 9};
    EXPECT_THAT(Batch(format, whole, features, women).view().ids.size(), 3U);
}

TEST(Batches, CopiesHoldSamePoints) {
    const Arrays x;
    const xt::xtensor<double, 2> doubles = xt::cast<double>(x.features);
    Batch first(format, x.ids, doubles, x.groups);
    const Batch copy = first;
    const Batch moved = std::move(first);
    EXPECT_THAT(copy.view().features, ElementsAre(1, 2, 3, 4, 5, 6));
    EXPECT_THAT(moved.view().features, ElementsAre(1, 2, 3, 4, 5, 6));
    EXPECT_NE(copy.view().features.data(), moved.view().features.data());
}

TEST(Batches, WrongShapeIsNamed) {
    Arrays x;
    Floats wide{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
    expect_refused(Reason::wrong_shape, {"features ", "(3, 3)", "(3, 2)"},
                   [&] { Batch(format, x.ids, wide, x.groups); });
    xt::xtensor<float, 1> flat{1, 2, 3, 4, 5, 6};
    expect_refused(Reason::wrong_shape, {"features ", "(6)", "(3, 2)"}, [&] { Batch(format, x.ids, flat, x.groups); });
    Groups few{0, 1};
    expect_refused(Reason::wrong_shape, {"groups ", "(2)", "(3)"}, [&] { Batch(format, x.ids, x.features, few); });
    xt::xtensor<GroupId, 2> two{{0, 1}, {1, 1}, {0, 0}};
    expect_refused(Reason::wrong_shape, {"groups ", "(3, 2)", "(3, 1)"},
                   [&] { Batch(format, x.ids, x.features, two); });
    xt::xtensor<PointId, 2> ids{{4, 7, 9}};
    expect_refused(Reason::wrong_shape, {"ids ", "(1, 3)", "(points)"},
                   [&] { Batch(format, ids, x.features, x.groups); });
    xt::xtensor<float, 1> targets{1, 0, 1};
    expect_refused(Reason::wrong_shape, {"targets ", "(3)", "(0)"},
                   [&] { Batch(format, x.ids, x.features, x.groups, targets); });
    const StreamFormat labelled{2, format.attributes, true};
    expect_refused(Reason::wrong_shape, {"targets", "(3)"}, [&] { Batch(labelled, x.ids, x.features, x.groups); });
    EXPECT_THAT(Batch(labelled, x.ids, x.features, x.groups, targets).view().targets, ElementsAre(1, 0, 1));
}

TEST(Batches, FoldANamedBuffer) {
    const Arrays x;
    const xt::xtensor<float, 1> buffer{1, 2, 3, 4, 5, 6};
    const auto folded = xt::reshape_view(buffer, std::array<std::size_t, 2>{3, 2});
    EXPECT_THAT(Batch(format, x.ids, folded, x.groups).view().features, ElementsAre(1, 2, 3, 4, 5, 6));
}

// The window would be overwritten while it is read.
TEST(Batches, InTheMemoryOfTheWindowAreRefused) {
    Engine engine({format, {}, {{"plain", safairkm::Options{.clusters = 2}, {}}}});
    const Arrays x;
    engine.ingest(Batch(format, x.ids, x.features, x.groups).view());
    const auto own = features(engine.window());
    const Ids reversed{9, 7, 4};
    const Batch again(format, reversed, own, x.groups);
    expect_refused(Reason::wrong_shape, {"memory", "window"}, [&] { engine.ingest(again.view()); });
    const Floats copied = own;
    engine.ingest(Batch(format, reversed, copied, x.groups).view());
    EXPECT_THAT(features(engine.window()), ElementsAre(5, 6, 3, 4, 1, 2));
}

TEST(Batches, OfAStreamWithoutAttributesRoundTrip) {
    const StreamFormat bare{2, {}, false};
    Engine engine({bare, {}, {{"plain", safairkm::Options{.clusters = 2}, {}}}});
    const Arrays x;
    const xt::xtensor<GroupId, 2> none = xt::zeros<GroupId>({3, 0});
    engine.ingest(Batch(bare, x.ids, x.features, none).view());
    const auto lent = groups(engine.window());
    EXPECT_THAT(lent.shape(), ElementsAre(3, 0));
    EXPECT_EQ(Batch(bare, x.ids, x.features, lent).view().size(), 3U);
}

TEST(Batches, NumbersOutOfRangeAreRefused) {
    Arrays x;
    xt::xtensor<int, 1> negative{4, -7, 9};
    expect_refused(Reason::reserved_id, {"id -7 ", "row 1:", "[0, 18446744073709551615]"},
                   [&] { Batch(format, negative, x.features, x.groups); });
    expect_refused(Reason::unknown_group, {"group -7 ", "row 1:", "[0, 65535]"},
                   [&] { Batch(format, x.ids, x.features, negative); });
    xt::xtensor<double, 1> half{0, 0.5, 1};
    EXPECT_THROW(Batch(format, x.ids, x.features, half), InvalidInput);
    xt::xtensor<double, 1> nan{0, std::numeric_limits<double>::quiet_NaN(), 1};
    EXPECT_THROW(Batch(format, x.ids, x.features, nan), InvalidInput);
    xt::xtensor<double, 1> huge{0, 65536, 1};
    EXPECT_THROW(Batch(format, x.ids, x.features, huge), InvalidInput);
    xt::xtensor<double, 1> beyond{0, 0x1p64, 1};
    EXPECT_THROW(Batch(format, beyond, x.features, x.groups), InvalidInput);
}

TEST(Batches, MayBeEmpty) {
    const Ids ids = xt::zeros<PointId>({0});
    const Floats features = xt::zeros<float>({0, 2});
    const Groups groups = xt::zeros<GroupId>({0});
    EXPECT_EQ(Batch(format, ids, features, groups).view().size(), 0U);
}

TEST(Results, AreThoseOfTheEngine) {
    Engine engine({format, {}, {{"plain", safairkm::Options{.clusters = 2}, {}}}});
    EXPECT_EQ(centres(engine, "plain").size(), 0U);
    const Ids ids = xt::arange<PointId>(0, 200);
    Floats points = xt::zeros<float>({200, 2});
    Groups sexes = xt::zeros<GroupId>({200});
    for (std::size_t i = 0; i < 200; ++i)
        points(i, 0) = static_cast<float>(i % 7), points(i, 1) = i < 100 ? 0 : 50, sexes(i) = i % 3 == 0;
    const Batch batch(format, ids, points, sexes);
    engine.ingest(batch.view());

    EXPECT_EQ(xtensor::ids(engine.window()), ids);
    EXPECT_EQ(features(engine.window()), points);
    EXPECT_EQ(features(engine.window()).data(), engine.window().features(0)) << "borrowed";
    EXPECT_EQ(groups(engine.window()).shape(1), 1U);
    EXPECT_THAT(groups(engine.window()), ElementsAreArray(sexes));
    EXPECT_EQ(targets(engine.window()).size(), 0U);
    EXPECT_THAT(labels(engine, "plain"), ElementsAreArray(engine.labels("plain")));
    const xt::xtensor<float, 2> two = centres(engine, "plain");
    ASSERT_THAT(two.shape(), ElementsAre(2, 2));
    EXPECT_THAT(two, ElementsAreArray(engine.report("plain").centres));
    const FairnessTally tally = engine.report("plain").tally();
    const xt::xtensor<std::int64_t, 2> table = counts(tally, 0);
    for (ClusterId l = 0; l < 2; ++l)
        for (GroupId j = 0; j < 2; ++j) EXPECT_EQ(table(static_cast<std::size_t>(l), j), tally.count(l, 0, j));
    EXPECT_THAT(front(engine.report("plain").front).shape(), ElementsAre(0, 2));
    EXPECT_THROW((void)scores(engine, "plain"), InvalidInput);

    const xt::xtensor<ClusterId, 1> assigned = assign(engine, "plain", xt::view(points, xt::range(90, 110), xt::all()));
    EXPECT_THAT(assigned, ElementsAreArray(engine.labels("plain").subspan(90, 20)));
    EXPECT_EQ(assign(engine, "plain", points * 1.0)(0), engine.labels("plain")[0]);
    const std::vector<GroupId> all_sexes(sexes.begin(), sexes.end());
    std::vector<ClusterId> together(200);
    engine.assign_fair("plain", std::vector<float>(points.begin(), points.end()), all_sexes, together);
    EXPECT_THAT(assign_fair(engine, "plain", points, sexes), ElementsAreArray(together));
    expect_refused(Reason::wrong_shape, {"groups ", "(1, 200)", "(200, attributes)"},
                   [&] { (void)assign_fair(engine, "plain", points, xt::view(sexes, xt::newaxis(), xt::all())); });
    expect_refused(Reason::bad_option, {"attribute 1:", " 0"}, [&] { (void)counts(tally, 1); });
    const std::vector<TradeOff> points_of_front{{1, 0.5}, {2, 1}};
    EXPECT_THAT(front(points_of_front), ElementsAre(1, 0.5, 2, 1));
    expect_refused(Reason::wrong_shape, {"features ", "(200)", "(200, 2)"},
                   [&] { (void)assign(engine, "plain", xt::ones<float>({200})); });
    expect_refused(Reason::wrong_shape, {"features ", "()", "(0, 2)"},
                   [&] { (void)assign(engine, "plain", xt::xarray<float>(3.0F)); });
}

TEST(Results, HaveMemberships) {
    lord::Options soft;
    soft.clusters = 2;
    Engine engine({format, {}, {{"soft", soft, {}}, {"plain", safairkm::Options{.clusters = 2}, {}}}});
    EXPECT_THAT(memberships(engine, "soft").shape(), ElementsAre(0, 2));
    const Ids ids = xt::arange<PointId>(0, 40);
    Floats points = xt::zeros<float>({40, 2});
    for (std::size_t i = 0; i < 40; ++i) points(i, 0) = static_cast<float>(i % 7), points(i, 1) = i < 20 ? 0 : 50;
    const Groups sexes = xt::zeros<GroupId>({40});
    const Batch batch(format, ids, points, sexes);
    engine.ingest(batch.view());
    EXPECT_THAT(memberships(engine, "soft").shape(), ElementsAre(40, 2));
    EXPECT_THAT(memberships(engine, "soft"), ElementsAreArray(engine.memberships("soft")));
    EXPECT_THROW((void)memberships(engine, "plain"), InvalidInput);
}

TEST(Results, RawPointsUseStreamColumns) {
    EngineOptions options{.format = {.dimensions = 2,
                                     .attributes = {{"sex", {"f", "m"}}},
                                     .columns = {{"age"}, {"job", {"clerk", "farmer"}}}},
                          .window = {.capacity = 10},
                          .models = {{"fair", safairkm::Options{.clusters = 2}, {}}}};
    options.prepare.columns = {{.scale = Scale::running}, {.missing = Missing::most_frequent}};
    Engine engine(options);
    const xt::xtensor<PointId, 1> ids = {0, 1, 2, 3};
    const xt::xtensor<float, 2> rows = {{20, 0}, {40, 1}, {21, 0}, {41, 1}};
    const xt::xtensor<GroupId, 1> groups = {0, 1, 0, 1};
    engine.ingest(fairstream::xtensor::Batch(options.format, ids, rows, groups).view());
    ASSERT_EQ(engine.window().dimensions(), 4U);
    const xt::xtensor<ClusterId, 1> labels = fairstream::xtensor::assign(engine, "fair", rows);
    EXPECT_EQ(labels(0), engine.labels("fair")[0]);
    EXPECT_EQ(labels(3), engine.labels("fair")[3]);
    const xt::xtensor<float, 2> prepared = xt::ones<float>({1, 4});
    EXPECT_THROW((void)fairstream::xtensor::assign(engine, "fair", prepared), InvalidInput);
}

TEST(Results, OfScoresAreThoseOfTheEngine) {
    const StreamFormat labelled{2, format.attributes, true};
    Engine engine({labelled, {}, {{"scorer", partial_fair_scorer::Options{}, {}}}});
    const Ids ids = xt::arange<PointId>(0, 300);
    Floats points = xt::zeros<float>({300, 2});
    Groups sexes = xt::zeros<GroupId>({300});
    xt::xtensor<float, 1> targets = xt::zeros<float>({300});
    for (std::size_t i = 0; i < 300; ++i) {
        points(i, 0) = static_cast<float>(i % 17), points(i, 1) = static_cast<float>(i % 5);
        sexes(i) = i % 2, targets(i) = i % 17 > 8 ? 1 : 0;
    }
    const Batch batch(labelled, ids, points, sexes, targets);
    engine.ingest(batch.view());
    EXPECT_THAT(scores(engine, "scorer"), ElementsAreArray(engine.scores("scorer")));
    EXPECT_EQ(xtensor::targets(engine.window()), targets);
    EXPECT_THAT(score(engine, "scorer", points, sexes), ElementsAreArray(engine.scores("scorer")));
    EXPECT_EQ(centres(engine, "scorer").size(), 0U);
}

}  // namespace
}  // namespace fairstream::xtensor
