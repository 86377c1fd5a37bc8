#pragma once
/// All messages of the engine's process and all views of its clients, for comparison with a run without faults.

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <fairstream/engine.hpp>
#include <fairstream/log/log.hpp>
#include <fairstream/zmq/point_view.hpp>

#include "support/service_stream.hpp"

namespace fairstream::simulation {

using test::Message;

/// Returns a hash of a view that does not depend on the order of its entries.
[[nodiscard]] std::uint64_t digest(const zmq::PointMap<ClusterId>& view);

class Ledger {
public:
    explicit Ledger(const EngineOptions& options) : options_(options) {}

    // -- from the engine's process

    void on_reply(const wire::IngestReply& reply, const std::string& producer, std::uint64_t epoch);
    void on_done(Sequence sequence);
    void on_publication(const wire::Publication& publication, std::span<const std::byte> bytes);
    /// Notes that a recording was opened: it must hold every event answered before.
    void on_recovery(const log::Log& recording);
    /// Notes that the recording is about to lose its end; answered events may be missing from now on.
    void on_damage() { damaged_ = true; }
    [[nodiscard]] bool damaged() const { return damaged_; }
    /// Returns whether answered events were missing after that damage.
    [[nodiscard]] bool lost_events() const { return lost_events_; }

    // -- from clients

    /// Notes that a producer is about to send the batch, of points or outcomes, whose first id is `tag`, under this
    /// number.
    void on_sent(const std::string& producer, std::uint64_t epoch, std::uint64_t number, PointId tag, bool is_bad);
    void on_refused(const std::string& producer, std::uint64_t epoch, std::uint64_t number);
    /// Notes a view's digest after this publication.
    void on_view(const std::string& topic, std::uint64_t topic_sequence, std::uint64_t digest);

    // -- at the end

    /// Replays the whole recording and compares everything noted with it.
    void check(const log::Log& recording, const Engine& engine);

    void problem(std::string what);
    [[nodiscard]] const std::vector<std::string>& problems() const { return problems_; }
    [[nodiscard]] std::uint64_t acked() const { return acked_.size(); }
    [[nodiscard]] std::uint64_t published() const;
    /// Returns the number of recorded events of outcomes; known once `check` was called.
    [[nodiscard]] std::uint64_t outcomes() const { return outcomes_; }

private:
    using Mark = std::tuple<std::string, std::uint64_t, std::uint64_t>;  // producer, epoch, number
    struct Sent {
        PointId tag = 0;
        bool is_bad = false;
    };

    void check_events(const log::Log& recording);
    void check_publications(const log::Log& recording, Engine& oracle);

    EngineOptions options_;
    std::map<Mark, Sent> sent_;
    std::map<Mark, Sequence> acked_;
    std::uint64_t outcomes_ = 0;
    Sequence durable_ = 0;                                               // newest answered event
    std::map<std::string, std::map<std::uint64_t, Message>> published_;  // by topic and number
    std::map<std::pair<std::string, std::uint64_t>, std::set<std::uint64_t>> views_;
    bool damaged_ = false, lost_events_ = false;
    std::vector<std::string> problems_;
};

}  // namespace fairstream::simulation
