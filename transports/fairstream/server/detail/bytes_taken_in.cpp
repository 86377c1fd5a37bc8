#include <fairstream/server/detail/bytes_taken_in.hpp>

#if defined(__linux__)
#include <linux/tcp.h>  // declares more of tcp_info than the C library
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstddef>
#endif

namespace fairstream::zmq {

std::optional<std::uint64_t> bytes_taken_in([[maybe_unused]] int file) noexcept {
#if defined(__linux__)
    tcp_info info{};
    socklen_t size = sizeof info;
    constexpr socklen_t needed = offsetof(tcp_info, tcpi_bytes_received) + sizeof info.tcpi_bytes_received;
    int unread = 0;
    // Bytes that arrive between these two calls count as unread: the result is never too high.
    if (::getsockopt(file, IPPROTO_TCP, TCP_INFO, &info, &size) != 0 || size < needed) return {};
    if (::ioctl(file, FIONREAD, &unread) != 0) return {};
    const std::uint64_t received = info.tcpi_bytes_received;
    return received - std::min(received, static_cast<std::uint64_t>(unread));
#else
    return {};
#endif
}

}  // namespace fairstream::zmq
