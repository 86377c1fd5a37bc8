#include <gtest/gtest.h>

#include <fairstream/files/cells/dates.hpp>
#include <fairstream/files/cells/times.hpp>

namespace fairstream::files {
namespace {

constexpr std::int64_t second = 1'000'000;
constexpr std::int64_t last_of_january = 1'769'817'600 * second;  // 2026-01-31

TEST(CsvDates, AreTheSameDayHoweverTheyAreWritten) {
    ASSERT_EQ(read_time("2026-01-31"), last_of_january);
    for (const char* text :
         {"2026-01-31", "2026/1/31", "2026.01.31", "20260131", "31 Jan 2026", "31-Jan-2026", "31 january 2026",
          "Jan 31, 2026", "January 31 2026", "Sat, 31 Jan 2026", "Saturday January 31, 2026", "2026-01-31T00:00Z",
          "2026-01-31 01:00+01:00", "31 Jan 2026 00:00:00 GMT", "2026-01-31 12:00 AM"})
        for (const DateOrder order : {DateOrder::year_first, DateOrder::day_first, DateOrder::month_first})
            EXPECT_EQ(read_date(text, order), last_of_january) << text;
    for (const char* text : {"31.1.2026", "31/01/2026", "31-1-26"}) {
        EXPECT_EQ(read_date(text, DateOrder::day_first), last_of_january) << text;
        EXPECT_EQ(read_date(text, DateOrder::month_first), std::nullopt) << text;
        EXPECT_EQ(read_date(text), std::nullopt) << text;
    }
    EXPECT_EQ(read_date("2026-01"), read_time("2026-01-01"));
    EXPECT_EQ(read_date("1/31/2026", DateOrder::month_first), last_of_january);
    EXPECT_EQ(read_date("1/31/2026 3:45 PM", DateOrder::month_first), last_of_january + (15 * 60 + 45) * 60 * second);
    EXPECT_EQ(read_date("1/2/69", DateOrder::day_first), read_time("1969-02-01"));
    EXPECT_EQ(read_date("1/2/68", DateOrder::day_first), read_time("2068-02-01"));
}

TEST(CsvDates, InvalidDatesAreRefused) {
    for (const char* text : {"",
                             "31",
                             "31.1",
                             "31.1.",
                             "30.2.2026",
                             "1.13.2026",
                             "32.1.2026",
                             "31.1.202",
                             "31.1/2026",
                             "2026-1",
                             "2026131",
                             "202601310",
                             "31 Foo 2026",
                             "Foo 31, 2026",
                             "Jan 312026",
                             "31.1.2026 ",
                             "31.1.2026 25:00",
                             "31.1.2026 13:00 PM",
                             "31.1.2026 0:15 AM",
                             "31.1.2026 8:15 XY",
                             "2026-01-31T08:15 EST",
                             "a.b.c"})
        EXPECT_EQ(read_date(text, DateOrder::day_first), std::nullopt) << text;
}

TEST(CsvDates, TimeOfDayIsOnFirstDay) {
    for (const char* text : {"15:45", "15:45:00", "3:45 PM", "15:45:00.0"})
        EXPECT_EQ(read_date_or_time(text, DateOrder::year_first), (15 * 60 + 45) * 60 * second) << text;
    EXPECT_EQ(read_date_or_time("2026-01-31", DateOrder::year_first), last_of_january);
    for (const char* text : {"", "15", "24:00", "15:60", "15:45Z", "15:45 x", "-1:00"}) {
        EXPECT_EQ(read_time_of_day(text), std::nullopt) << text;
        EXPECT_EQ(read_date_or_time(text, DateOrder::day_first), std::nullopt) << text;
    }
    EXPECT_EQ(read_time("15:45"), std::nullopt) << "an event has a day";
}

TEST(CsvDates, AreNumbersOfTheirUnitAndBack) {
    EXPECT_EQ(in_date_unit(3600 * second, DateUnit::seconds), 3600);
    EXPECT_EQ(in_date_unit(3600 * second, DateUnit::hours), 1);
    EXPECT_EQ(in_date_unit(-86'400 * second, DateUnit::days), -1);
    EXPECT_NEAR(in_date_unit(last_of_january, DateUnit::years), 56.08, 0.01);
    for (const DateUnit unit : {DateUnit::seconds, DateUnit::hours, DateUnit::days, DateUnit::years})
        for (const std::int64_t time : {std::int64_t{0}, last_of_january, -last_of_january, std::int64_t{1'234'567}}) {
            const auto sent = static_cast<float>(in_date_unit(time, unit));
            EXPECT_EQ(static_cast<float>(in_date_unit(from_date_unit(sent, unit), unit)), sent)
                << "what float32 keeps of it reads back";
        }
}

}  // namespace
}  // namespace fairstream::files
