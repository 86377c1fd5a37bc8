#include <fairstream/server/detail/clients.hpp>

#include <utility>

namespace fairstream::zmq {

namespace {

std::string_view property(const ::zmq::message_t& message, const char* name) noexcept {
    const char* const value = zmq_msg_gets(message.handle(), name);
    return value == nullptr ? std::string_view() : value;
}

// Returns the identity of a client without a key, from the address that libzmq gives a message: "localhost:UID:GID:PID"
// for an ipc endpoint, the address for a tcp endpoint, empty within the process.
std::string identity_of_address(std::string_view address) {
    constexpr std::string_view local = "localhost:";
    if (address.empty()) return "this process";
    if (address.starts_with(local)) {
        address.remove_prefix(local.size());
        return "user:" + std::string(address.substr(0, address.find(':')));
    }
    const bool is_loopback = address.starts_with("127.") || address == "::1" || address.starts_with("::ffff:127.");
    return is_loopback ? "loopback" : "address:" + std::string(address);
}

}  // namespace

ClientList::ClientList(const std::optional<ServerSecurity>& security, std::size_t names)
    : has_keys_(security.has_value()), names_(names) {
    if (!security) return;
    const auto add = [&](const std::string& key, Rights rights) -> service::Client& {
        service::Client& client =
            by_key_.try_emplace(key, service::Client{"key:" + key, Rights::none, names, {}}).first->second;
        client.rights = client.rights | rights;
        return client;
    };
    for (const std::string& key : security->clients) add(key, Rights::all);
    for (const std::string& key : security->subscribers) add(key, Rights::follow | Rights::ask);
    for (const std::string& key : security->controllers) add(key, Rights::ask | Rights::control | Rights::remove);
    for (const ProducerKey& producer : security->producers) {
        service::Client& client = add(producer.key, Rights::send);
        if (producer.names > 0) client.names = producer.names;
        if (producer.name.empty()) continue;
        owners_[producer.name].insert(producer.key);
        if (bound_.insert(producer.key).second) client.identity = "name:" + producer.name;
    }
    for (auto& [key, client] : by_key_) {
        identities_.insert(client.identity);
        client.may_send_as = [this, &key = key](std::string_view producer, std::string_view owner) {
            return may_send_as(key, producer, owner);
        };
    }
}

bool ClientList::may_connect(std::string_view key, SocketRole role) const {
    const auto client = by_key_.find(key);
    return client != by_key_.end() && service::may_connect(client->second.rights, role);
}

// A name in [security] is reserved for the keys bound to it. Any other name belongs to the client that sends under it,
// as long as that client is listed.
bool ClientList::may_send_as(std::string_view key, std::string_view producer, std::string_view owner) const {
    if (const auto owners = owners_.find(producer); owners != owners_.end()) return owners->second.contains(key);
    if (bound_.contains(key)) return false;
    return owner.empty() || owner == by_key_.find(key)->second.identity || !identities_.contains(owner);
}

const service::Client& ClientList::sender_of(const ::zmq::message_t& message) const {
    if (!has_keys_) return without_keys(identity_of_address(property(message, "Peer-Address")));
    const auto client = by_key_.find(property(message, "User-Id"));
    return client == by_key_.end() ? unknown_ : client->second;
}

const service::Client& ClientList::without_keys(std::string_view identity) const {
    const std::scoped_lock lock(mutex_);
    auto known = by_identity_.find(identity);
    if (known == by_identity_.end())
        known = by_identity_.emplace(identity, service::Client{std::string(identity), Rights::all, names_, {}}).first;
    return known->second;
}

}  // namespace fairstream::zmq
