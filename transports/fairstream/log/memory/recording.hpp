#pragma once
/// A recording in memory, for tests of programs that contain an engine.
///
/// Objects share one recording as processes share a file. `open` returns a writer that finds everything flushed, like a
/// newly started process, and takes the claim over. The earlier writer can then only read: what it did not flush is
/// lost, and its writes throw `RecordingError`. The recording is gone with the last object.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fairstream/log/log.hpp>

namespace fairstream::log::memory {

struct Settings {
    std::size_t refused_rows = 1000;       ///< newest refusals kept with their text and message
    std::size_t refused_bytes = 64 << 10;  ///< kept of each refused message
    /// Events kept before the older of the two checkpoints; 0: all.
    Sequence keep_events = 0;
    std::optional<RecordingId> id = {};  ///< empty: a random one
};

class Recording final : public Log {
public:
    /// Begins a new recording. `config` is the canonical configuration text.
    static Recording create(const std::string& config, const Settings& settings = {});
    [[nodiscard]] Recording open() const;
    /// Returns a reader, which sees later flushes.
    [[nodiscard]] Recording open_read_only() const;
    ~Recording() override;
    Recording(Recording&&) noexcept;
    Recording& operator=(Recording&&) noexcept;

    // See `Log`. Positions leave numbers out for refusals and checkpoints.

    [[nodiscard]] const RecordingId& id() const noexcept override;
    [[nodiscard]] std::string name() const override;
    [[nodiscard]] const std::string& config() const noexcept override;
    [[nodiscard]] const std::string& cpu_level() const noexcept override;
    [[nodiscard]] UncleanEnd unclean_end() const noexcept override;
    [[nodiscard]] bool had_writer() const noexcept override { return had_writer_; }
    void append(const NewEvent& event) override;
    void mark_recovery(Sequence differs_from) override;
    void flush() override;
    void require_claim() override;
    [[nodiscard]] bool needs_times() const noexcept override;
    [[nodiscard]] Sequence first_sequence() const override;
    [[nodiscard]] Sequence last_sequence() const override;
    void for_each_event(Sequence first, const std::function<bool(const RecordedEvent&)>& each,
                        OnDeletion on_deletion = OnDeletion::fail) const override;
    [[nodiscard]] std::optional<Sequence> find_event(const std::string& producer,
                                                     const ProducerMark& mark) const override;
    [[nodiscard]] std::optional<std::uint64_t> running_hash() const override;
    [[nodiscard]] RecentHashes take_recent_hashes() override;
    [[nodiscard]] std::vector<Build> builds() const override;
    [[nodiscard]] std::vector<AppendTime> times() const override;
    [[nodiscard]] Storage storage() const noexcept override;

    void begin_checkpoint(Checkpoint checkpoint) override;
    [[nodiscard]] bool checkpoint_pending() const noexcept override;
    void finish_checkpoint() override;
    [[nodiscard]] std::optional<Checkpoint> newest_checkpoint() const override;
    [[nodiscard]] std::optional<Checkpoint> oldest_checkpoint() const override;

    [[nodiscard]] std::map<std::string, KnownProducer> producers() const override;
    [[nodiscard]] Expiry expiry() const override;

    void refuse(const Refusal& refusal) override;
    [[nodiscard]] std::optional<Refusal> find_refusal(const std::string& producer,
                                                      const ProducerMark& mark) const override;
    [[nodiscard]] std::uint64_t refused_count() const override;
    [[nodiscard]] std::vector<Refusal> refusals() const override;
    [[nodiscard]] std::size_t refused_bytes() const noexcept override;

    void begin_after(Checkpoint checkpoint) override;
    void complete_copy(const Log& from, const std::function<void(Refusal&)>& edit, const Erasure& erasure) override;
    [[nodiscard]] std::vector<Erasure> erasures() const override;

private:
    struct Contents;  // flushed contents, shared
    struct Writer;    // contents handed over since the last flush

    Recording(std::shared_ptr<Contents> contents, std::shared_ptr<Writer> writer);
    [[nodiscard]] Writer& writing() const;
    [[nodiscard]] bool has_claim() const noexcept;

    std::shared_ptr<Contents> contents_;
    std::shared_ptr<Writer> writer_;  // null: a reader
    bool had_writer_;
    RecentHashes recent_hashes_;
};

}  // namespace fairstream::log::memory
