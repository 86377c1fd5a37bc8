#include "simulation/process.hpp"

#include <fairstream/config/config.hpp>
#include <fairstream/log/sqlite/recording.hpp>

namespace fairstream::simulation {
namespace {

const std::filesystem::path path = "/disk/stream.fairstream";

}  // namespace

EngineProcess::EngineProcess(Agenda& agenda, Dice& dice, Ledger& ledger, const EngineOptions& options,
                             std::uint64_t disk_seed)
    : agenda_(agenda),
      dice_(dice),
      ledger_(ledger),
      options_(options),
      disk_(disk_seed),
      log_bytes_(dice.between(4, 40) << 16U),
      settings_(service_settings()) {}

EngineProcess::~EngineProcess() {
    disk_.kill();
    service_.reset();
}

service::Settings EngineProcess::service_settings() {
    return {.credit = static_cast<std::uint32_t>(dice_.between(1, 16)),
            .ring = {.messages = dice_.between(2, 60), .bytes = std::size_t{1} << 20},
            .checkpoint_events = dice_.between(3, 60),
            .producer_idle_events = dice_.chance(0.3) ? dice_.between(40, 300) : std::uint64_t{1} << 40U};
}

// Schedules tasks at random times; tasks of an earlier process never run.
RunInBackground EngineProcess::run_in_background(Duration longest) {
    return [this, longest, life = life_](const std::function<void()>& task) {
        agenda_.after(dice_.between(50us, longest), [this, life, task] {
            if (life == life_) task();
        });
    };
}

log::sqlite::Settings EngineProcess::recording_settings() {
    log::sqlite::Settings settings;
    settings.log_bytes = log_bytes_;
    settings.run_in_background = run_in_background(200ms);
    return settings;
}

void EngineProcess::start() {
    disk_.restart();
    ++life_;
    turn_planned_ = false;
    if (faults_ && dice_.chance(0.1)) disk_.plan(dice_.between(1, 300), test::Fault::power_cut);
    try {
        const std::string config = config::write_toml(options_);
        const bool is_new = !disk_.contains(path);
        if (is_new && created_) ledger_.problem("the recording is gone");
        log::sqlite::Recording recording =
            is_new ? log::sqlite::Recording::create(path, config, recording_settings(), disk_)
                   : log::sqlite::Recording::open(path, recording_settings(), disk_);
        created_ = true;
        recovered_ = recording.last_sequence();
        ledger_.on_recovery(recording);
        service::Settings settings = settings_;
        settings.run_in_background = run_in_background(30ms);
        service_ = std::make_unique<service::Service>(std::move(recording), options_, settings, 1);
    } catch (const std::exception& error) {
        if (!disk_.ended() && damaged_) {
            refused_ = true;
            return;
        }
        if (!disk_.ended()) return ledger_.problem(std::string("the recording cannot be opened: ") + error.what());
        return fail();
    }
    disk_.cancel_plan();
    plan_end();
    status(life_);
}

void EngineProcess::begin_faults() {
    faults_ = true;
    plan_end();
}

void EngineProcess::end_faults() {
    faults_ = false;
    disk_.cancel_plan();
}

bool EngineProcess::lose_end_of_log() {
    const std::filesystem::path log = path.string() + "-wal";
    const std::size_t length = disk_.bytes_of(log).size();
    constexpr std::size_t beginning = 32 + 3 * (24 + (std::size_t{64} << 10U));  // its header and a first commit
    if (!running() || length <= beginning) return false;
    ++ends_.kills;
    damaged_ = true;
    disk_.kill();
    disk_.cut(log, dice_.between(beginning, length));
    end();
    return true;
}

void EngineProcess::plan_end() {
    if (!faults_) return;
    if (dice_.chance(0.5)) {  // inside a call of the disk
        constexpr std::array faults{test::Fault::error, test::Fault::full,      test::Fault::partial,
                                    test::Fault::kill,  test::Fault::power_cut, test::Fault::power_cut};
        disk_.plan(dice_.between(1, 4000), faults[dice_.below(faults.size())]);
    }
    agenda_.after(dice_.between(100ms, 15s), [this, life = life_] {
        if (life != life_ || !faults_ || !running()) return;
        const std::uint64_t how = dice_.below(5);
        if (how == 0) {
            ++ends_.stops;
            try {
                service_->finish();
                release();
            } catch (const service::ServiceFailure&) {
            }
            disk_.kill();
        } else if (how == 1) {
            ++ends_.kills;
            disk_.kill();
        } else {
            ++ends_.power_cuts;
            disk_.cut_power();
        }
        end();
    });
}

void EngineProcess::fail() {
    ++ends_.failures;
    if (!disk_.ended()) disk_.kill();
    end();
}

// Destroys the process's objects; the disk ignores their calls.
void EngineProcess::end() {
    ++life_;
    service_.reset();
    ingest_.clear();
    control_.clear();
    agenda_.after(dice_.between(10ms, 3s), [this] { start(); });
}

void EngineProcess::receive_ingest(const std::string& client, Message message) {
    if (!running()) return;
    ingest_.emplace_back(client, std::move(message));
    turn_soon(dice_.between(10us, 200us));
}

void EngineProcess::receive_control(const std::string& client, Message message) {
    if (!running()) return;
    control_.emplace_back(client, std::move(message));
    turn_soon(dice_.between(10us, 200us));
}

void EngineProcess::turn_soon(Duration delay) {
    if (std::exchange(turn_planned_, true)) return;
    agenda_.after(delay, [this, life = life_] {
        if (life != life_) return;
        turn_planned_ = false;
        turn();
    });
}

void EngineProcess::turn() {
    try {
        service_->finish_commit();
        for (std::uint64_t n = dice_.between(1, 20); n > 0 && !ingest_.empty(); --n) {
            const auto [client, message] = std::move(ingest_.front());
            ingest_.pop_front();
            service_->handle_ingest(client, message);
        }
        for (std::uint64_t n = dice_.between(1, 4); n > 0 && !control_.empty(); --n) {
            const auto [client, message] = std::move(control_.front());
            control_.pop_front();
            service_->handle_control(client, message, 1);
        }
        if (!service_->committing())
            service_->begin_commit([this, life = life_] {
                if (life == life_) turn_soon(0us);
            });
        release();
    } catch (const service::ServiceFailure&) {
        return fail();
    }
    if (!ingest_.empty() || !control_.empty() || (service_->pending() && !service_->committing())) turn_soon(100us);
}

void EngineProcess::release() {
    service::Outbox out;
    service_->take(out);
    for (const service::Reply& each : out.ingest) send_ingest_(each.client, test::copied(each.message.view()));
    for (const service::Outgoing& each : out.publications) {
        const auto read = test::read_publication(each.message.view());
        ledger_.on_publication(read.value, each.message.view());
        send_update_(std::string(each.topic), test::copied(each.message.view()));
    }
    for (const service::Reply& each : out.control) send_control_(each.client, test::copied(each.message.view()));
}

void EngineProcess::status(std::uint64_t life) {
    if (life != life_ || !running()) return;
    try {
        service_->publish_status();
    } catch (const service::ServiceFailure&) {
        return fail();
    }
    turn_soon(0us);
    agenda_.after(1s, [this, life] { status(life); });
}

}  // namespace fairstream::simulation
