#include <fairstream/server/detail/rights.hpp>

namespace fairstream::zmq {

Rights::Rights(const ServerSecurity& security)
    : producers_(security.clients.begin(), security.clients.end()), subscribers_(producers_), controllers_(producers_) {
    for (const ProducerKey& producer : security.producers) {
        producers_.insert(producer.key);
        if (producer.name.empty()) continue;
        owners_[producer.name].insert(producer.key);
        bound_.insert(producer.key);
    }
    subscribers_.insert(security.subscribers.begin(), security.subscribers.end());
    controllers_.insert(security.controllers.begin(), security.controllers.end());
}

bool Rights::may_enter(std::string_view key, Door door) const {
    switch (door) {
        case Door::ingest:
            return producers_.contains(key);
        case Door::updates:
            return subscribers_.contains(key);
        case Door::control:
            return subscribers_.contains(key) || controllers_.contains(key);
    }
    return false;
}

bool Rights::may_produce_as(std::string_view key, std::string_view producer) const {
    const auto owners = owners_.find(producer);
    if (owners != owners_.end()) return owners->second.contains(key);
    return producers_.contains(key) && !bound_.contains(key);
}

}  // namespace fairstream::zmq
