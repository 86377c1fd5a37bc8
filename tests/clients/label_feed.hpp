#pragma once
/// An engine's label topic as a test sees it: a stream of updates with the truth after each.

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include <fairstream/wire/messages.hpp>
#include <fairstream/zmq/label_map.hpp>

namespace fairstream::zmq::test {

using Labels = std::map<PointId, ClusterId>;

inline Labels contents(const LabelMap& map) {
    Labels out;
    for (const auto& [id, label] : map) out.emplace(id, label);
    return out;
}

inline wire::RecordingId recording(int id) {
    wire::RecordingId out{};
    out[0] = static_cast<std::byte>(id);
    return out;
}

class LabelFeed {
public:
    LabelFeed(int id, std::uint64_t seed, std::string topic = "labels.m")
        : recording_(recording(id)), topic_(std::move(topic)), random_(seed) {}

    /// Takes in an event; about a third of them change no label and publish nothing.
    void step() {
        ++sequence_;
        if (random_() % 3 != 0) publish();
        by_sequence.push_back(labels_);
    }
    void publish() {
        std::vector<PointId> departed, ids;
        std::vector<ClusterId> labels;
        for (int i = 0; i < 3; ++i) {
            const PointId id = random_() % 50;
            if (labels_.erase(id) != 0) departed.push_back(id);
        }
        for (int i = 0; i < 6; ++i) {
            const PointId id = random_() % 50;
            if (std::ranges::find(ids, id) != ids.end()) continue;
            ids.push_back(id);
            labels.push_back(static_cast<ClusterId>(random_() % 4));
            labels_[id] = labels.back();
        }
        const wire::Publication update{recording_, topic_, updates.size() + 1, sequence_,
                                       wire::LabelUpdate{departed, ids, labels, {}}};
        updates.emplace_back(wire::write(update, encoder_));
        by_topic_sequence.push_back(labels_);
    }

    [[nodiscard]] wire::AlignedMessage snapshot() {
        std::vector<PointId> ids;
        std::vector<ClusterId> labels;
        for (const auto& [id, label] : labels_) ids.push_back(id), labels.push_back(label);
        return wire::AlignedMessage(wire::write(
            wire::Publication{recording_, topic_, updates.size(), sequence_,
                              wire::LabelUpdate{.departed = {}, .ids = ids, .labels = labels, .provisional = {}}},
            encoder_));
    }
    [[nodiscard]] wire::AlignedMessage status() {
        const wire::Status body{{{"fairness.m", 7}, {topic_, updates.size()}}, labels_.size()};
        return wire::AlignedMessage(wire::write(wire::Publication{recording_, "status", 0, sequence_, body}, encoder_));
    }
    /// The updates [first, last] as far as there are any.
    [[nodiscard]] wire::Publications range(std::uint64_t first, std::uint64_t last) const {
        wire::Publications out;
        for (std::uint64_t n = first; n <= std::min<std::uint64_t>(last, updates.size()); ++n) {
            out.messages.push_back(updates[n - 1].bytes());
        }
        return out;
    }
    [[nodiscard]] const Labels& now() const { return labels_; }
    [[nodiscard]] Sequence sequence() const { return sequence_; }
    [[nodiscard]] const wire::RecordingId& id() const { return recording_; }

    std::vector<wire::AlignedMessage> updates;        // number n is updates[n - 1]
    std::vector<Labels> by_topic_sequence{Labels{}};  // after update n
    std::vector<Labels> by_sequence{Labels{}};        // after event n

private:
    wire::RecordingId recording_;
    std::string topic_;
    std::mt19937_64 random_;
    Labels labels_;
    Sequence sequence_ = 0;
    wire::Encoder encoder_;
};

}  // namespace fairstream::zmq::test
