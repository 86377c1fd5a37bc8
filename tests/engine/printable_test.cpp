/// Text from outside in logs and terminals.

#include <gtest/gtest.h>

#include <fairstream/base/printable.hpp>
#include <fairstream/base/types.hpp>

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

TEST(Shortened, CutsMiddleOfLongText) {
    EXPECT_EQ(shortened(std::string(200, 'a'), 200), std::string(200, 'a'));
    EXPECT_EQ(shortened("begin" + std::string(1'000'000, 'a') + "end", 200),
              "begin" + std::string(128, 'a') + " ... (999855 bytes left out) ... " + std::string(17, 'a') + "end");
    std::string letters;
    for (int i = 0; i < 400; ++i) letters += "ö";
    EXPECT_EQ(shortened(letters, 201), letters.substr(0, 134) + " ... (646 bytes left out) ... " + letters.substr(780))
        << "whole letters";
}

TEST(InvalidInput, QuotesOfALongNameItsBeginning) {
    const std::string text = InvalidInput(Reason::bad_option, "no column '" + std::string(1 << 20, 'x') + "'").what();
    EXPECT_LE(text.size(), longest_error);
    EXPECT_TRUE(text.starts_with("no column 'xxx")) << text;
    EXPECT_TRUE(text.ends_with("xxx'")) << text;
}

}  // namespace
}  // namespace fairstream::test
