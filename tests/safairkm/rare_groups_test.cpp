/// Groups that are rare for a while: which targets cover them, and the model's report on that.

#include <concepts>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <fairstream/engine.hpp>
#include <fairstream/fairness/measures.hpp>
#include <fairstream/models/fair_spectral/fair_spectral.hpp>
#include <fairstream/models/lord/lord.hpp>
#include <fairstream/models/safairkm/live_front/live_front.hpp>
#include <fairstream/numeric/detail/random.hpp>
#include <fairstream/targets/figures_without_rare.hpp>
#include <fairstream/targets/target_notes.hpp>

namespace fairstream::safairkm {
namespace {

constexpr std::size_t retained = 60;

/// Points that replace all earlier ones, `of_c` of them in group c.
PointColumns points(std::size_t of_c, std::uint64_t seed) {
    Random random(seed);
    PointColumns made;
    for (std::size_t i = 0; i < retained; ++i) {
        made.ids.push_back(i);
        for (int column = 0; column < 2; ++column)
            made.features.push_back(static_cast<float>(random.unit() + 3 * static_cast<double>(i % 2)));
        made.groups.push_back(i < of_c ? 2 : static_cast<GroupId>(i / 2 % 2));
    }
    return made;
}

EngineOptions setup(ModelOptions model) {
    return {
        .format = {2, {{"region", {"a", "b", "c"}}}}, .window = {.capacity = retained}, .models = {{"m", model, {}}}};
}

template <class Options> ModelOptions model_of(const OneOrMore<double>& rare_below) {
    Options options;
    if constexpr (requires { options.common; }) {
        options.common.clusters = 2;
        options.common.targets.rare_below = rare_below;
        options.balance_at_least = 0.2;
    } else {
        options.clusters = 2;
        options.targets.rare_below = rare_below;
    }
    return options;
}

bool leaves_out_c(const Engine& engine) {
    return value_of(engine.report("m").figures, balance_without_rare.name).has_value();
}

template <class Options> class RareGroups : public ::testing::Test {};
using Clusterers = ::testing::Types<safairkm::Options, live_front::Options, fair_spectral::Options, lord::Options>;
TYPED_TEST_SUITE(RareGroups, Clusterers);

const std::vector<std::size_t> sizes_of_c{6, 8, 10, 6, 4, 3, 8, 9, 12, 4};

TYPED_TEST(RareGroups, ThresholdsHaveHysteresis) {
    // 2 clusters: a group is left out below 4 points, and counts again from 10.
    Engine engine(setup(model_of<TypeParam>({2, 5})));
    std::vector<bool> left_out;
    for (std::size_t i = 0; i < sizes_of_c.size(); ++i) {
        engine.ingest(points(sizes_of_c[i], i).view());
        left_out.push_back(leaves_out_c(engine));
    }
    EXPECT_EQ(left_out, (std::vector<bool>{true, true, false, false, false, true, true, true, false, false}));
}

TYPED_TEST(RareGroups, OneNumberIsBoth) {
    Engine one(setup(model_of<TypeParam>(5))), both(setup(model_of<TypeParam>({5, 5})));
    for (std::size_t i = 0; i < sizes_of_c.size(); ++i) {
        const ModelUpdate a = one.ingest(points(sizes_of_c[i], i).view()).models[0];
        const ModelUpdate b = both.ingest(points(sizes_of_c[i], i).view()).models[0];
        EXPECT_EQ(a.labels().ids, b.labels().ids);
        EXPECT_EQ(a.labels().after, b.labels().after);
        EXPECT_EQ(a.solve, b.solve);
        EXPECT_EQ(leaves_out_c(one), sizes_of_c[i] < 10) << i;
    }
}

TYPED_TEST(RareGroups, AreRememberedBySavedStates) {
    const EngineOptions options = setup(model_of<TypeParam>({2, 5}));
    Engine whole(options);
    for (std::size_t i = 0; i < sizes_of_c.size(); ++i) {
        Engine loaded = Engine::load(options, whole.save());
        const std::vector<std::byte> after = [&] {
            loaded.ingest(points(sizes_of_c[i], i).view());
            return loaded.save();
        }();
        whole.ingest(points(sizes_of_c[i], i).view());
        EXPECT_EQ(after, whole.save()) << i;
    }
}

TYPED_TEST(RareGroups, ConvergedMeetsCountedGroups) {
    for (const OneOrMore<double>& rare_below : {OneOrMore<double>(5), OneOrMore<double>{2, 5}, OneOrMore<double>(0)}) {
        Engine engine(setup(model_of<TypeParam>(rare_below)));
        for (std::size_t i = 0; i < 3 * sizes_of_c.size(); ++i) {
            engine.ingest(points(sizes_of_c[i % sizes_of_c.size()], i).view());
            const ModelReport report = engine.report("m");
            if (report.solve.outcome != Outcome::converged) continue;
            constexpr bool by_parity = !std::same_as<TypeParam, live_front::Options>;
            const AttributeFairness all = attribute_fairness(report.tally(), 0);
            const auto& without_rare = by_parity ? parity_without_rare : balance_without_rare;
            const double reached =
                value_of(report.figures, without_rare.name).value_or(by_parity ? all.parity : all.balance);
            EXPECT_GE(reached, (by_parity ? 0.8 : 0.2) - 1e-9) << i;
        }
    }
}

TEST(RareBelow, IsOneNumberOrTwoThatRise) {
    const auto refusal = [](const OneOrMore<double>& rare_below) -> std::string {
        try {
            check(setup(model_of<Options>(rare_below)));
        } catch (const InvalidInput& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_EQ(refusal(5), "");
    EXPECT_EQ(refusal({2, 5}), "");
    EXPECT_NE(refusal({5, 2}).find("rare_below = 5,2: "), std::string::npos) << refusal({5, 2});
    EXPECT_NE(refusal({1, 2, 3}).find("rare_below = 1,2,3: "), std::string::npos);
}

TEST(RareBelow, TallyRestoresCountedGroups) {
    const StreamFormat format = setup(model_of<Options>(5)).format;
    FairnessTally tally = empty_tally(2, format);
    const PointColumns six = points(6, 1);
    std::vector<ClusterId> labels(retained);
    for (std::size_t i = 0; i < retained; ++i) labels[i] = static_cast<ClusterId>(i % 2);
    tally.add(labels, six.groups.data());
    const Options options = *model_of<Options>({2, 5}).get_if<Options>();
    EXPECT_EQ(left_out_groups(targets_of(options), group_masses(tally)).size(), 1U) << "it has not counted before";
    tally.remember_counted({1, 1, 1});
    EXPECT_TRUE(left_out_groups(targets_of(options), group_masses(tally)).empty());
}

}  // namespace
}  // namespace fairstream::safairkm
