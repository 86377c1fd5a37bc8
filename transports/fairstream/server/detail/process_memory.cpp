#include <fairstream/server/detail/process_memory.hpp>

#include <cstdlib>  // defines __GLIBC__

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace fairstream::zmq {

void keep_freed_memory() noexcept {
#if defined(__GLIBC__)
    constexpr int largest_kept_block = 32 << 20;  // glibc's own upper bound for this setting
    constexpr int kept_at_the_top = 256 << 20;
    mallopt(M_MMAP_THRESHOLD, largest_kept_block);
    mallopt(M_TRIM_THRESHOLD, kept_at_the_top);
    mallopt(M_TOP_PAD, 1 << 20);
#endif
}

}  // namespace fairstream::zmq
