#pragma once
/// Storage of the rows that kernels read. It begins on a cache line, so that a row of 16 floats is in one line.

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace fairstream {

template <class T> struct CacheLineAllocator {
    using value_type = T;
    static constexpr std::align_val_t alignment{64};

    CacheLineAllocator() = default;
    // NOLINTNEXTLINE(google-explicit-constructor): containers rebind allocators by converting them.
    template <class U> CacheLineAllocator(const CacheLineAllocator<U>&) noexcept {}

    [[nodiscard]] T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), alignment)); }
    void deallocate(T* data, std::size_t n) noexcept { ::operator delete(data, n * sizeof(T), alignment); }
    /// Leaves new elements of `resize` uninitialised, because scratch is overwritten.
    template <class U> void construct(U* place) noexcept(std::is_nothrow_default_constructible_v<U>) {
        ::new (static_cast<void*>(place)) U;
    }
    template <class U, class... Arguments> void construct(U* place, Arguments&&... arguments) {
        ::new (static_cast<void*>(place)) U(std::forward<Arguments>(arguments)...);
    }
    template <class U> bool operator==(const CacheLineAllocator<U>&) const noexcept { return true; }
};

/// Unlike std::vector, `resize(n)` does not zero new elements; `assign(n, 0)` does.
template <class T> using CacheLineVector = std::vector<T, CacheLineAllocator<T>>;

}  // namespace fairstream
