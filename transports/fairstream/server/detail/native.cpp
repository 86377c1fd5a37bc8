#include <fairstream/server/detail/native.hpp>

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <memory>
#include <system_error>
#include <utility>

#include <fairstream/base/handover.hpp>
#include <fairstream/zmq/detail/socket_native.hpp>

namespace fairstream::zmq {

namespace {

constexpr char from_req = 'q';

}  // namespace

std::string Incoming::client() const {
    return (delimited ? from_req : 'd') + frames[0].to_string();
}

bool receive(::zmq::socket_t& socket, Incoming& message) {
    const std::optional<bool> three = receive(socket, message.frames);
    if (!three) return false;
    const auto& [client, second, third] = message.frames;
    const bool two = client.more() && !second.more();
    message.delimited = *three && second.empty();
    message.valid = two || message.delimited;
    return true;
}

bool send_first(::zmq::socket_t& socket, std::string_view frame) {
    for (bool caught_up = false;;) {
        try {
            if (socket.send(::zmq::buffer(frame), ::zmq::send_flags::sndmore | ::zmq::send_flags::dontwait))
                return true;
            if (std::exchange(caught_up, true)) return false;
            // libzmq processes notifications of sent messages only now and then, so that a short queue may seem full to
            // a fast sender. Reading the socket's events processes them.
            (void)socket.get(::zmq::sockopt::events);
        } catch (const ::zmq::error_t& error) {
            if (error.num() == EHOSTUNREACH) return false;
            if (error.num() != EINTR) throw SocketError(std::string("cannot send: ") + error.what());
        }
    }
}

bool reply(::zmq::socket_t& socket, std::string_view client, const service::SharedBytes& message) {
    ::zmq::message_t body = frame_of(message);
    // A ROUTER that cannot take the first frame takes no frame. Once it took the first one, it drops later frames
    // instead of waiting.
    if (!send_first(socket, client.substr(1))) return false;
    if (client.front() == from_req && !send_first(socket, "")) return false;
    return send(socket, body);
}

::zmq::message_t frame_of(const service::SharedBytes& bytes) {
    constexpr std::size_t worth_sharing = 4096;
    const service::Bytes view = bytes.view();
    if (view.size() < worth_sharing) return {view.data(), view.size()};
    auto owner = std::make_unique<service::SharedBytes>(bytes);
    note_release(owner.get());  // handed to libzmq's thread
    // The cast is safe: libzmq does not write to messages that it sends.
    ::zmq::message_t frame(
        const_cast<std::byte*>(view.data()), view.size(),
        [](void*, void* shared) {
            note_acquire(shared);
            delete static_cast<service::SharedBytes*>(shared);
        },
        owner.get());
    (void)owner.release();
    return frame;
}

Wakeup::Wakeup() : file_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (file_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
}

Wakeup::~Wakeup() {
    ::close(file_);
}

void Wakeup::set() noexcept {
    const int error = errno;  // a signal handler must preserve it
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written =
        ::write(file_, &one, sizeof one);  // fails only after many calls without a clear
    errno = error;
}

void Wakeup::clear() noexcept {
    std::uint64_t times = 0;
    [[maybe_unused]] const ssize_t read = ::read(file_, &times, sizeof times);  // fails only if it was not set
}

}  // namespace fairstream::zmq
