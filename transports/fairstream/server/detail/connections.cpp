#include <fairstream/server/detail/connections.hpp>

#include <sys/socket.h>

#include <array>
#include <cstring>
#include <string>
#include <vector>

#include <fairstream/zmq/detail/socket_native.hpp>

namespace fairstream::zmq {

namespace {

constexpr int watched_events = ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_DISCONNECTED;

/// The first frame of a monitor's message: event (16 bits) and value (32 bits), here a file descriptor.
struct MonitorEvent {
    explicit MonitorEvent(const ::zmq::message_t& frame) {
        const auto* const bytes = static_cast<const std::byte*>(frame.data());
        std::memcpy(&event, bytes, sizeof event);
        std::memcpy(&value, bytes + sizeof event, sizeof value);
    }
    std::uint16_t event = 0;
    std::int32_t value = 0;
};

/// Returns the file descriptor of the connection that a message came over; -1 where there is none, as with inproc.
int connection_of(const ::zmq::message_t& message) {
    return zmq_msg_get(message.handle(), ZMQ_SRCFD);
}

}  // namespace

void Connections::watch(::zmq::socket_t& socket, std::size_t most) {
    const std::string name = "inproc://fairstream.connections." +
                             std::to_string(reinterpret_cast<std::uintptr_t>(this)) + "." +
                             std::to_string(watched_.size());
    if (zmq_socket_monitor(socket.handle(), name.c_str(), watched_events) != 0)
        throw SocketError(std::string("cannot watch connections: ") + zmq_strerror(zmq_errno()));
    ::zmq::socket_t events(context_, ::zmq::socket_type::pair);
    events.set(::zmq::sockopt::linger, 0);
    // With `burst` events unread libzmq blocks, and so does not accept connections faster than they are ended.
    events.set(::zmq::sockopt::rcvhwm, 1);
    events.connect(name);
    watched_.push_back({socket.handle(), std::move(events), most});
}

void Connections::start() {
    thread_ = std::thread([this] { work(); });
}

void Connections::stop() noexcept {
    // Stops the monitors first: with nobody to read their events, libzmq's background thread would wait for ever.
    for (const Watched& each : watched_) zmq_socket_monitor(each.socket, nullptr, 0);
    stop_ = true;
    wakeup_.set();
    if (thread_.joinable()) thread_.join();
    watched_.clear();
}

void Connections::work() {
    std::vector<::zmq::pollitem_t> items{{nullptr, wakeup_.file(), ZMQ_POLLIN, 0}};
    for (Watched& each : watched_) items.push_back({each.events.handle(), 0, ZMQ_POLLIN, 0});
    while (!stop_) {
        (void)zmq::wait(items, deadline_after(std::chrono::hours(1)));
        for (Watched& each : watched_) read_events(each);
    }
}

void Connections::read_events(Watched& watched) {
    std::array<::zmq::message_t, 2> frames;  // the event, and the endpoint
    while (receive(watched.events, frames).value_or(false)) {
        const MonitorEvent event(frames[0]);
        const std::lock_guard lock(mutex_);
        if (event.event == ZMQ_EVENT_ACCEPTED) {
            add(watched, event.value);
            end_surplus(watched);
            continue;
        }
        // A connection of another socket may have the descriptor by now: events of different sockets are not ordered.
        early_.erase(event.value);
        const auto connection = table_.find(event.value);
        if (connection != table_.end() && connection->second.watched == &watched) forget(connection);
    }
}

void Connections::add(Watched& watched, int file) {
    if (const auto former = table_.find(file); former != table_.end()) forget(former);
    const auto early = early_.extract(file);
    table_.emplace(file, Connection{&watched, ++last_number_, early ? early.mapped() : Said{}});
    ++watched.connections;
}

// Returns the record of a connection. A message can come before the monitor reports its connection.
Connections::Said& Connections::said(int file) {
    if (const auto known = table_.find(file); known != table_.end()) return known->second.said;
    constexpr std::size_t most_early = 1024;
    if (early_.size() >= most_early) early_.clear();
    return early_[file];
}

// Ends surplus connections: the oldest silent one first, so that idle connections keep out no active ones; otherwise
// the newest.
void Connections::end_surplus(Watched& watched) {
    if (watched.connections <= watched.most) return;
    auto chosen = table_.end();
    const auto goes_before = [](const Connection& a, const Connection& b) {
        if (a.said.anything != b.said.anything) return !a.said.anything;
        return a.said.anything ? a.number > b.number : a.number < b.number;
    };
    for (auto each = table_.begin(); each != table_.end(); ++each) {
        if (each->second.watched != &watched) continue;
        if (chosen == table_.end() || goes_before(each->second, chosen->second)) chosen = each;
    }
    ++surplus_;
    end(chosen);
}

// Shuts the connection's descriptor down. If libzmq has just closed it and another connection reuses it, that one ends
// and its client reconnects; a file that reuses it is no socket, and unaffected.
void Connections::end(Table::iterator connection) {
    (void)::shutdown(connection->first, SHUT_RDWR);
    forget(connection);
}

void Connections::forget(Table::iterator connection) {
    --connection->second.watched->connections;
    table_.erase(connection);
}

std::uint32_t Connections::subscribers() const {
    const std::lock_guard lock(mutex_);
    return static_cast<std::uint32_t>(
        std::ranges::count_if(table_, [](const auto& entry) { return entry.second.said.subscriptions > 0; }));
}

void Connections::note_message(const ::zmq::message_t& message) {
    const int file = connection_of(message);
    const std::lock_guard lock(mutex_);
    said(file).anything = true;
}

void Connections::note_subscription(const ::zmq::message_t& message) {
    const int file = connection_of(message);
    const bool ends_one = !message.empty() && *message.data<char>() == 0;
    const std::lock_guard lock(mutex_);
    Said& sender = said(file);
    sender.anything = true;
    sender.subscriptions += ends_one ? -1 : 1;
    const auto known = table_.find(file);
    if (sender.subscriptions <= most_subscriptions || known == table_.end()) return;
    ++oversubscribed_;
    end(known);
}

}  // namespace fairstream::zmq
