#pragma once
/// The expectation that bad input is refused for a given reason, with a text that names the value.

#include <gtest/gtest.h>

#include <initializer_list>
#include <string_view>

#include <fairstream/base/types.hpp>

namespace fairstream::test {

/// Expects `call()` to throw `InvalidInput` for `reason` with a text that holds every one of `parts`.
template <class Call> void expect_refused(Reason reason, std::initializer_list<std::string_view> parts, Call&& call) {
    try {
        call();
        ADD_FAILURE() << "taken in spite of " << to_string(reason);
    } catch (const InvalidInput& error) {
        const std::string_view text = error.what();
        EXPECT_EQ(to_string(error.reason()), to_string(reason)) << text;
        for (const std::string_view part : parts)
            EXPECT_NE(text.find(part), text.npos) << "'" << part << "' is not in: " << text;
    }
}

}  // namespace fairstream::test
