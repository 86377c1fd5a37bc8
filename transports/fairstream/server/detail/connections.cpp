#include <fairstream/server/detail/connections.hpp>

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <tuple>
#include <utility>
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
        if (connection != table_.end() && connection->second.watched == &watched) table_.erase(connection);
    }
}

void Connections::add(Watched& watched, int file) {
    const auto early = early_.extract(file);
    table_.insert_or_assign(file, Connection{&watched, ++last_number_, early ? early.mapped() : Said{}});
}

// Returns the record of a connection that sent a message, which can come before the monitor reports its connection;
// null where the connection was ended.
Connections::Said* Connections::note(int file, const service::Client& sender) {
    const auto known = table_.find(file);
    if (known == table_.end()) {
        constexpr std::size_t most_early = 1024;
        if (early_.size() >= most_early) early_.clear();
        Said& said = early_[file];
        said.sender = &sender;
        return &said;
    }
    const bool was_silent = std::exchange(known->second.said.sender, &sender) == nullptr;
    if (was_silent && end_surplus(*known->second.watched) && !table_.contains(file)) return nullptr;
    return &known->second.said;
}

// Returns whether there were too many connections.
bool Connections::end_surplus(const Watched& watched) {
    bool any = false;
    for (const auto surplus : {oldest_silent(watched), surplus_of_most(watched)}) {
        if (surplus == table_.end()) continue;
        ++surplus_;
        end(surplus);
        any = true;
    }
    return any;
}

// Returns the oldest silent connection if there are too many.
Connections::Table::iterator Connections::oldest_silent(const Watched& watched) {
    auto oldest = table_.end();
    std::size_t silent = 0;
    for (auto each = table_.begin(); each != table_.end(); ++each) {
        if (each->second.watched != &watched || each->second.said.sender != nullptr) continue;
        ++silent;
        if (oldest == table_.end() || each->second.number < oldest->second.number) oldest = each;
    }
    return silent > most_silent(watched.most) ? oldest : table_.end();
}

// Returns the connection that is too many, of those that sent something.
Connections::Table::iterator Connections::surplus_of_most(const Watched& watched) {
    struct Held {
        std::size_t connections = 0;
        Table::iterator newest;
        bool may_control = false;
    };
    std::map<std::string_view, Held> by_client;
    std::size_t all = 0;
    for (auto each = table_.begin(); each != table_.end(); ++each) {
        const service::Client* const sender = each->second.said.sender;
        if (each->second.watched != &watched || sender == nullptr) continue;
        Held& held = by_client[sender->identity];
        held.may_control = includes(sender->rights, Rights::control);
        if (held.connections++ == 0 || each->second.number > held.newest->second.number) held.newest = each;
        ++all;
    }
    // Orders those that are to give a connection up: the client that has most, of several the one that may not control
    // the engine, of several the one that came last.
    const auto order = [](const auto& entry) {
        const Held& held = entry.second;
        return std::tuple(held.connections, !held.may_control, held.newest->second.number);
    };
    const auto most = std::ranges::max_element(by_client, {}, order);
    if (most == by_client.end()) return table_.end();
    return all > watched.most || most->second.connections > limits_.connections ? most->second.newest : table_.end();
}

// Shuts the connection's descriptor down. If libzmq has just closed it and another connection reuses it, that one ends
// and its client reconnects; a file that reuses it is no socket, and unaffected.
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
        std::ranges::count_if(table_, [](const auto& entry) { return entry.second.said.subscriptions > 0; }));
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
    Said* const said = note(file, sender);
    if (said == nullptr) return;
    said->subscriptions += ends_one ? -1 : 1;
    const auto known = table_.find(file);
    if (ends_one || known == table_.end()) return;
    std::int64_t of_client = 0;
    for (const auto& [other, connection] : table_)
        if (connection.said.sender != nullptr && connection.said.sender->identity == sender.identity)
            of_client += connection.said.subscriptions;
    if (said->subscriptions <= most_subscriptions && std::cmp_less_equal(of_client, limits_.subscriptions)) return;
    ++oversubscribed_;
    end(known);
}

}  // namespace fairstream::zmq
