#include <fairstream/server/detail/connections.hpp>

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fairstream/server/detail/bytes_taken_in.hpp>

namespace fairstream::zmq {

namespace {

// Interval at which the bytes of connections are counted.
constexpr std::chrono::milliseconds between_counts{100};
// Bytes per second allowed for heartbeats, which clients may send besides messages.
constexpr double bytes_of_heartbeats = 1024;

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

/// Returns the file descriptor of the connection that delivered a message; -1 if there is none, as with inproc.
int connection_of(const ::zmq::message_t& message) {
    return zmq_msg_get(message.handle(), ZMQ_SRCFD);
}

}  // namespace

void Connections::watch(::zmq::socket_t& socket, const Bounds& bounds) {
    const std::string name = "inproc://fairstream.connections." +
                             std::to_string(reinterpret_cast<std::uintptr_t>(this)) + "." +
                             std::to_string(watched_.size());
    if (zmq_socket_monitor(socket.handle(), name.c_str(), watched_events) != 0)
        throw SocketError(std::string("cannot watch connections: ") + zmq_strerror(zmq_errno()));
    ::zmq::socket_t events(context_, ::zmq::socket_type::pair);
    events.set(::zmq::sockopt::linger, 0);
    // With `burst` unread events libzmq blocks, and so accepts connections no faster than they are ended.
    events.set(::zmq::sockopt::rcvhwm, 1);
    events.connect(name);
    watched_.push_back({socket.handle(), std::move(events), bounds});
}

void Connections::start() {
    thread_ = std::thread([this] { work(); });
}

void Connections::stop() noexcept {
    // Stops the monitors first: without a reader of their events, libzmq's background thread would wait for ever.
    for (const WatchedSocket& each : watched_) zmq_socket_monitor(each.socket, nullptr, 0);
    stop_ = true;
    wakeup_.set();
    if (thread_.joinable()) thread_.join();
    watched_.clear();
}

void Connections::work() {
    std::vector<::zmq::pollitem_t> items{{nullptr, wakeup_.file(), ZMQ_POLLIN, 0}};
    for (WatchedSocket& each : watched_) items.push_back({each.events.handle(), 0, ZMQ_POLLIN, 0});
    while (!stop_) {
        (void)zmq::wait(items, deadline_after(counts_bytes() ? between_counts : std::chrono::hours(1)));
        for (WatchedSocket& each : watched_) read_events(each);
        end_endless();
    }
}

void Connections::read_events(WatchedSocket& watched) {
    std::array<::zmq::message_t, 2> frames;  // the event, and the endpoint
    while (receive(watched.events, frames).value_or(false)) {
        const MonitorEvent event(frames[0]);
        const std::lock_guard lock(mutex_);
        if (event.event == ZMQ_EVENT_ACCEPTED) {
            add(watched, event.value);
            end_surplus(watched);
            continue;
        }
        // A connection of another socket may already have the descriptor, as events of different sockets are not
        // ordered.
        unreported_.erase(event.value);
        const auto connection = table_.find(event.value);
        if (connection != table_.end() && connection->second.watched == &watched) table_.erase(connection);
    }
}

void Connections::add(WatchedSocket& watched, int file) {
    const auto early = unreported_.extract(file);
    table_.insert_or_assign(file, Connection{&watched, ++last_number_, early ? early.mapped() : Traffic{},
                                             bytes_taken_in(file), Clock::now()});
}

bool Connections::counts_bytes() const {
    const std::lock_guard lock(mutex_);
    return std::ranges::any_of(table_, [](const auto& entry) { return entry.second.bytes.has_value(); });
}

void Connections::end_endless() {
    const std::lock_guard lock(mutex_);
    for (auto next = table_.begin(); next != table_.end();) {
        const auto each = next++;
        auto& [watched, number, traffic, bytes, counted_at] = each->second;
        if (!bytes) continue;
        const std::uint64_t now = bytes_taken_in(each->first).value_or(*bytes);
        const std::chrono::duration<double> since = Clock::now() - counted_at;
        const auto heartbeats = static_cast<std::uint64_t>(bytes_of_heartbeats * since.count());
        if (std::exchange(traffic.sent_since_count, false)) {
            bytes = now;
            counted_at = Clock::now();
        } else if (now > *bytes + watched->bounds.bytes_held + heartbeats) {
            ++endless_;
            // Closes the connection by a reset: the client is still sending, and nobody reads that any more.
            constexpr linger by_reset{.l_onoff = 1, .l_linger = 0};
            (void)::setsockopt(each->first, SOL_SOCKET, SO_LINGER, &by_reset, sizeof by_reset);
            end(each);
        }
    }
}

// Returns the record of a connection that sent a message, possibly before the monitor reports it; null if the
// connection was ended.
Connections::Traffic* Connections::note(int file, const service::Client& sender) {
    const auto known = table_.find(file);
    if (known == table_.end()) {
        constexpr std::size_t most_unreported = 1024;
        if (unreported_.size() >= most_unreported) unreported_.clear();
        Traffic& traffic = unreported_[file];
        traffic.sender = &sender;
        traffic.sent_since_count = true;
        return &traffic;
    }
    known->second.traffic.sent_since_count = true;
    const bool was_silent = std::exchange(known->second.traffic.sender, &sender) == nullptr;
    if (was_silent && end_surplus(*known->second.watched) && !table_.contains(file)) return nullptr;
    return &known->second.traffic;
}

// Returns whether there were too many connections.
bool Connections::end_surplus(const WatchedSocket& watched) {
    bool any = false;
    for (const auto surplus : {oldest_silent(watched), surplus_connection(watched)}) {
        if (surplus == table_.end()) continue;
        ++surplus_;
        end(surplus);
        any = true;
    }
    return any;
}

// Returns the oldest silent connection if there are too many.
Connections::Table::iterator Connections::oldest_silent(const WatchedSocket& watched) {
    auto oldest = table_.end();
    std::size_t silent = 0;
    for (auto each = table_.begin(); each != table_.end(); ++each) {
        if (each->second.watched != &watched || each->second.traffic.sender != nullptr) continue;
        ++silent;
        if (oldest == table_.end() || each->second.number < oldest->second.number) oldest = each;
    }
    return silent > most_silent(watched.bounds.connections) ? oldest : table_.end();
}

// Returns the connection that is one too many, among the connections that sent something.
Connections::Table::iterator Connections::surplus_connection(const WatchedSocket& watched) {
    struct ClientConnections {
        std::size_t connections = 0;
        Table::iterator newest;
        bool may_control = false;
    };
    std::map<std::string_view, ClientConnections> by_client;
    std::size_t all = 0;
    for (auto each = table_.begin(); each != table_.end(); ++each) {
        const service::Client* const sender = each->second.traffic.sender;
        if (each->second.watched != &watched || sender == nullptr) continue;
        ClientConnections& of_client = by_client[sender->identity];
        of_client.may_control = includes(sender->rights, Rights::control);
        if (of_client.connections++ == 0 || each->second.number > of_client.newest->second.number)
            of_client.newest = each;
        ++all;
    }
    // Order in which clients lose a connection: the client with the most connections; among equals, a client that may
    // not control the engine; among these, the client of the newest connection.
    const auto order = [](const auto& entry) {
        const ClientConnections& of_client = entry.second;
        return std::tuple(of_client.connections, !of_client.may_control, of_client.newest->second.number);
    };
    const auto most = std::ranges::max_element(by_client, {}, order);
    if (most == by_client.end()) return table_.end();
    return all > watched.bounds.connections || most->second.connections > limits_.connections ? most->second.newest
                                                                                              : table_.end();
}

// Shuts down the connection's descriptor. If libzmq has just closed it and another connection reuses it, that one ends
// and its client reconnects. If a file reuses the descriptor, it is no socket, and is unaffected.
void Connections::end(Table::iterator connection) {
    (void)::shutdown(connection->first, SHUT_RDWR);
    table_.erase(connection);
}

void Connections::end_sender_of(const ::zmq::message_t& message) {
    const std::lock_guard lock(mutex_);
    const auto known = table_.find(connection_of(message));
    if (known == table_.end()) return;
    ++surplus_;
    end(known);
}

std::size_t Connections::open(const ::zmq::socket_t& socket) const {
    const std::lock_guard lock(mutex_);
    return static_cast<std::size_t>(std::ranges::count_if(
        table_, [&](const auto& entry) { return entry.second.watched->socket == socket.handle(); }));
}

std::uint32_t Connections::subscribers() const {
    const std::lock_guard lock(mutex_);
    return static_cast<std::uint32_t>(
        std::ranges::count_if(table_, [](const auto& entry) { return entry.second.traffic.subscriptions > 0; }));
}

void Connections::note_message(const ::zmq::message_t& message, const service::Client& sender) {
    const int file = connection_of(message);
    const std::lock_guard lock(mutex_);
    (void)note(file, sender);
}

void Connections::note_subscription(const ::zmq::message_t& message, const service::Client& sender) {
    const int file = connection_of(message);
    const bool ends_one = !message.empty() && *message.data<char>() == 0;
    const std::lock_guard lock(mutex_);
    Traffic* const traffic = note(file, sender);
    if (traffic == nullptr) return;
    traffic->subscriptions += ends_one ? -1 : 1;
    const auto known = table_.find(file);
    if (ends_one || known == table_.end()) return;
    std::int64_t of_client = 0;
    for (const auto& [other, connection] : table_)
        if (connection.traffic.sender != nullptr && connection.traffic.sender->identity == sender.identity)
            of_client += connection.traffic.subscriptions;
    if (traffic->subscriptions <= most_subscriptions && std::cmp_less_equal(of_client, limits_.subscriptions)) return;
    ++oversubscribed_;
    end(known);
}

}  // namespace fairstream::zmq
