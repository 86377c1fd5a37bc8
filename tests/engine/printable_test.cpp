/// Text from outside in logs and terminals.

#include <gtest/gtest.h>

#include <fairstream/base/printable.hpp>

namespace fairstream::test {
namespace {

TEST(Printable, LeavesTextAsItIs) {
    EXPECT_EQ(printable(""), "");
    EXPECT_EQ(printable("'größe' \\ ~ €"), "'größe' \\ ~ €");
    EXPECT_EQ(printable("\xc2"), "\xc2") << "a letter cut off";
    EXPECT_EQ(printable("\xc2\xa0"), "\xc2\xa0") << "the first after the control characters";
}

TEST(Printable, EscapesWhatForgesLinesOrSteersATerminal) {
    EXPECT_EQ(printable("a\nb\r\t"), "a\\x0ab\\x0d\\x09");
    EXPECT_EQ(printable(std::string_view("\0\x1b[2J\x7f", 6)), "\\x00\\x1b[2J\\x7f");
    EXPECT_EQ(printable("\xc2\x9b"
                        "2J\xc2\x80"),
              "\\xc2\\x9b2J\\xc2\\x80");
}

}  // namespace
}  // namespace fairstream::test
