#pragma once
/// Replaces `operator new` by a version that records a thread's largest request. Include it in one source of a program.

#include "support/largest_request.hpp"

#include <cstdlib>
#include <new>

namespace {

void* memory_of(std::size_t size) noexcept {
    using fairstream::test::request_watch;
    if (request_watch.is_watching) request_watch.largest = std::max(request_watch.largest, size);
    return std::malloc(std::max<std::size_t>(size, 1));
}

}  // namespace

// NOLINTBEGIN(misc-definitions-in-headers): only one source of a program includes them.

void* operator new(std::size_t size) {
    if (void* memory = memory_of(size)) return memory;
    throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    return memory_of(size);
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
    std::free(memory);
}

// NOLINTEND(misc-definitions-in-headers)
