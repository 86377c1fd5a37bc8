#pragma once
/// The engine's process on a simulated disk: its loop, its ends by kill, power cut and failure, and its starts.

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <fairstream/log/sqlite/recording.hpp>
#include <fairstream/service/service.hpp>

#include "simulation/agenda.hpp"
#include "simulation/ledger.hpp"
#include "support/simulated_disk/simulated_disk.hpp"

namespace fairstream::simulation {

/// Counts of the ends of the process, by cause.
struct Ends {
    std::uint64_t kills = 0, power_cuts = 0, failures = 0, stops = 0;
};

class EngineProcess {
public:
    /// Called with a client's name and a message to it.
    using Send = std::function<void(const std::string& client, const Message& message)>;

    EngineProcess(Agenda& agenda, Dice& dice, Ledger& ledger, const EngineOptions& options, std::uint64_t disk_seed);
    ~EngineProcess();
    EngineProcess(const EngineProcess&) = delete;
    EngineProcess& operator=(const EngineProcess&) = delete;

    void on_ingest_reply(Send send) { send_ingest_ = std::move(send); }
    void on_control_reply(Send send) { send_control_ = std::move(send); }
    void on_publication(Send send) { send_update_ = std::move(send); }

    /// Creates or opens the recording; tries again later on failure.
    void start();
    /// Handles a message from a producer; the message is lost while no process runs.
    void receive_ingest(const std::string& client, Message message);
    void receive_control(const std::string& client, Message message);
    /// Makes the process end at random times from now on.
    void begin_faults();
    /// Kills the process, and truncates the recording's log somewhere after its beginning; returns false if there is no
    /// log.
    [[nodiscard]] bool lose_end_of_log();
    /// Returns the newest event at the last start.
    [[nodiscard]] Sequence recovered() const { return recovered_; }
    /// Returns whether the recording was then refused as damaged; after that no process runs.
    [[nodiscard]] bool refused() const { return refused_; }
    /// Stops these ends of the process.
    void end_faults();

    /// Returns whether producers are forgotten after some hundred events without one of theirs.
    [[nodiscard]] bool forgets_producers() const { return settings_.producer_idle_events < 1000; }
    [[nodiscard]] bool running() const { return service_ != nullptr; }
    [[nodiscard]] service::Service& service() { return *service_; }
    [[nodiscard]] const Ends& ends() const { return ends_; }
    [[nodiscard]] test::SimulatedDisk& disk() { return disk_; }

private:
    void plan_end();
    void fail();
    void end();
    void turn_soon(Duration delay);
    void turn();
    void release();
    void status(std::uint64_t life);
    [[nodiscard]] RunInBackground run_in_background(Duration longest);
    [[nodiscard]] log::sqlite::Settings recording_settings();
    [[nodiscard]] service::Settings service_settings();

    Agenda& agenda_;
    Dice& dice_;
    Ledger& ledger_;
    EngineOptions options_;
    test::SimulatedDisk disk_;
    std::size_t log_bytes_;
    service::Settings settings_;
    std::unique_ptr<service::Service> service_;
    std::uint64_t life_ = 0;  // number of the process
    bool faults_ = false;
    bool turn_planned_ = false;
    bool created_ = false;
    bool damaged_ = false, refused_ = false;
    Sequence recovered_ = 0;
    std::deque<std::pair<std::string, Message>> ingest_, control_;
    Send send_ingest_, send_control_, send_update_;
    Ends ends_;
};

}  // namespace fairstream::simulation
