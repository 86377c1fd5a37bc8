#pragma once
/// The expectation that bad input is refused for a given reason, with a text that names the value.

#include <gmock/gmock.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <fairstream/base/types.hpp>

#include <support/names.hpp>

namespace fairstream::test {

/// Expects `call()` to throw `InvalidInput` for `reason` with a text that holds every one of `parts`.
template <class Call> void expect_refused(Reason reason, std::initializer_list<std::string_view> parts, Call&& call) {
    try {
        call();
        ADD_FAILURE() << "taken in spite of " << to_string(reason);
    } catch (const InvalidInput& error) {
        EXPECT_EQ(to_string(error.reason()), to_string(reason)) << error.what();
        EXPECT_THAT(error.what(), Names(std::vector<std::string>(parts.begin(), parts.end())));
    }
}

}  // namespace fairstream::test
