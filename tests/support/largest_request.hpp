#pragma once
/// The largest single allocation of a call. A program that uses it replaces `operator new` in one of its sources.

#include <algorithm>
#include <cstddef>
#include <functional>

namespace fairstream::test {

/// The largest request of this thread while it is watched, set by the replaced `operator new`.
struct RequestWatch {
    bool is_watching = false;
    std::size_t largest = 0;
};
inline thread_local RequestWatch request_watch;

/// Returns the bytes of the largest single allocation that `call()` makes on this thread.
template <class Call> [[nodiscard]] std::size_t largest_request(Call&& call) {
    request_watch = {true, 0};
    call();
    request_watch.is_watching = false;
    return request_watch.largest;
}

}  // namespace fairstream::test
