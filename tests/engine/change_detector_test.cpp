#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <optional>

#include <fairstream/base/archive.hpp>
#include <fairstream/numeric/change_detector.hpp>
#include <fairstream/numeric/draws.hpp>

namespace fairstream {
namespace {

enum class Of : std::uint8_t { uniform, rare, heavy };

double value_of(Of distribution, Draws& draws) {
    if (distribution == Of::uniform) return draws.unit();
    if (distribution == Of::rare) return draws.unit() < 0.01 ? 1 : 0;
    return std::pow(draws.unit() + 1e-9, -0.4);  // without a third moment
}

TEST(ChangeDetector, FindsNoChangeWhereThereIsNone) {
    for (const Of distribution : {Of::uniform, Of::rare, Of::heavy}) {
        int alarms = 0;
        for (std::uint64_t seed = 1; seed <= 10; ++seed) {
            Draws draws(seed);
            ChangeDetector detector;
            for (int i = 0; i < 20'000; ++i) {
                detector.add(value_of(distribution, draws));
                if (i % 7 != 0 || !detector.changed(1e-6)) continue;
                ++alarms;
                detector.clear();
            }
        }
        EXPECT_EQ(alarms, 0) << static_cast<int>(distribution);
    }
}

TEST(ChangeDetector, FindsAChangeAndSaysWhen) {
    Draws draws(3);
    ChangeDetector detector;
    for (int i = 0; i < 5000; ++i) detector.add(draws.unit());
    ASSERT_FALSE(detector.changed(1e-6));
    int since = 0;
    std::optional<double> found;
    while (!found && since < 1000) {
        detector.add(draws.unit() + 0.5);
        ++since;
        found = detector.changed(1e-6);
    }
    ASSERT_TRUE(found.has_value());
    EXPECT_LT(since, 200);
    EXPECT_GE(*found, since / 2);
    EXPECT_LE(*found, 2 * since + 8) << "within the buckets, whose sizes double";
}

TEST(ChangeDetector, NeedsMorePointsForALessLikelyAlarm) {
    const auto needed = [](double chance) {
        Draws draws(3);
        ChangeDetector detector;
        for (int i = 0; i < 2000; ++i) detector.add(draws.unit());
        int since = 0;
        for (; !detector.changed(chance); ++since) detector.add(draws.unit() + 0.3);
        return since;
    };
    EXPECT_LE(needed(1e-2), needed(1e-6));
    EXPECT_LT(needed(1e-6), needed(1e-12));
}

TEST(ChangeDetector, KeepsMassAndBoundedMemory) {
    ChangeDetector detector;
    Draws draws(5);
    double mass = 0;
    for (int i = 0; i < 30'000; ++i) {
        const double weight = 0.5 + draws.unit();
        detector.add(draws.unit(), weight);
        mass += weight;
    }
    EXPECT_NEAR(detector.mass(), mass, 1e-9 * mass);
    EXPECT_TRUE(detector.is_sound());
    StateWriter writer;
    writer(1, detector);
    const auto bytes = writer.take();
    EXPECT_LT(bytes.size(), 3000U);
    ChangeDetector read;
    StateReader reader(bytes);
    reader(1, read);
    EXPECT_EQ(read, detector);
    detector.clear();
    EXPECT_EQ(detector, ChangeDetector());
}

TEST(ChangeDetector, OfFewOrEqualValuesFindsNothing) {
    ChangeDetector detector;
    EXPECT_FALSE(detector.changed(0.5));
    detector.add(1e15);
    EXPECT_FALSE(detector.changed(0.5));
    for (int i = 0; i < 1000; ++i) detector.add(1e15);
    EXPECT_FALSE(detector.changed(0.5));
}

}  // namespace
}  // namespace fairstream
