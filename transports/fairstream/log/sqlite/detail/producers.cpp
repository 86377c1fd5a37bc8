#include <fairstream/log/sqlite/detail/producers.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace fairstream::log::sqlite {

void EventPositions::note(Sequence sequence, const ProducerMark& mark, Sequence oldest) {
    if (!positions_.empty() && sequence < positions_.back().sequence + stride) return;
    if (positions_.size() == positions_.capacity()) forget_before(oldest);  // bounds the cost for a long stream
    positions_.push_back({mark, sequence});
}

// Drops the positions before `oldest`, except the last one, where the search for the oldest event starts.
void EventPositions::forget_before(Sequence oldest) {
    const auto after = std::upper_bound(positions_.begin(), positions_.end(), oldest,
                                        [](Sequence value, const Position& p) { return value < p.sequence; });
    if (after != positions_.begin()) positions_.erase(positions_.begin(), std::prev(after));
}

std::optional<Sequence> EventPositions::search_from(const ProducerMark& mark) const {
    const auto after = std::ranges::upper_bound(positions_, mark, {}, &Position::mark);
    if (after == positions_.begin()) return std::nullopt;
    return std::prev(after)->sequence;
}

Producers::Table::value_type& Producers::at(std::string_view name) {
    auto entry = table_.find(name);
    if (entry == table_.end()) {
        entry = table_.emplace(name, Producer{}).first;
        entry->second.id = table_.size();
    }
    return *entry;
}

Expiry Producers::expiry() const {
    Expiry expiry{.clients = floors_};
    if (const Producer* const entry = find(expiry_name); entry != nullptr) {
        expiry.through = entry->last_sequence;
        expiry.epoch = entry->mark.epoch;
    }
    for (const auto& [name, producer] : table_)
        if (producer.owner == removed_owner) expiry.removed.emplace(name, producer.mark.epoch);
    return expiry;
}

bool Producers::is_forgotten(const Table::value_type& entry) const {
    const auto& [name, producer] = entry;
    if (name == expiry_name || producer.is_marked_forgotten()) return true;
    if (!producer.owner.empty() || producer.mark.epoch >= least_never_expiring_epoch) return false;
    const Producer* const expiry = find(expiry_name);
    return expiry != nullptr && Expiry{.through = expiry->last_sequence}.covers(producer.last_sequence);
}

std::map<std::string, KnownProducer> Producers::known() const {
    std::map<std::string, KnownProducer> known;
    for (const auto& entry : table_)
        if (!is_forgotten(entry))
            known.emplace(entry.first,
                          KnownProducer{entry.second.mark, entry.second.last_sequence, entry.second.owner});
    return known;
}

Producers::Removal Producers::remove(const std::vector<std::string>& names) {
    Removal removal;
    for (const std::string& name : names) {
        const auto entry = table_.find(name);
        removal.former_ids.push_back(entry->second.id);
        table_.erase(entry);
    }
    std::ranges::sort(removal.former_ids);
    // In n entries with distinct ids, the number of unused ids among 1 to n equals the number of entries with ids above
    // n.
    std::size_t vacant = 0;
    for (auto& entry : table_) {
        if (entry.second.id <= table_.size()) continue;
        const std::uint64_t former = std::exchange(entry.second.id, removal.former_ids[vacant++]);
        removal.former_ids.push_back(former);
        removal.renumbered.push_back(&entry);
    }
    return removal;
}

const Producer* Producers::find(std::string_view name) const {
    const auto known = table_.find(name);
    return known == table_.end() ? nullptr : &known->second;
}

}  // namespace fairstream::log::sqlite
