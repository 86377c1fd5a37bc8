#include <gmock/gmock.h>

#include <string>
#include <vector>

#include <fairstream/generate/generator.hpp>

#include <support/refusal.hpp>

namespace fairstream::generate {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> names() {
    std::vector<std::string> result;
    for (const GeneratorKind& kind : generator_kinds()) result.emplace_back(kind.name);
    return result;
}

TEST(Generator, MakesWhatItsNameSays) {
    EXPECT_THAT(names(), ElementsAre("loans", "loan_decisions", "syn_equal_ds1", "syn_unequal_ds1", "syn_equal_ds2",
                                     "syn_unequal_ds2", "elliptical"));
    PointColumns made, expected;
    Generator("loans", 5, 900).next(900, made);
    LoanApplicants(5).next(900, expected);
    EXPECT_EQ(made, expected);
    Generator("elliptical", 5, 333).next(333, made);
    EllipticalPoints(5, 333).next(333, expected);
    EXPECT_EQ(made, expected);
    Generator("loan_decisions", 5, 333).next(333, made);
    LoanDecisions(5).next(333, expected);
    EXPECT_EQ(made, expected);
    for (std::size_t i = 2; i <= 5; ++i) {
        Generator(names()[i], 5, 333).next(333, made);
        SyntheticPoints(static_cast<Synthetic>(i - 2), 5, 333).next(333, expected);
        EXPECT_EQ(made, expected) << names()[i];
    }
}

TEST(Generator, KnowsHowManyPointsAreUsual) {
    for (const std::string& name : names()) {
        const Generator usual(name, 1);
        EXPECT_EQ(usual.total(), name == "loans"            ? 100'000U
                                 : name == "loan_decisions" ? 20'000U
                                 : name == "elliptical"     ? 1'000U
                                                            : 400U);
        EXPECT_EQ(usual.total(), generator_kind(name).points);
        EXPECT_EQ(Generator(name, 1, 7).total(), 7U);
    }
}

TEST(Generator, PointsHaveFormatAndEnd) {
    for (const std::string& name : names()) {
        Generator generator(name, 1, 10);
        check(generator.format());
        EXPECT_EQ(generator.feature_names().size(), generator.format().dimensions);
        PointColumns points;
        EXPECT_EQ(generator.next(4, points), 4U);
        EXPECT_THAT(points.ids, ElementsAre(0, 1, 2, 3));
        EXPECT_EQ(points.features.size(), 4 * generator.format().dimensions);
        EXPECT_EQ(points.groups.size(), 4 * generator.format().attributes.size());
        EXPECT_EQ(generator.left(), 6U);
        EXPECT_EQ(generator.next(100, points), 6U);
        EXPECT_THAT(points.ids, ElementsAre(4, 5, 6, 7, 8, 9));
        EXPECT_EQ(generator.next(100, points), 0U);
        EXPECT_EQ(points, PointColumns{});
    }
}

TEST(Generator, BadNamesAndCountsAreRefused) {
    const std::string known =
        ": loans, loan_decisions, syn_equal_ds1, syn_unequal_ds1, syn_equal_ds2, syn_unequal_ds2, elliptical";
    for (const std::string name : {"people", "", "loan", "loans2", "Syn_equal_ds1"}) {
        test::expect_refused(Reason::bad_option, {"'" + name + "'", known}, [&] { Generator(name, 1); });
        test::expect_refused(Reason::bad_option, {known}, [&] { (void)generator_kind(name); });
    }
    for (const std::string& name : names())
        test::expect_refused(Reason::bad_option, {"points = 0 must be"}, [&] { Generator(name, 1, 0); });
}

}  // namespace
}  // namespace fairstream::generate
