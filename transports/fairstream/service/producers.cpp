#include <fairstream/service/producers.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace fairstream::service {

namespace {

// Expiry takes 1/16 more producers than necessary at once, so that expiry events are rare.
constexpr std::uint64_t together = 16;

}  // namespace

ProducerBook::ProducerBook(const std::map<std::string, KnownProducer>& known, const Expiry& expiry) : expiry_(expiry) {
    for (const auto& [name, producer] : known) note(name, producer);
}

std::uint64_t ProducerBook::newest_epoch(std::string_view producer) const {
    const auto known = known_.find(producer);
    if (known != known_.end()) return known->second.mark.epoch;
    const RefusedNewcomers::Newcomer* const newcomer = newcomers_.find(producer);
    return std::max(expiry_.epoch, newcomer == nullptr ? 0 : newcomer->mark.epoch);
}

std::uint64_t ProducerBook::expected(std::string_view producer, std::uint64_t epoch) const {
    ProducerMark mark;
    if (const auto known = known_.find(producer); known != known_.end()) {
        mark = known->second.mark;
    } else if (expiry_.through > 0 && epoch <= expiry_.epoch) {
        return 0;
    } else if (const RefusedNewcomers::Newcomer* const newcomer = newcomers_.find(producer); newcomer != nullptr) {
        mark = newcomer->mark;
    } else {
        return 1;
    }
    if (epoch > mark.epoch) return 1;
    return epoch == mark.epoch ? mark.producer_sequence + 1 : 0;
}

Place ProducerBook::place(std::string_view producer, const ProducerMark& mark) const {
    const std::uint64_t next = expected(producer, mark.epoch);
    if (next == 0) return Place::stale_epoch;
    if (mark.producer_sequence == next) return Place::next;
    return mark.producer_sequence < next ? Place::duplicate : Place::gap;
}

void ProducerBook::note(const std::string& producer, const KnownProducer& now) {
    const auto [entry, is_new] = known_.try_emplace(producer, now);
    const KnownProducer before = std::exchange(entry->second, now);
    if (!is_new && !before.lasts()) {
        auto at = by_newest_event_.lower_bound(before.last_sequence);
        while (at->second != producer) ++at;
        by_newest_event_.erase(at);
    }
    if (!now.lasts()) by_newest_event_.emplace(now.last_sequence, producer);
}

std::vector<RefusedNumber> ProducerBook::take(const std::string& producer, const ProducerMark& mark,
                                              Sequence sequence) {
    const RefusedNewcomers::Newcomer* const newcomer = newcomers_.find(producer);
    const bool same_epoch = newcomer != nullptr && newcomer->mark.epoch == mark.epoch;
    std::vector<RefusedNumber> refused = newcomers_.take(producer);
    if (!same_epoch) refused.clear();
    note(producer, {mark, sequence});
    return refused;
}

void ProducerBook::refuse(const std::string& producer, const ProducerMark& mark, RefusedNumber refused) {
    const auto known = known_.find(producer);
    if (known != known_.end()) {
        note(producer, {mark, known->second.last_sequence});
    } else {
        newcomers_.refuse(producer, mark.epoch, std::move(refused));
    }
}

void ProducerBook::resume(const std::string& producer, const ProducerMark& mark) {
    const std::uint64_t next = expected(producer, mark.epoch);
    if (!knows(producer) && next != 0 && mark.producer_sequence >= next) newcomers_.resume(producer, mark);
}

const RefusedNumber* ProducerBook::find_refused(std::string_view producer, const ProducerMark& mark) const {
    const RefusedNewcomers::Newcomer* const newcomer = newcomers_.find(producer);
    if (newcomer == nullptr || newcomer->mark.epoch != mark.epoch) return nullptr;
    const auto found = newcomer->refused.find(mark.producer_sequence);
    return found == newcomer->refused.end() ? nullptr : &found->second;
}

Sequence ProducerBook::expiry_due(Sequence sequence, std::uint64_t idle, std::size_t most) const {
    Sequence through = 0;
    if (!by_newest_event_.empty() && sequence > idle &&
        sequence - idle > by_newest_event_.begin()->first + idle / together)
        through = sequence - idle;
    if (by_newest_event_.size() > most) {
        const std::size_t leaving = by_newest_event_.size() - most + most / together;
        const auto last = std::next(by_newest_event_.begin(), static_cast<std::ptrdiff_t>(leaving - 1));
        through = std::max({through, last->first, Sequence{1}});
    }
    return through;
}

bool ProducerBook::has_room(std::string_view producer, std::uint64_t epoch) const {
    return epoch < recording::lasting_epoch || knows(producer) ||
           known_.size() - by_newest_event_.size() < most_lasting;
}

void ProducerBook::expire(Sequence through) {
    expiry_.through = through;
    while (!by_newest_event_.empty() && by_newest_event_.begin()->first <= through) {
        const auto known = known_.find(by_newest_event_.begin()->second);
        expiry_.epoch = std::max(expiry_.epoch, known->second.mark.epoch);
        known_.erase(known);
        by_newest_event_.erase(by_newest_event_.begin());
    }
}

}  // namespace fairstream::service
