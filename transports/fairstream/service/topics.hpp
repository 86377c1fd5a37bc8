#pragma once
/// The numbered publications of each topic; the newest publications are kept for repairs by subscribers.
///
/// The topics of a model m, such as `labels.m` and `fairness.m`, are those in the table in topics.cpp that its kind
/// has. An event that changed the model publishes on all topics except clusters and network, even when no output
/// changed, so that a view's sequence follows the engine's. A changed network is published. The clusters are published
/// while the k x d centres take less than 64 KiB; larger centres are published with every n-th such event, so that they
/// average at most 64 KiB per event. All publications, byte for byte, are a function of the events only.

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fairstream/engine.hpp>
#include <fairstream/log/checkpoints.hpp>
#include <fairstream/service/shared_bytes.hpp>
#include <fairstream/wire/messages.hpp>

namespace fairstream::service {

/// Bounds on the newest publications kept for a topic, in number and in bytes; both apply.
struct RingLimits {
    std::size_t messages = 1024;
    std::size_t bytes = std::size_t{16} << 20;
};

/// A topic's numbering 1, 2, 3, ... and its newest publications.
class Topic {
public:
    Topic(std::string name, const RingLimits& limits) : name_(std::move(name)), limits_(limits) {}

    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    /// Returns the number of the newest publication; 0 before the first.
    [[nodiscard]] std::uint64_t last() const noexcept { return last_; }
    /// Returns the running hash of the newest publication; 0: unknown.
    [[nodiscard]] std::uint64_t running_hash() const noexcept { return running_hash_; }
    /// Returns the number of the oldest publication kept; `last() + 1` when none is.
    [[nodiscard]] std::uint64_t first_kept() const noexcept { return last_ + 1 - ring_.size(); }
    /// Returns publication `number`, in [first_kept(), last()].
    [[nodiscard]] const SharedBytes& at(std::uint64_t number) const { return ring_.at(number - first_kept()); }

    /// Adds publication `last() + 1`, caused by an event with this running hash.
    void append(SharedBytes publication, std::uint64_t running_hash);
    /// Continues the numbering after `mark`, without any kept publications.
    void resume(const log::TopicMark& mark);

private:
    std::string name_;
    RingLimits limits_;
    std::uint64_t last_ = 0;
    std::uint64_t running_hash_ = 0;
    std::deque<SharedBytes> ring_;
    std::size_t bytes_ = 0;  // sum over the ring
};

struct TopicKind;

/// A publication to be sent. `topic` lives as long as its publisher.
struct Outgoing {
    std::string_view topic;
    SharedBytes message;
};

/// Returns the counts of late points and the state of the scales as of the engine's newest event.
[[nodiscard]] wire::Condition condition_of(const Engine& engine);

/// Numbers and encodes the publications of all models of one engine.
class Publisher {
public:
    Publisher(const wire::RecordingId& recording, const EngineOptions& options, const RingLimits& limits);
    Publisher(const Publisher&) = delete;  // `Outgoing` borrows names
    Publisher& operator=(const Publisher&) = delete;

    /// Publishes `update`, the engine's newest, for an event with this running hash; appends the publications to `out`.
    void publish(const Engine& engine, const Update& update, std::uint64_t running_hash, std::vector<Outgoing>& out);

    /// Returns the position of every topic, in the form that checkpoints keep.
    [[nodiscard]] std::map<std::string, log::TopicMark> marks() const;
    /// Continues all topics from a checkpoint's marks. Throws `InvalidInput` (bad_state) unless they name exactly the
    /// existing topics.
    void resume(const std::map<std::string, log::TopicMark>& marks);

    /// Returns a topic; throws `InvalidInput` (unknown_model) when there is none of that name.
    [[nodiscard]] const Topic& topic(std::string_view name) const { return topics_[index(name)]; }
    /// Returns the whole state behind a topic, as of its newest publication: labels, scores or memberships of all
    /// retained points, or the newest figures. `running_hash` is the hash after the engine's newest event. The result
    /// borrows from `engine` and from this publisher, until either changes.
    [[nodiscard]] wire::Publication snapshot(std::string_view name, const Engine& engine, std::uint64_t running_hash);
    /// Returns a status with the position of every topic; `running_hash` as for `snapshot`.
    [[nodiscard]] wire::Publication status(const Engine& engine, std::uint64_t running_hash) const;

private:
    struct Source {
        std::size_t model;
        const TopicKind* kind;
    };

    [[nodiscard]] std::size_t index(std::string_view topic) const;
    [[nodiscard]] wire::Publication next(const Topic& topic, Sequence sequence) const;
    void add_id_texts(const Engine& engine, wire::Publication& publication);
    void send(Topic& topic, const wire::Publication& publication, std::vector<Outgoing>& out);

    wire::RecordingId recording_;
    bool has_text_ids_;
    TextColumn id_texts_;  // texts of the ids in the newest update or snapshot
    std::vector<std::string> models_;
    std::vector<Topic> topics_;
    std::vector<Source> sources_;     // source of each topic
    std::uint64_t running_hash_ = 0;  // running hash after the event being published
    wire::Encoder encoder_;
    std::shared_ptr<const void> kept_;  // data of the newest snapshot outside the engine
};

}  // namespace fairstream::service
