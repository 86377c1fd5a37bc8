#include <fairstream/service/producers.hpp>

#include <algorithm>
#include <utility>

#include <fairstream/base/printable.hpp>

namespace fairstream::service {

namespace {

// Expiry takes 1/16 more producers than necessary, so that expiry events are rare.
constexpr std::uint64_t expiry_surplus_divisor = 16;
// Largest number of producers in one expiry event, which keeps the event's message short.
constexpr std::size_t most_at_once = 4096;

}  // namespace

ProducerBook::ProducerBook(const std::map<std::string, KnownProducer>& known, Expiry expiry)
    : expiry_(std::move(expiry)) {
    for (const auto& [name, producer] : known) note(name, producer);
}

std::optional<std::uint64_t> ProducerBook::floor(const Origin& origin) const {
    std::optional<std::uint64_t> floor = expiry_.epoch;
    const auto raise = [&](const std::map<std::string, std::uint64_t>& floors, std::string_view name) {
        if (floors.empty()) return;
        if (const auto found = floors.find(std::string(name)); found != floors.end())
            floor = std::max(floor.value_or(0), found->second);
    };
    raise(expiry_.clients, origin.client);
    raise(expiry_.removed, origin.producer);
    return floor;
}

std::uint64_t ProducerBook::newest_epoch(const Origin& origin) const {
    const auto known = known_.find(origin.producer);
    if (known != known_.end()) return known->second.mark.epoch;
    const RefusedNewcomers::Newcomer* const newcomer = newcomers_.find(origin.producer);
    return std::max(floor(origin).value_or(0), newcomer == nullptr ? 0 : newcomer->mark.epoch);
}

std::uint64_t ProducerBook::expected(const Origin& origin, std::uint64_t epoch) const {
    ProducerMark mark;
    if (const auto known = known_.find(origin.producer); known != known_.end()) {
        mark = known->second.mark;
    } else if (const auto least = floor(origin); least && epoch <= *least) {
        return 0;
    } else if (const RefusedNewcomers::Newcomer* const newcomer = newcomers_.find(origin.producer);
               newcomer != nullptr) {
        mark = newcomer->mark;
    } else {
        return 1;
    }
    if (epoch > mark.epoch) return 1;
    return epoch == mark.epoch ? mark.producer_sequence + 1 : 0;
}

MarkPosition ProducerBook::position_of(const Origin& origin, const ProducerMark& mark) const {
    const std::uint64_t next = expected(origin, mark.epoch);
    if (next == 0) return MarkPosition::stale_epoch;
    if (mark.producer_sequence == next) return MarkPosition::next;
    return mark.producer_sequence < next ? MarkPosition::duplicate : MarkPosition::gap;
}

std::string_view ProducerBook::owner(std::string_view producer) const {
    const auto known = known_.find(producer);
    return known == known_.end() ? std::string_view() : known->second.owner;
}

void ProducerBook::note(const std::string& producer, const KnownProducer& now) {
    const auto [entry, is_new] = known_.try_emplace(producer, now);
    const KnownProducer before = std::exchange(entry->second, now);
    if (!is_new) forget_position(producer, before);
    if (now.never_expires()) return;
    by_owner_[now.owner].emplace(now.last_sequence, producer);
    ++expiring_;
}

void ProducerBook::forget_position(const std::string& producer, const KnownProducer& known) {
    if (known.never_expires()) return;
    const auto names = by_owner_.find(known.owner);
    auto at = names->second.lower_bound(known.last_sequence);
    while (at->second != producer) ++at;
    names->second.erase(at);
    if (names->second.empty()) by_owner_.erase(names);
    --expiring_;
}

void ProducerBook::erase(std::string_view producer) {
    const auto known = known_.find(producer);
    if (known == known_.end()) return;
    forget_position(known->first, known->second);
    known_.erase(known);
}

std::vector<RefusedNumber> ProducerBook::accept(const Origin& origin, const ProducerMark& mark, Sequence sequence) {
    const RefusedNewcomers::Newcomer* const newcomer = newcomers_.find(origin.producer);
    const bool same_epoch = newcomer != nullptr && newcomer->mark.epoch == mark.epoch;
    std::vector<RefusedNumber> refused = newcomers_.take(origin.producer);
    if (!same_epoch) refused.clear();
    const std::string_view owner = origin.client.empty() ? this->owner(origin.producer) : origin.client;
    note(std::string(origin.producer), {mark, sequence, std::string(owner)});
    return refused;
}

void ProducerBook::refuse(const std::string& producer, const ProducerMark& mark, RefusedNumber refused) {
    const auto known = known_.find(producer);
    if (known != known_.end()) {
        note(producer, {mark, known->second.last_sequence, known->second.owner});
    } else {
        newcomers_.refuse(producer, mark.epoch, std::move(refused));
    }
}

void ProducerBook::resume(const Origin& origin, const ProducerMark& mark) {
    const std::uint64_t next = expected(origin, mark.epoch);
    if (!knows(origin.producer) && next != 0 && mark.producer_sequence >= next)
        newcomers_.resume(std::string(origin.producer), mark);
}

const RefusedNumber* ProducerBook::find_refused(std::string_view producer, const ProducerMark& mark) const {
    const RefusedNewcomers::Newcomer* const newcomer = newcomers_.find(producer);
    if (newcomer == nullptr || newcomer->mark.epoch != mark.epoch) return nullptr;
    const auto found = newcomer->refused.find(mark.producer_sequence);
    return found == newcomer->refused.end() ? nullptr : &found->second;
}

// Adds the longest idle producers of a client to an expiry, with the floor that keeps their events from counting twice.
void ProducerBook::add_idlest(const ByNewestEvent& names, std::size_t count, ProducerExpiry& expiry) const {
    std::uint64_t newest = 0;
    const std::string* owner = nullptr;
    for (const auto& [sequence, name] : names) {
        if (count-- == 0 || expiry.names.size() == most_at_once) break;
        const auto known = known_.find(name);
        newest = std::max(newest, known->second.mark.epoch);
        owner = &known->second.owner;
        expiry.names.push_back(name);
    }
    if (owner != nullptr) expiry.floors.push_back({*owner, newest});
}

ProducerExpiry ProducerBook::expiry_due(Sequence sequence, const Limits& limits) const {
    ProducerExpiry due;
    if (sequence > limits.idle) {
        const Sequence through = sequence - limits.idle;
        const bool is_due = std::ranges::any_of(by_owner_, [&](const auto& entry) {
            return through > entry.second.begin()->first + limits.idle / expiry_surplus_divisor;
        });
        if (is_due)
            for (const auto& [owner, names] : by_owner_)
                add_idlest(names, static_cast<std::size_t>(std::distance(names.begin(), names.upper_bound(through))),
                           due);
    }
    if (!due.names.empty()) return due;
    if (const auto own = by_owner_.find(limits.client);
        !limits.client.empty() && own != by_owner_.end() && own->second.size() > limits.of_client) {
        add_idlest(own->second, own->second.size() - limits.of_client + limits.of_client / expiry_surplus_divisor, due);
    } else if (expiring_ > limits.most) {
        const auto largest =
            std::ranges::max_element(by_owner_, {}, [](const auto& entry) { return entry.second.size(); });
        const std::size_t surplus = expiring_ - limits.most + limits.most / expiry_surplus_divisor;
        add_idlest(largest->second, std::min(surplus, largest->second.size()), due);
    }
    return due;
}

ProducerExpiry ProducerBook::removal(const std::string& producer) const {
    if (!knows(producer))
        throw InvalidInput(Reason::unknown_request, "there is no producer '" + printable(producer) + "'");
    return {.names = {producer}, .removed = true};
}

void ProducerBook::expire(const ProducerExpiry& expiry) {
    for (const std::string& name : expiry.names) {
        if (expiry.removed && knows(name)) expiry_.removed[name] = known_.find(name)->second.mark.epoch;
        erase(name);
    }
    for (const EpochFloor& floor : expiry.floors) {
        if (floor.client.empty()) {
            expiry_.epoch = std::max(expiry_.epoch.value_or(0), floor.epoch);
        } else {
            std::uint64_t& epoch = expiry_.clients[floor.client];
            epoch = std::max(epoch, floor.epoch);
        }
    }
}

}  // namespace fairstream::service
