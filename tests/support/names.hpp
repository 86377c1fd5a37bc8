#pragma once
/// A matcher of messages by the values that they name, whatever their words.

#include <gmock/gmock.h>

#include <initializer_list>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fairstream::test {

/// Matches a text that holds every one of the parts, in any order: `EXPECT_THAT(err, Names({"a.csv:5", "'1.5'"}))`.
class Names {
public:
    using is_gtest_matcher = void;

    Names(std::initializer_list<std::string> parts) : parts_(parts) {}
    explicit Names(std::vector<std::string> parts) : parts_(std::move(parts)) {}

    bool MatchAndExplain(std::string_view text,
                         std::ostream* listener) const {  // NOLINT(readability-identifier-naming)
        bool all = true;
        for (const std::string& part : parts_) {
            if (text.find(part) != text.npos) continue;
            if (listener) *listener << (all ? "it lacks " : ", ") << ::testing::PrintToString(part);
            all = false;
        }
        return all;
    }
    void DescribeTo(std::ostream* to) const {  // NOLINT(readability-identifier-naming)
        *to << "names " << ::testing::PrintToString(parts_);
    }
    void DescribeNegationTo(std::ostream* to) const {  // NOLINT(readability-identifier-naming)
        *to << "does not name " << ::testing::PrintToString(parts_);
    }

private:
    std::vector<std::string> parts_;
};

}  // namespace fairstream::test
