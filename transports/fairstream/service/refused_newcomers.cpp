#include <fairstream/service/refused_newcomers.hpp>

namespace fairstream::service {

void RefusedNewcomers::refuse(const std::string& producer, std::uint64_t epoch, RefusedNumber refused) {
    Newcomer& newcomer = at(producer, epoch);
    const std::uint64_t number = refused.producer_sequence;
    newcomer.mark.producer_sequence = number;
    newcomer.refused.emplace(number, std::move(refused));
    order_.emplace_back(producer, number);
    forget_oldest();
}

void RefusedNewcomers::resume(const std::string& producer, const log::ProducerMark& mark) {
    at(producer, mark.epoch).mark = mark;
    order_.emplace_back(producer, 0);
    forget_oldest();
}

std::vector<RefusedNumber> RefusedNewcomers::take(std::string_view producer) {
    std::vector<RefusedNumber> refused;
    const auto known = table_.find(producer);
    if (known == table_.end()) return refused;
    for (auto& [number, each] : known->second.refused) refused.push_back(std::move(each));
    table_.erase(known);
    return refused;
}

RefusedNewcomers::Newcomer& RefusedNewcomers::at(const std::string& producer, std::uint64_t epoch) {
    Newcomer& newcomer = table_[producer];
    if (newcomer.mark.epoch != epoch) newcomer = {{epoch, 0}, {}};
    return newcomer;
}

// Forgets the oldest refusals above `limit`, and newcomers that have no refusal left, which are then unknown again.
void RefusedNewcomers::forget_oldest() {
    if (order_.size() <= limit) return;
    const auto [name, number] = std::move(order_.front());
    order_.pop_front();
    const auto known = table_.find(name);
    if (known == table_.end()) return;
    known->second.refused.erase(number);
    if (known->second.refused.empty()) table_.erase(known);
}

}  // namespace fairstream::service
