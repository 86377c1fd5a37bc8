#pragma once
/// An engine's topic of labels or scores for tests: a stream of updates, with the true outputs after each.

#include <algorithm>
#include <concepts>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <fairstream/wire/messages.hpp>
#include <fairstream/zmq/point_map.hpp>
#include <fairstream/zmq/point_view.hpp>

namespace fairstream::zmq::test {

using Labels = std::map<PointId, ClusterId>;
using Scores = std::map<PointId, Score>;

template <class T> std::map<PointId, T> contents(const PointMap<T>& map) {
    std::map<PointId, T> out;
    for (const auto& [id, output] : map) out.emplace(id, output);
    return out;
}

inline wire::RecordingId recording(int id) {
    wire::RecordingId out{};
    out[0] = static_cast<std::byte>(id);
    return out;
}

template <class T> struct Feeds;
template <> struct Feeds<ClusterId> {
    static constexpr const char* topic = "labels.m";
    static ClusterId output(std::mt19937_64& random) { return static_cast<ClusterId>(random() % 4); }
};
template <> struct Feeds<Score> {
    static constexpr const char* topic = "scores.m";
    static Score output(std::mt19937_64& random) { return static_cast<Score>(random() % 4); }
};
template <> struct Feeds<wire::Memberships> {
    static constexpr const char* topic = "memberships.m";
    static wire::Memberships output(std::mt19937_64& random) {
        wire::Memberships memberships(random() % 4);
        for (ClusterId l = 0; wire::Membership & membership : memberships)
            membership = {l++, static_cast<float>(random() % 5) / 4};
        return memberships;
    }
};

template <class T> class PointFeed {
public:
    using Outputs = std::map<PointId, T>;
    using Update = typename PointView<T>::Update;

    PointFeed(int id, std::uint64_t seed, std::string topic = Feeds<T>::topic)
        : recording_(recording(id)), topic_(std::move(topic)), random_(seed) {}

    /// Takes in an event; about a third of the events change nothing and publish nothing.
    void step() {
        ++sequence_;
        hashes_.push_back(hash_after(hashes_.back(), sequence_, salt_));
        if (random_() % 3 != 0) publish();
        by_sequence.push_back(outputs_);
    }
    void publish() {
        std::vector<PointId> departed, ids;
        std::vector<T> outputs;
        for (int i = 0; i < 3; ++i) {
            const PointId id = random_() % 50;
            if (outputs_.erase(id) != 0) departed.push_back(id);
        }
        for (int i = 0; i < 6; ++i) {
            const PointId id = random_() % 50;
            if (std::ranges::find(ids, id) != ids.end()) continue;
            ids.push_back(id);
            outputs.push_back(Feeds<T>::output(random_));
            outputs_[id] = outputs.back();
        }
        const wire::Publication update{recording_,
                                       topic_,
                                       updates.size() + 1,
                                       sequence_,
                                       Update{departed, ids, outputs, {}},
                                       told(sequence_),
                                       told(sequences_.back())};
        updates.emplace_back(wire::write(update, encoder_));
        by_topic_sequence.push_back(outputs_);
        sequences_.push_back(sequence_);
    }
    /// Returns to the state after update `number` and continues with other events, like an engine whose recording lost
    /// its end.
    void lose_after(std::uint64_t number) {
        updates.resize(number);
        by_topic_sequence.resize(number + 1);
        sequences_.resize(number + 1);
        sequence_ = sequences_.back();
        by_sequence.resize(sequence_ + 1);
        hashes_.resize(sequence_ + 1);
        outputs_ = by_topic_sequence.back();
        ++salt_;
    }
    /// Makes publications carry running hashes from now on.
    void tell_hashes() { tells_hashes_ = true; }
    /// Answers a KnownRequest as an engine does.
    [[nodiscard]] bool has(const wire::KnownEvent& event) const {
        if (event.recording != recording_) return true;  // it cannot know
        return event.sequence <= sequence_ && hashes_[event.sequence] == event.running_hash;
    }

    [[nodiscard]] wire::AlignedMessage snapshot() {
        std::vector<PointId> ids;
        std::vector<T> outputs;
        for (const auto& [id, output] : outputs_) ids.push_back(id), outputs.push_back(output);
        return wire::AlignedMessage(
            wire::write(wire::Publication{recording_, topic_, updates.size(), sequence_, Update{{}, ids, outputs, {}},
                                          told(sequence_), told(sequences_.back())},
                        encoder_));
    }
    [[nodiscard]] wire::AlignedMessage status() {
        const wire::Status body{{{"fairness.m", 7}, {topic_, updates.size(), told(sequences_.back())}},
                                outputs_.size()};
        return wire::AlignedMessage(
            wire::write(wire::Publication{recording_, "status", 0, sequence_, body, told(sequence_)}, encoder_));
    }
    /// Returns the updates [first, last] that exist.
    [[nodiscard]] wire::Publications range(std::uint64_t first, std::uint64_t last) const {
        wire::Publications out;
        for (std::uint64_t n = first; n <= std::min<std::uint64_t>(last, updates.size()); ++n) {
            out.messages.push_back(updates[n - 1].bytes());
        }
        return out;
    }
    [[nodiscard]] const Outputs& now() const { return outputs_; }
    [[nodiscard]] Sequence sequence() const { return sequence_; }
    [[nodiscard]] const wire::RecordingId& id() const { return recording_; }

    std::vector<wire::AlignedMessage> updates;          // number n is updates[n - 1]
    std::vector<Outputs> by_topic_sequence{Outputs{}};  // after update n
    std::vector<Outputs> by_sequence{Outputs{}};        // after event n

private:
    static std::uint64_t hash_after(std::uint64_t before, Sequence sequence, std::uint64_t salt) {
        return (before ^ sequence ^ salt << 40U) * 0x9e3779b97f4a7c15 + 1;
    }
    [[nodiscard]] std::uint64_t told(Sequence sequence) const { return tells_hashes_ ? hashes_[sequence] : 0; }

    wire::RecordingId recording_;
    std::string topic_;
    std::mt19937_64 random_;
    Outputs outputs_;
    Sequence sequence_ = 0;
    std::uint64_t salt_ = 0;  // changes with each loss
    bool tells_hashes_ = false;
    std::vector<Sequence> sequences_{0};    // of update n
    std::vector<std::uint64_t> hashes_{0};  // after event n
    wire::Encoder encoder_;
};

using LabelFeed = PointFeed<ClusterId>;
using ScoreFeed = PointFeed<Score>;

}  // namespace fairstream::zmq::test
