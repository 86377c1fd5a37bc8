/// An input edits a recording: arbitrary bytes of its file, or rows of its tables, whose checksums are then corrected,
/// so that deeper checks are reached. Every recording that opens must be readable, and be replayed, resumed and opened
/// again.

#include <sqlite3.h>
#include <zlib.h>

#include <fstream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fairstream/log/detail/row_hash.hpp>
#include <fairstream/log/sqlite/detail/rows.hpp>
#include <fairstream/log/sqlite/salvage.hpp>
#include <fairstream/options.hpp>
#include <fairstream/replay/run.hpp>

#include "fuzz/input.hpp"
#include "fuzz/oracle.hpp"
#include "support/temporary_directory.hpp"

namespace fairstream::fuzz {
namespace {

namespace fs = std::filesystem;
using log::RecordingError;
using log::sqlite::Access;
using log::sqlite::Database;
using log::sqlite::Recording;
using ByteVector = std::vector<std::byte>;

struct Table {
    const char* name;
    std::string_view columns;  ///< columns covered by the checksum, and the checksum
};
constexpr Table tables[] = {
    {"meta", log::sqlite::meta_columns},
    {"state", log::sqlite::state_columns},
    {"producers", log::sqlite::producer_columns},
    {"events", log::sqlite::event_columns},
    {"checkpoints", log::sqlite::checkpoint_columns},
    {"checkpoint_parts", log::sqlite::part_columns},
    {"refusals", log::sqlite::refusal_columns},
    {"refused_messages", log::sqlite::refused_message_columns},
};

// Two models, five events, a checkpoint.
const ByteVector& recorded() {
    static const ByteVector bytes = [] {
        const std::string packed = FAIRSTREAM_SOURCE_DIR "/tests/saved_files/v1/recording.fairstream.gz";
        const std::unique_ptr<gzFile_s, int (*)(gzFile)> in(gzopen(packed.c_str(), "rb"), gzclose);
        require(in != nullptr, "there is " + packed);
        ByteVector all, some(1 << 16);
        for (int size = 1; size > 0; all.insert(all.end(), some.begin(), some.begin() + size))
            size = std::max(0, gzread(in.get(), some.data(), static_cast<unsigned>(some.size())));
        return all;
    }();
    return bytes;
}

void write_file(const fs::path& path, const ByteVector& bytes) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

std::vector<std::string> names(std::string_view columns) {
    std::vector<std::string> names{""};
    for (const char c : columns) {
        if (c == ',')
            names.emplace_back();
        else if (c != ' ')
            names.back() += c;
    }
    return names;
}

/// A statement for rows with columns of any type.
class Query {
public:
    Query(Database& database, const std::string& sql) {
        if (sqlite3_prepare_v2(database.handle(), sql.c_str(), -1, &statement_, nullptr) != SQLITE_OK)
            database.fail_with_cause("editing");
    }
    ~Query() { sqlite3_finalize(statement_); }
    Query(const Query&) = delete;
    Query& operator=(const Query&) = delete;

    [[nodiscard]] sqlite3_stmt* get() const { return statement_; }
    /// Returns false at the end, and if the database is damaged.
    bool next() { return sqlite3_step(statement_) == SQLITE_ROW; }
    [[nodiscard]] ByteVector bytes(int column) const {
        const auto* first = static_cast<const std::byte*>(sqlite3_column_blob(statement_, column));
        return {first, first + sqlite3_column_bytes(statement_, column)};
    }

private:
    sqlite3_stmt* statement_ = nullptr;
};

void set_cell(Database& database, const Table& table, const std::string& column, std::int64_t row, int type,
              const ByteVector& value) {
    Query update(database, "UPDATE OR IGNORE " + std::string(table.name) + " SET " + column + " = ?1 WHERE rowid = ?2");
    if (type == SQLITE_INTEGER) {
        std::int64_t number = 0;
        if (!value.empty()) std::memcpy(&number, value.data(), std::min(sizeof number, value.size()));
        sqlite3_bind_int64(update.get(), 1, number);
    } else if (type == SQLITE_TEXT) {
        sqlite3_bind_text(update.get(), 1, reinterpret_cast<const char*>(value.data()), static_cast<int>(value.size()),
                          SQLITE_TRANSIENT);
    } else {
        sqlite3_bind_blob(update.get(), 1, value.empty() ? "" : static_cast<const void*>(value.data()),
                          static_cast<int>(value.size()), SQLITE_TRANSIENT);
    }
    sqlite3_bind_int64(update.get(), 2, row);
    update.next();
}

void edit_cell(Database& database, Input& input) {
    const Table& table = tables[input.number<std::uint8_t>() % std::size(tables)];
    const std::vector<std::string> columns = names(table.columns);
    const std::string& column = columns[input.number<std::uint8_t>() % columns.size()];
    const auto chosen = input.number<std::uint8_t>();
    Query rows(database, "SELECT rowid, " + column + " FROM " + table.name + " ORDER BY rowid");
    std::vector<std::int64_t> ids;
    while (rows.next()) ids.push_back(sqlite3_column_int64(rows.get(), 0));
    if (ids.empty()) return;
    const std::int64_t id = ids[chosen % ids.size()];
    Query row(database, "SELECT " + column + " FROM " + table.name + " WHERE rowid = " + std::to_string(id));
    if (!row.next()) return;
    const int type = sqlite3_column_type(row.get(), 0);
    ByteVector value = row.bytes(0);
    if (type == SQLITE_INTEGER) {
        const std::int64_t number = sqlite3_column_int64(row.get(), 0);
        value.resize(sizeof number);
        std::memcpy(value.data(), &number, sizeof number);
    }
    edit(value, input);
    set_cell(database, table, column, id, type, value);
}

// Deletes a row, or copies it under the next number.
void edit_row(Database& database, Input& input) {
    const Table& table = tables[input.number<std::uint8_t>() % std::size(tables)];
    const std::string row = std::to_string(1 + input.number<std::uint8_t>() % 8);
    Query deletion(database, "DELETE FROM " + std::string(table.name) + " WHERE rowid = " + row);
    deletion.next();
}

std::uint64_t row_checksum(const Query& row, const Table& table, const std::vector<std::string>& columns) {
    log::RowHash hash(table.name);
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const auto column = static_cast<int>(i);
        if (columns[i] == "checksum") continue;
        if (sqlite3_column_type(row.get(), column) == SQLITE_INTEGER)
            hash.add(static_cast<std::uint64_t>(sqlite3_column_int64(row.get(), column)));
        else
            hash.add(log::Bytes(row.bytes(column)));
    }
    return hash.value();
}

void set_number(Database& database, const Table& table, const std::string& column, std::int64_t row,
                std::uint64_t number) {
    ByteVector value(sizeof number);
    std::memcpy(value.data(), &number, sizeof number);
    set_cell(database, table, column, row, SQLITE_INTEGER, value);
}

// Corrects the hashes in a row of other data, or of other columns.
void mend_hashes(Database& database) {
    Query meta(database, "SELECT rowid, config FROM meta");
    while (meta.next())
        set_number(database, tables[0], "config_hash", sqlite3_column_int64(meta.get(), 0),
                   log::hash_of(meta.bytes(1)));
    Query checkpoints(database, "SELECT rowid, id FROM checkpoints");
    while (checkpoints.next()) {
        const std::int64_t row = sqlite3_column_int64(checkpoints.get(), 0);
        Query parts(database, "SELECT bytes FROM checkpoint_parts WHERE checkpoint = " +
                                  std::to_string(sqlite3_column_int64(checkpoints.get(), 1)) + " ORDER BY part");
        log::sqlite::StateHash hash;
        std::uint64_t count = 0, bytes = 0;
        for (; parts.next(); ++count) {
            const ByteVector part = parts.bytes(0);
            hash.add(part);
            bytes += part.size();
        }
        set_number(database, tables[4], "hash", row, hash.value());
        set_number(database, tables[4], "parts", row, count);
        set_number(database, tables[4], "bytes", row, bytes);
    }
}

void mend_checksums(Database& database) {
    mend_hashes(database);
    for (const Table& table : tables) {
        Query rows(database, "SELECT " + std::string(table.columns) + ", rowid FROM " + table.name);
        const std::vector<std::string> columns = names(table.columns);
        while (rows.next())
            set_number(database, table, "checksum", sqlite3_column_int64(rows.get(), static_cast<int>(columns.size())),
                       row_checksum(rows, table, columns));
    }
}

void edit_rows(const fs::path& path, Input& input) {
    Database database(path, Access::write);
    database.execute("PRAGMA journal_mode = WAL");
    database.fold_on_close(true);
    while (!input.empty()) {
        if (input.number<std::uint8_t>() % 8 == 0)
            edit_row(database, input);
        else
            edit_cell(database, input);
    }
    mend_checksums(database);
}

void edit_bytes(const fs::path& path, Input& input) {
    ByteVector bytes = recorded();
    while (!input.empty()) {
        const std::size_t page = input.below(bytes.size() / 65536 + 1) * 65536;
        const std::size_t at = page + input.number<std::uint16_t>();
        ByteVector some(bytes.begin() + static_cast<std::ptrdiff_t>(std::min(at, bytes.size())),
                        bytes.begin() + static_cast<std::ptrdiff_t>(std::min(at + 64, bytes.size())));
        const std::size_t before = some.size();
        edit(some, input);
        for (std::size_t i = 0; i < std::min(before, some.size()); ++i) bytes[at + i] = some[i];
        if (some.empty()) bytes.resize(std::min(at, bytes.size()));
    }
    write_file(path, bytes);
}

struct Contents {
    std::vector<std::string> events;
    std::map<std::string, log::ProducerMark> marks;
    std::uint64_t refused = 0;
    std::size_t refusals = 0;
    bool operator==(const Contents&) const = default;
};

Contents contents(const Recording& recording) {
    Contents all{{}, recording.producer_marks(), recording.refused_count(), recording.refusals().size()};
    recording.for_each_event(0, [&](const log::RecordedEvent& event) {
        require(recording.find_event(event.producer, event.mark) == event.sequence, "an event is found by its mark");
        all.events.push_back(event.producer + "\n" + std::to_string(event.sequence) + "\n" +
                             std::string(reinterpret_cast<const char*>(event.message.data()), event.message.size()));
        return true;
    });
    return all;
}

/// Reads around damage; for a recording that opens, the result is the same.
void salvage(const fs::path& path, const std::optional<Contents>& whole) {
    std::size_t read = 0;
    Sequence last = 0;
    try {
        const log::sqlite::Salvage salvaged(path);
        const auto lost = salvaged.for_each_event(1, [&](const log::RecordedEvent& event) {
            require(event.sequence > last, "events are read in order");
            last = event.sequence;
            return ++read > 0;
        });
        require(!whole || lost.empty(), "nothing of a sound recording is lost");
    } catch (const RecordingError&) {
        require(!whole, "what can be opened can be salvaged");
    }
    require(!whole || read == whole->events.size(), "all events of a sound recording are read");
}

// A configuration that takes long or much memory is legitimate, and no finding.
bool is_small(const EngineOptions& options) {
    constexpr std::uint64_t limit = 1 << 16;
    std::uint64_t work = options.models.size();
    for (const ModelSetup& model : options.models)
        for (const OptionText& option : list_options(model.options))
            if (option.value.size() > 3 && option.value.find('.') == option.value.npos) work *= 100;
    return work <= 10'000 && std::uint64_t{options.window.capacity} * options.format.dimensions <= limit;
}

void replay_and_load(const Recording& recording) {
    EngineOptions options;
    try {
        options = replay::recorded_options(recording);
        if (!is_small(options)) return;
        const replay::Run run = replay::run(recording, options, {.threads = 1});
        require(replay::run(recording, options, {.threads = 1}).digest == run.digest, "a replay repeats itself");
    } catch (const InvalidInput&) {
    } catch (const RecordingError&) {
    }
    const auto checkpoint = recording.newest_checkpoint();
    if (!checkpoint || options.models.empty()) return;
    try {
        Engine engine = Engine::load(options, checkpoint->state, 1);
        const ByteVector saved = engine.save();
        require(Engine::load(options, saved, 1).save() == saved, "a loaded state is saved as bytes that load to it");
    } catch (const InvalidInput& refusal) {
        require(refusal.reason() == Reason::bad_state, "a state is refused as one");
    }
}

// Adds an event, which must be there when the file is opened again.
void resume(const fs::path& path, const Contents& before) {
    const log::ProducerMark mark{1, 1};
    const std::string producer = "a producer that is not there yet";
    Sequence last = 0;
    {
        Recording recording = Recording::open(path);
        require(contents(recording) == before, "a recording is the same opened for reading and for writing");
        last = recording.last_sequence();
        if (before.marks.contains(producer)) return;
        recording.append({last + 1, producer, mark, std::as_bytes(std::span(producer))});
        recording.flush();
    }
    const Recording again = Recording::open_read_only(path);
    require(again.last_sequence() == last + 1 && again.find_event(producer, mark) == last + 1,
            "a resumed recording keeps what was committed");
}

}  // namespace
}  // namespace fairstream::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace fairstream;
    static const test::TemporaryDirectory directory;
    const fuzz::fs::path path = directory / "recording.fairstream";
    for (const char* beside : {"", "-wal", "-shm", "-journal"}) fuzz::fs::remove(path.string() + beside);
    fuzz::Input input(data, size);
    if (input.number<std::uint8_t>() % 2 == 0) {
        fuzz::write_file(path, fuzz::recorded());
        fuzz::edit_rows(path, input);
    } else {
        fuzz::edit_bytes(path, input);
    }
    fuzz::Contents contents;
    try {
        const auto recording = log::sqlite::Recording::open_read_only(path);
        contents = fuzz::contents(recording);
        fuzz::replay_and_load(recording);
    } catch (const log::RecordingError&) {
        fuzz::salvage(path, std::nullopt);
        return 0;
    }
    fuzz::salvage(path, contents);
    fuzz::resume(path, contents);
    return 0;
}
