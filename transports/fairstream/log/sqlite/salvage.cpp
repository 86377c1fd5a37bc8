#include <fairstream/log/sqlite/salvage.hpp>

#include <algorithm>
#include <system_error>
#include <utility>

#include <fairstream/log/running_hash.hpp>
#include <fairstream/log/sqlite/detail/layout.hpp>
#include <fairstream/log/sqlite/detail/log_scan.hpp>
#include <fairstream/log/sqlite/detail/opening.hpp>
#include <fairstream/log/sqlite/detail/row_scan.hpp>

namespace fairstream::log::sqlite {

namespace {

/// Returns the configuration; empty if damaged.
std::string recorded_config(RowScan& scan) {
    for (const RowScan::Place& place : scan.places(Table::meta)) {
        const auto found = scan.read(place);
        if (!found) continue;
        MetaRow row{{}, found->text(2), found->number(3), found->text(4), found->text(5)};
        const Bytes id = found->blob(1);
        if (id.size() != row.recording.size()) continue;
        std::ranges::copy(id, row.recording.begin());
        if (checksum(row) == found->number(6) && hash_of(bytes_of(row.config)) == row.config_hash)
            return std::string(row.config);
    }
    return {};
}

/// Returns the newest state; a first event of 0 if it is damaged.
StateRow recorded_state(RowScan& scan) {
    for (const RowScan::Place& place : scan.places(Table::state)) {
        const auto found = scan.read(place);
        if (!found) continue;
        const StateRow row{found->number(1), found->number(2), found->number(3), found->number(4) != 0};
        if (checksum(row) == found->number(5)) return row;
    }
    return {.first_sequence = 0};
}

struct NewestOfProducers {
    Sequence event = 0;     // newest event of the producers that are known
    bool is_known = false;  // whether the newest version of every producer is intact
};

NewestOfProducers newest_of_producers(RowScan& scan) {
    const auto places = scan.places(Table::producers);
    NewestOfProducers newest{.is_known = !places.empty()};
    std::uint64_t number = 0;
    for (const RowScan::Place& place : places) {
        const bool is_newest_version = std::exchange(number, place.number) != place.number;
        const auto found = scan.read(place);
        const ProducerRow row =
            found
                ? ProducerRow{found->number(0), found->text(1), {found->number(2), found->number(3)}, found->number(4)}
                : ProducerRow{};
        if (found && checksum(row) == found->number(5))
            newest.event = std::max(newest.event, row.last_sequence);
        else if (is_newest_version)
            newest.is_known = false;
    }
    return newest;
}

/// Returns nothing for a damaged event.
std::optional<RecordedEvent> read_event(RowScan& scan, const RowScan::Place& place) {
    const auto found = scan.read(place);
    if (!found) return std::nullopt;
    const Bytes decisions = found->blob(5), message = found->blob(6);
    RecordedEvent event{found->number(0),
                        std::string(found->text(1)),
                        {found->number(2), found->number(3)},
                        {message.begin(), message.end()},
                        {decisions.begin(), decisions.end()}};
    const bool is_intact = event_checksum(event.sequence, event.producer, event.mark, decisions, message.size(),
                                          hash_of(message)) == found->number(4);
    return is_intact ? std::optional(std::move(event)) : std::nullopt;
}

/// Returns the newest intact event; 0: none.
Sequence newest_event(RowScan& scan) {
    const auto places = scan.places(Table::events);
    const auto newest = std::find_if(places.rbegin(), places.rend(),
                                     [&](const RowScan::Place& place) { return read_event(scan, place); });
    return newest == places.rend() ? 0 : newest->number;
}

bool is_log_missing(const std::filesystem::path& path) {
    const FileStatus log = system_files().status(log_of(path));
    return log.kind != FileKind::regular || log.size < bytes_of_log(1);
}

}  // namespace

struct Salvage::Impl {
    explicit Impl(const std::filesystem::path& path) : scan(path) {
        refuse_journal(path, system_files());
        const Database database(path, access_for_reading(path, system_files()));
        check_version(database);
        config = recorded_config(scan);
        const StateRow state = recorded_state(scan);
        oldest = state.first_sequence;
        lacks_log = state.log_follows && is_log_missing(path);
        const NewestOfProducers newest = newest_of_producers(scan);
        last_is_known = newest.is_known;
        last = std::max(newest_event(scan), newest.event);
        if (!config.empty() || last > 0) return;
        check_header(database);  // names the kind of another file
        fail(path,
             "nothing in it can be read: its configuration, without which events cannot be read, is cut off or "
             "damaged");
    }

    RowScan scan;
    std::string config;
    Sequence oldest = 0, last = 0;  // `oldest`: earlier events were deleted; 0: unknown
    bool last_is_known = false, lacks_log = false;
};

Salvage::Salvage(const std::filesystem::path& path) {
    try {
        impl_ = std::make_unique<Impl>(regular_file(path, system_files()));
    } catch (const std::system_error& error) {
        fail(path, std::string("it cannot be read: ") + error.what());
    }
}
Salvage::~Salvage() = default;
Salvage::Salvage(Salvage&&) noexcept = default;
Salvage& Salvage::operator=(Salvage&&) noexcept = default;

const std::string& Salvage::config() const noexcept {
    return impl_->config;
}
Sequence Salvage::last_sequence() const noexcept {
    return impl_->last;
}
bool Salvage::lacks_log() const noexcept {
    return impl_->lacks_log;
}
bool Salvage::knows_last_sequence() const noexcept {
    return impl_->last_is_known;
}

std::vector<LostEvents> Salvage::for_each_event(Sequence first,
                                                const std::function<bool(const RecordedEvent&)>& each) const {
    std::vector<LostEvents> lost;
    Sequence expected = std::max({first, impl_->oldest, Sequence{1}});  // first event not yet accounted for
    for (const RowScan::Place& place : impl_->scan.places(Table::events)) {
        if (place.number < expected) continue;  // also another version of an event that was read
        const auto event = read_event(impl_->scan, place);
        if (!event) continue;
        if (expected < event->sequence) lost.push_back({expected, event->sequence - 1});
        expected = event->sequence + 1;
        if (!each(*event)) return lost;
    }
    if (expected <= impl_->last) lost.push_back({expected, impl_->last});
    return lost;
}

}  // namespace fairstream::log::sqlite
