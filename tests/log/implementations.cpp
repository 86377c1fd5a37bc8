#include "log/implementations.hpp"

#include <random>

#include <gtest/gtest.h>

namespace fairstream::log::test {

namespace {

std::string text_of(const std::vector<std::byte>& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string text_of(const ProducerMark& mark) {
    return std::to_string(mark.epoch) + "/" + std::to_string(mark.producer_sequence);
}

std::string text_of(const std::optional<std::uint64_t>& number) {
    return number ? std::to_string(*number) : "none";
}

std::string text_of(const std::optional<Checkpoint>& checkpoint) {
    if (!checkpoint) return "none";
    std::string text = std::to_string(checkpoint->sequence) + " " + text_of(checkpoint->running_hash) + " " +
                       text_of(checkpoint->state);
    for (const auto& [topic, mark] : checkpoint->topics)
        text += " " + topic + " " + std::to_string(mark.number) + " " + std::to_string(mark.running_hash);
    return text;
}

}  // namespace

std::vector<std::byte> some_bytes(std::uint64_t seed, std::size_t size) {
    std::mt19937_64 random(seed);
    std::vector<std::byte> bytes(size);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
    return bytes;
}

std::vector<std::string> contents_of(const Log& log) {
    std::vector<std::string> all{log.config(),
                                 log.cpu_level(),
                                 "first " + std::to_string(log.first_sequence()),
                                 "last " + std::to_string(log.last_sequence()),
                                 "hash " + text_of(log.running_hash()),
                                 "refused " + std::to_string(log.refused_count()),
                                 "newest " + text_of(log.newest_checkpoint()),
                                 "oldest " + text_of(log.oldest_checkpoint())};
    log.for_each_event(0, [&](const RecordedEvent& event) {
        all.push_back("event " + std::to_string(event.sequence) + " " + event.producer + " " + text_of(event.mark) +
                      " " + text_of(event.message) + " " + text_of(event.decisions) + " " +
                      text_of(event.update_digest));
        // Events of forgotten producers may not be found.
        EXPECT_EQ(log.find_event(event.producer, event.mark).value_or(event.sequence), event.sequence);
        return true;
    });
    for (const Refusal& refusal : log.refusals()) {
        const auto found = log.find_refusal(refusal.producer, refusal.mark);
        all.push_back("refused " + refusal.producer + " " + text_of(refusal.mark) + " " +
                      std::string(to_string(refusal.reason)) + " " + refusal.text + " " + text_of(refusal.message) +
                      (found ? " known " + found->text : ""));
    }
    for (const auto& [name, producer] : log.producers())
        all.push_back("producer " + name + " " + text_of(producer.mark) + " " + std::to_string(producer.last_sequence) +
                      " " + producer.owner);
    const Expiry expiry = log.expiry();
    all.push_back("floor " + text_of(expiry.epoch));
    for (const auto& [client, epoch] : expiry.clients) all.push_back("floor " + client + " " + std::to_string(epoch));
    for (const auto& [name, epoch] : expiry.removed) all.push_back("removed " + name + " " + std::to_string(epoch));
    for (const Build& build : log.builds())
        all.push_back("build " + std::to_string(build.from) + " " + build.version + " " + build.cpu_level + " " +
                      std::to_string(build.differs_from));
    for (const Erasure& erasure : log.erasures()) all.push_back("erased " + std::to_string(erasure.points));
    return all;
}

}  // namespace fairstream::log::test
