#include <fairstream/command/live/reachability.hpp>

#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>

namespace fairstream::command {
namespace {

constexpr int probe_timeout = 500;  // milliseconds for each wait

class Socket {
public:
    explicit Socket(int family) : number_(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {}
    ~Socket() {
        if (number_ >= 0) ::close(number_);
    }
    Socket(const Socket&) = delete;
    Socket& operator=(const Socket&) = delete;

    /// Returns 0, or the error of connecting; ETIMEDOUT when nothing came in time.
    [[nodiscard]] int connect(const sockaddr* address, socklen_t size) const {
        if (number_ < 0) return errno;
        if (::connect(number_, address, size) == 0) return 0;
        if (errno != EINPROGRESS && errno != EAGAIN) return errno;
        if (!waits_for(POLLOUT)) return ETIMEDOUT;
        int error = 0;
        socklen_t length = sizeof(error);
        return ::getsockopt(number_, SOL_SOCKET, SO_ERROR, &error, &length) == 0 ? error : errno;
    }
    /// Returns whether the peer sends the greeting with which every ZeroMQ socket begins.
    [[nodiscard]] bool greets() const {
        constexpr unsigned char greeting = 0xff;
        unsigned char first = 0;
        return waits_for(POLLIN) && ::recv(number_, &first, 1, 0) == 1 && first == greeting;
    }

private:
    [[nodiscard]] bool waits_for(short event) const {
        pollfd item{number_, event, 0};
        return ::poll(&item, 1, probe_timeout) == 1;
    }
    int number_;
};

/// Returns the meaning of an error of connecting; empty when unknown.
std::string text_of(int error, const std::string& endpoint) {
    switch (error) {
        case ECONNREFUSED:
            return "nothing listens at " + endpoint + ": start the engine, or name its endpoint";
        case ETIMEDOUT:
        case EHOSTUNREACH:
        case ENETUNREACH:
            return "the machine of " + endpoint + " cannot be reached";
        default:
            return "";
    }
}

std::string silent_text(const std::string& place) {
    return "the program that listens at " + place + " does not answer: it is no engine, or it is suspended";
}

std::string why_path_unreachable(const std::string& endpoint, const std::string& path) {
    if (::access(path.c_str(), W_OK) != 0)
        return errno == ENOENT ? "there is no socket " + path : "this user may not write to the socket " + path;
    sockaddr_un address{};
    if (path.size() >= sizeof(address.sun_path)) return "";
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.c_str(), path.size());
    const Socket socket(AF_UNIX);
    const int error = socket.connect(reinterpret_cast<const sockaddr*>(&address), sizeof(address));
    if (error == ECONNREFUSED) return "nothing listens at the socket " + path + ", which an ended process left behind";
    return error != 0 ? text_of(error, endpoint) : socket.greets() ? "" : silent_text(path);
}

std::string why_host_unreachable(const std::string& endpoint, std::string_view address) {
    const std::size_t colon = address.rfind(':');
    if (colon == std::string_view::npos) return "";
    std::string host(address.substr(0, colon));
    const std::string port(address.substr(colon + 1));
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    addrinfo hints{}, *found = nullptr;
    hints.ai_socktype = SOCK_STREAM;
    if (::getaddrinfo(host.c_str(), port.c_str(), &hints, &found) != 0) return "there is no host " + host;
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> list(found, ::freeaddrinfo);
    int error = 0;
    for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
        const Socket socket(each->ai_family);
        error = socket.connect(each->ai_addr, each->ai_addrlen);
        if (error == 0) return socket.greets() ? "" : silent_text(endpoint);
    }
    return text_of(error, endpoint);
}

}  // namespace

std::string why_unreachable(const std::string& endpoint) {
    constexpr std::string_view ipc = "ipc://", tcp = "tcp://";
    if (endpoint.starts_with(ipc)) return why_path_unreachable(endpoint, endpoint.substr(ipc.size()));
    if (endpoint.starts_with(tcp)) return why_host_unreachable(endpoint, std::string_view(endpoint).substr(tcp.size()));
    return "";
}

}  // namespace fairstream::command
