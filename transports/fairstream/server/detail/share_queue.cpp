#include <fairstream/server/detail/share_queue.hpp>

#include <utility>

#include <fairstream/server/detail/native.hpp>

namespace fairstream::zmq {

// Returns the share of a client; a new one if none of its messages wait and it has used no more time than others.
ShareQueue::Share& ShareQueue::share_of(const service::Client& client) {
    if (const auto known = shares_.find(client.identity); known != shares_.end()) return known->second;
    std::erase_if(shares_,
                  [&](const auto& entry) { return entry.second.connections.empty() && entry.second.used <= now_; });
    return shares_.emplace(client.identity, Share{now_, {}, 0, unknown_bytes_}).first->second;
}

void ShareQueue::push(Received received) {
    Share& share = share_of(*received.sender);
    if (share.connections.empty()) share.used = std::max(share.used, now_);
    const std::string_view address = connection_of(received.client);
    auto connection = std::ranges::find(share.connections, address, &Connection::address);
    if (connection == share.connections.end())
        connection = share.connections.insert(connection, {std::string(address), {}, 0});
    const std::size_t bytes = counted(received.message);
    share.usual_bytes = std::max(bytes, share.usual_bytes - share.usual_bytes / 8);
    connection->bytes += bytes;
    share.bytes += bytes;
    bytes_ += bytes;
    ++messages_;
    connection->messages.push_back(std::move(received));
}

// Returns the share and the connection of the next message; null when there is none.
std::pair<ShareQueue::Share*, std::list<ShareQueue::Connection>::iterator> ShareQueue::next(const MayTake& may_take) {
    std::pair<Share*, std::list<Connection>::iterator> next;
    for (auto& [identity, share] : shares_) {
        if (next.first != nullptr && share.used >= next.first->used) continue;
        const auto first = std::ranges::find_if(share.connections, [&](const Connection& connection) {
            return !may_take || may_take(connection.messages.front());
        });
        if (first != share.connections.end()) next = {&share, first};
    }
    return next;
}

const service::Client* ShareQueue::next_client() {
    const auto [share, connection] = next({});
    return share == nullptr ? nullptr : connection->messages.front().sender;
}

std::optional<Received> ShareQueue::pop(const std::function<bool(const Received&)>& may_take) {
    const auto [share, connection] = next(may_take);
    if (share == nullptr) return std::nullopt;
    now_ = std::max(now_, share->used);
    return take(*share, connection, false);
}

Received ShareQueue::pop_surplus() {
    const auto by_bytes = [](const auto& a, const auto& b) { return a.bytes < b.bytes; };
    Share& share =
        std::ranges::max_element(shares_, by_bytes, [](auto& entry) -> Share& { return entry.second; })->second;
    return take(share, std::ranges::max_element(share.connections, by_bytes), true);
}

Received ShareQueue::take(Share& share, std::list<Connection>::iterator connection, bool newest) {
    std::deque<Received>& messages = connection->messages;
    Received taken = std::move(newest ? messages.back() : messages.front());
    newest ? messages.pop_back() : messages.pop_front();
    const std::size_t bytes = counted(taken.message);
    connection->bytes -= bytes;
    share.bytes -= bytes;
    bytes_ -= bytes;
    --messages_;
    if (messages.empty())
        share.connections.erase(connection);
    else if (!newest)
        share.connections.splice(share.connections.end(), share.connections, connection);
    return taken;
}

void ShareQueue::charge(const service::Client& client, Time time) {
    Share& share = share_of(client);
    share.used += time;
    share.usual_time = std::max(time, share.usual_time - share.usual_time / 8);
}

std::size_t ShareQueue::messages_of(const service::Client& client, std::string_view connection) const {
    const auto share = shares_.find(client.identity);
    if (share == shares_.end()) return 0;
    const auto found = std::ranges::find(share->second.connections, connection, &Connection::address);
    return found == share->second.connections.end() ? 0 : found->messages.size();
}

std::size_t ShareQueue::usual_bytes(const service::Client& client) const {
    const auto share = shares_.find(client.identity);
    return share == shares_.end() ? unknown_bytes_ : share->second.usual_bytes;
}

ShareQueue::Time ShareQueue::usual_time(const service::Client& client) const {
    const auto share = shares_.find(client.identity);
    return share == shares_.end() ? Time(0) : share->second.usual_time;
}

}  // namespace fairstream::zmq
