/// Replaces `operator new` by one that notes the largest request of a thread.

#include "support/largest_request.hpp"

#include <cstdlib>
#include <new>

void* operator new(std::size_t size) {
    using fairstream::test::request_watch;
    if (request_watch.on) request_watch.largest = std::max(request_watch.largest, size);
    if (void* memory = std::malloc(std::max<std::size_t>(size, 1))) return memory;
    throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
