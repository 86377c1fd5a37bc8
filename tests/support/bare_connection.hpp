#pragma once
/// A raw client of a server's socket that can break the protocol.

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

namespace fairstream::test {

/// A connection to a Unix socket without any library: nothing is sent, not even a greeting, unless a function is called
/// for it.
class BareConnection {
public:
    explicit BareConnection(const std::string& path) : file_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        if (path.size() >= sizeof address.sun_path) throw std::runtime_error("the path is too long");
        std::memcpy(address.sun_path, path.c_str(), path.size());
        const timeval timeout{20, 0};  // seconds; longer than anything here takes
        for (const int option : {SO_RCVTIMEO, SO_SNDTIMEO})
            ::setsockopt(file_, SOL_SOCKET, option, &timeout, sizeof timeout);
        if (::connect(file_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
            throw std::runtime_error(path + ": " + std::strerror(errno));
    }
    BareConnection(BareConnection&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
    ~BareConnection() {
        if (file_ >= 0) ::close(file_);
    }
    /// Sends the greeting of ZMTP 3.0, which names a mechanism such as NULL or CURVE.
    void greet(std::string_view mechanism) const {
        std::string greeting(64, '\0');
        greeting.replace(0, 10, std::string("\xff\0\0\0\0\0\0\0\0\x7f", 10));
        greeting[10] = '\3';
        greeting.replace(12, mechanism.size(), mechanism);
        EXPECT_TRUE(send(greeting));
    }
    /// Makes the handshake without security, as a subscriber.
    void introduce_subscriber() const {
        greet("NULL");
        EXPECT_TRUE(send(std::string("\4\x19\5READY\13Socket-Type\0\0\0\3SUB", 27)));
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
    bool send_message(const std::string& body) const {
        std::string header(1, '\2');
        for (int shift = 56; shift >= 0; shift -= 8) header += static_cast<char>(body.size() >> shift & 0xff);
        return send(header + body);
    }
    /// Waits until the server closes the connection; returns false when it does not in time.
    [[nodiscard]] bool ends() const {
        char greeting[64];
        for (;;) {
            const ssize_t count = ::recv(file_, greeting, sizeof greeting, 0);
            if (count <= 0) return count == 0 || errno == ECONNRESET;
        }
    }

private:
    std::string receive(std::size_t size) const {
        std::string bytes(size, '\0');
        EXPECT_EQ(::recv(file_, bytes.data(), size, MSG_WAITALL), static_cast<ssize_t>(size));
        return bytes;
    }
    int file_;
};

}  // namespace fairstream::test
