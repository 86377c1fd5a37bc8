#include <fairstream/service/producers.hpp>

namespace fairstream::service {

std::uint64_t ProducerBook::newest_epoch(std::string_view producer) const {
    const auto known = marks_.find(producer);
    return known == marks_.end() ? 0 : known->second.epoch;
}

std::uint64_t ProducerBook::expected(std::string_view producer, std::uint64_t epoch) const {
    const auto known = marks_.find(producer);
    if (known == marks_.end() || epoch > known->second.epoch) return 1;
    return epoch == known->second.epoch ? known->second.producer_sequence + 1 : 0;
}

Place ProducerBook::place(std::string_view producer, const ProducerMark& mark) const {
    const std::uint64_t next = expected(producer, mark.epoch);
    if (next == 0) return Place::stale_epoch;
    if (mark.producer_sequence == next) return Place::next;
    return mark.producer_sequence < next ? Place::duplicate : Place::gap;
}

}  // namespace fairstream::service
