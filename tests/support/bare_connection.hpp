#pragma once
/// A raw client of a server's socket that can break the protocol.

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

namespace fairstream::test {

/// A connection to a socket without a library: nothing is sent, not even a greeting, unless a function is called for
/// it.
class BareConnection {
public:
    explicit BareConnection(const std::string& path) : file_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        if (path.size() >= sizeof address.sun_path) throw std::runtime_error("the path is too long");
        std::memcpy(address.sun_path, path.c_str(), path.size());
        connect(address, path);
    }
    /// Connects to a TCP port of this machine.
    explicit BareConnection(std::uint16_t port) : file_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.sin_port = htons(port);
        connect(address, "port " + std::to_string(port));
    }
    BareConnection(BareConnection&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
    ~BareConnection() {
        if (file_ >= 0) ::close(file_);
    }
    /// Sends the greeting of ZMTP 3.0 for a mechanism such as NULL or CURVE.
    void greet(std::string_view mechanism) const {
        std::string greeting(64, '\0');
        greeting.replace(0, 10, std::string("\xff\0\0\0\0\0\0\0\0\x7f", 10));
        greeting[10] = '\3';
        greeting.replace(12, mechanism.size(), mechanism);
        EXPECT_TRUE(send(greeting));
    }
    /// Does the handshake without security, as a socket of this type such as SUB or DEALER.
    void introduce(const std::string& type) const {
        greet("NULL");
        std::string ready("\5READY\13Socket-Type\0\0\0", 21);
        ready += static_cast<char>(type.size());
        ready += type;
        EXPECT_TRUE(send("\4" + std::string(1, static_cast<char>(ready.size())) + ready));
        receive(64);
        const std::string command = receive(2);  // READY: its flag and its length
        receive(static_cast<std::size_t>(command[1]));
    }
    /// Sends bytes; returns whether the server took all of them.
    bool send(std::string_view bytes) const {
        while (!bytes.empty()) {
            const ssize_t count = ::send(file_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (count <= 0) return false;
            bytes.remove_prefix(static_cast<std::size_t>(count));
        }
        return true;
    }
    /// Sends a message of one frame; returns whether the server took all of it.
    bool send_message(const std::string& body) const { return send_frame('\2', body); }
    /// Sends a part of a message; further parts must follow.
    bool send_part(const std::string& body) const { return send_frame('\3', body); }
    /// Waits until the server closes the connection; returns false when it does not in time.
    [[nodiscard]] bool ends() const {
        char greeting[64];
        for (;;) {
            const ssize_t count = ::recv(file_, greeting, sizeof greeting, 0);
            if (count <= 0) return count == 0 || errno == ECONNRESET;
        }
    }

private:
    template <class Address> void connect(const Address& address, const std::string& name) const {
        const timeval timeout{20, 0};  // seconds; longer than anything here takes
        for (const int option : {SO_RCVTIMEO, SO_SNDTIMEO})
            ::setsockopt(file_, SOL_SOCKET, option, &timeout, sizeof timeout);
        if (::connect(file_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
            throw std::runtime_error(name + ": " + std::strerror(errno));
    }
    bool send_frame(char flags, const std::string& body) const {
        std::string header(1, flags);
        for (int shift = 56; shift >= 0; shift -= 8) header += static_cast<char>(body.size() >> shift & 0xff);
        return send(header + body);
    }
    std::string receive(std::size_t size) const {
        std::string bytes(size, '\0');
        EXPECT_EQ(::recv(file_, bytes.data(), size, MSG_WAITALL), static_cast<ssize_t>(size));
        return bytes;
    }
    int file_;
};

}  // namespace fairstream::test
