#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <fairstream/network/network_option.hpp>
#include <fairstream/network/train.hpp>

namespace fairstream {
namespace {

TEST(NetworkOption, RoundTripsExactly) {
    const std::size_t widths[] = {7, 5, 3, 1};
    const NetworkOption option(random_network(widths, Activation::tanh, 4));
    const std::string text = option_text(option);
    NetworkOption read;
    ASSERT_TRUE(read_option_text(text, read));
    EXPECT_EQ(read, option);
    EXPECT_EQ(option_text(read), text);
    const std::vector<float> row{0.1F, -2, 3, 1e-3F, 5, -6, 0.7F};
    EXPECT_EQ(Evaluation(*read)(row), Evaluation(*option)(row));
    ASSERT_TRUE(read_option_text("none", read));
    EXPECT_FALSE(read.has_value());
    EXPECT_EQ(option_text(read), "none");
}

TEST(NetworkOption, EqualNumbersAreEqual) {
    NetworkOption one, other;
    ASSERT_TRUE(read_option_text("relu 2x1 1,2 0,0.5 identity 1x2 1,-1 3", one));
    ASSERT_TRUE(read_option_text("relu 2x1 1.0,2e0 0,.5 identity 1x2 1,-1 3", other));
    EXPECT_EQ(one, other);
    EXPECT_FALSE(one == NetworkOption());
    EXPECT_EQ(option_text(other), "relu 2x1 1,2 0,0.5 identity 1x2 1,-1 3");
}

TEST(NetworkOption, RefusesWhatIsNoNetwork) {
    for (const std::string text : {"",
                                   " ",
                                   "None",
                                   "relu",
                                   "relu 1x1",
                                   "relu 1x1 1",
                                   "relu 1x1 1 ",
                                   "relu 1x1 1 0 ",
                                   "relu 1x1 1,2 0",
                                   "relu 1x1 1 0,1",
                                   "relu 1x2 1 0",
                                   "relu 0x1  0",
                                   "relu 1x1 nan 0",
                                   "relu 1x1 1e16 0",
                                   "relu 1x1 inf 0",
                                   "relu 1x1 x 0",
                                   "relu 1x1 1 0 identity 1x2 1,1 0",
                                   "softmax 1x1 1 0",
                                   "relu 1x1x1 1 0",
                                   "relu 99999999999x99999999999 1 0",
                                   "relu -1x1 1 0",
                                   "relu 1x1 1, 0",
                                   "relu 1x1 ,1 0",
                                   "relu  1x1 1 0"}) {
        NetworkOption option;
        EXPECT_FALSE(read_option_text(text, option)) << text;
        EXPECT_FALSE(option.has_value());
    }
}

}  // namespace
}  // namespace fairstream
