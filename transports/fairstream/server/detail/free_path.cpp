#include <fairstream/server/detail/free_path.hpp>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

#include <fairstream/zmq/socket.hpp>

namespace fairstream::zmq {
namespace {

// Returns whether a process listens at a socket's path. A listener with a full queue refuses the connection, but
// listens.
bool has_listener(const std::string& path) {
    sockaddr_un address{};
    if (path.size() >= sizeof address.sun_path) return false;  // binding fails later
    address.sun_family = AF_UNIX;
    std::ranges::copy(path, address.sun_path);
    const int probe = ::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (probe < 0) return false;
    const bool connected =
        ::connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 || errno == EAGAIN;
    ::close(probe);
    return connected;
}

}  // namespace

void require_free_path(std::string_view endpoint) {
    constexpr std::string_view ipc = "ipc://";
    if (!endpoint.starts_with(ipc)) return;
    const std::string path(endpoint.substr(ipc.size()));
    if (path.empty() || path.front() == '@' || path.front() == '*') return;  // abstract: the system knows its owner
    struct stat there {};
    if (::lstat(path.c_str(), &there) != 0) return;
    const auto refuse = [&](const char* why) {
        throw SocketError("cannot bind '" + std::string(endpoint) + "': " + why);
    };
    if (!S_ISSOCK(there.st_mode)) refuse("a file of that name exists and is no socket");
    if (has_listener(path)) refuse("another process listens there");
}

}  // namespace fairstream::zmq
