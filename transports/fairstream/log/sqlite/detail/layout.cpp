#include <fairstream/log/sqlite/detail/layout.hpp>

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <string_view>

#include <fairstream/engine.hpp>
#include <fairstream/log/sqlite/detail/big_endian.hpp>
#include <fairstream/log/sqlite/detail/rows.hpp>

namespace fairstream::log::sqlite {

namespace {

constexpr std::string_view tables = R"sql(
CREATE TABLE meta(id INTEGER PRIMARY KEY CHECK(id = 1), recording BLOB NOT NULL, config TEXT NOT NULL,
    config_hash INTEGER NOT NULL, cpu_level TEXT NOT NULL, version TEXT NOT NULL, checksum INTEGER NOT NULL) STRICT;
CREATE TABLE state(id INTEGER PRIMARY KEY CHECK(id = 1), first_sequence INTEGER NOT NULL, refused INTEGER NOT NULL,
    newest_checkpoint INTEGER NOT NULL, log_follows INTEGER NOT NULL, checksum INTEGER NOT NULL) STRICT;
CREATE TABLE producers(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, epoch INTEGER NOT NULL,
    producer_sequence INTEGER NOT NULL, last_sequence INTEGER NOT NULL, checksum INTEGER NOT NULL) STRICT;
CREATE TABLE events(sequence INTEGER PRIMARY KEY, producer TEXT NOT NULL, epoch INTEGER NOT NULL,
    producer_sequence INTEGER NOT NULL, checksum INTEGER NOT NULL, decisions BLOB NOT NULL,
    message BLOB NOT NULL) STRICT;
CREATE TABLE checkpoints(id INTEGER PRIMARY KEY, sequence INTEGER NOT NULL, parts INTEGER NOT NULL,
    bytes INTEGER NOT NULL, hash INTEGER NOT NULL, topics BLOB NOT NULL, checksum INTEGER NOT NULL) STRICT;
CREATE TABLE checkpoint_parts(id INTEGER PRIMARY KEY, checkpoint INTEGER NOT NULL, part INTEGER NOT NULL,
    checksum INTEGER NOT NULL, bytes BLOB NOT NULL, UNIQUE(checkpoint, part)) STRICT;
CREATE TABLE refusals(number INTEGER PRIMARY KEY, producer TEXT NOT NULL, epoch INTEGER NOT NULL,
    producer_sequence INTEGER NOT NULL, reason INTEGER NOT NULL, text TEXT NOT NULL, checksum INTEGER NOT NULL) STRICT;
CREATE UNIQUE INDEX refusals_by_mark ON refusals(producer, epoch, producer_sequence);
CREATE TABLE refused_messages(number INTEGER PRIMARY KEY, producer TEXT NOT NULL, epoch INTEGER NOT NULL,
    producer_sequence INTEGER NOT NULL, reason INTEGER NOT NULL, text TEXT NOT NULL, checksum INTEGER NOT NULL,
    message BLOB NOT NULL) STRICT;
)sql";

// Tables added after the first format.
struct AddedTable {
    std::uint32_t since;
    std::string_view present_with;  // required only in files with this table; empty: in all
    std::string_view name;
    std::string_view sql;
};
constexpr std::array added_tables = {
    AddedTable{running_hashes_since, "", "running_hashes",
               "CREATE TABLE running_hashes(id INTEGER PRIMARY KEY, sequence INTEGER NOT NULL, hash INTEGER NOT NULL,\n"
               "    checksum INTEGER NOT NULL) STRICT;\n"},
    AddedTable{owners_since, "", "owners",
               "CREATE TABLE owners(producer TEXT PRIMARY KEY, owner TEXT NOT NULL, checksum INTEGER NOT NULL)\n"
               "    STRICT, WITHOUT ROWID;\n"},
    AddedTable{owners_since, "", "floors",
               "CREATE TABLE floors(client TEXT PRIMARY KEY, epoch INTEGER NOT NULL, checksum INTEGER NOT NULL)\n"
               "    STRICT, WITHOUT ROWID;\n"},
    AddedTable{update_digests_since, "update_digests", "update_digests",
               "CREATE TABLE update_digests(sequence INTEGER PRIMARY KEY, digest INTEGER NOT NULL,\n"
               "    checksum INTEGER NOT NULL) STRICT;\n"},
    AddedTable{update_digests_since, "update_digests", "builds",
               "CREATE TABLE builds(id INTEGER PRIMARY KEY, sequence INTEGER NOT NULL, version TEXT NOT NULL,\n"
               "    cpu_level TEXT NOT NULL, differs_from INTEGER NOT NULL, checksum INTEGER NOT NULL) STRICT;\n"},
    AddedTable{update_digests_since, "update_digests", "growth",
               "CREATE TABLE growth(sequence INTEGER PRIMARY KEY, time INTEGER NOT NULL, bytes INTEGER NOT NULL,\n"
               "    checksum INTEGER NOT NULL) STRICT;\n"},
    AddedTable{update_digests_since, "erasures", "erasures",
               "CREATE TABLE erasures(id INTEGER PRIMARY KEY, recording BLOB NOT NULL, points INTEGER NOT NULL,\n"
               "    time INTEGER NOT NULL, checksum INTEGER NOT NULL) STRICT;\n"},
};

// The database header, by https://www.sqlite.org/fileformat.html, section 1.3; numbers are big-endian.
constexpr std::string_view magic("SQLite format 3\0", 16);
constexpr std::size_t header_bytes = 100;
constexpr std::size_t journal_version_at = 18;  // two bytes, 2 for a database with a write-ahead log
constexpr std::size_t page_count_at = 28;
constexpr std::size_t user_version_at = 60;
constexpr std::size_t application_id_at = 68;
constexpr std::size_t valid_for_at = 92;  // the change counter that the page count belongs to

struct Constant {
    std::size_t at;
    std::uint8_t value;
};
// Bytes that are the same in every recording: page size, log versions, reserved space, payload fractions, schema
// format, no auto-vacuum, UTF-8. The reserved bytes from 72 on, zeros, are checked separately.
constexpr std::array constants = {
    Constant{16, 0},  Constant{17, 1},  Constant{18, 2}, Constant{19, 2}, Constant{20, 0}, Constant{21, 64},
    Constant{22, 32}, Constant{23, 32}, Constant{44, 0}, Constant{45, 0}, Constant{46, 0}, Constant{47, 4},
    Constant{48, 0},  Constant{49, 0},  Constant{50, 0}, Constant{51, 0}, Constant{52, 0}, Constant{53, 0},
    Constant{54, 0},  Constant{55, 0},  Constant{56, 0}, Constant{57, 0}, Constant{58, 0}, Constant{59, 1},
    Constant{64, 0},  Constant{65, 0},  Constant{66, 0}, Constant{67, 0},
};
constexpr std::size_t reserved_at = 72;
constexpr std::size_t reserved_bytes = 20;

using Header = std::array<std::byte, header_bytes>;

void make_tables(Database& database) {
    database.execute("PRAGMA page_size = " + std::to_string(page_bytes));
    database.execute("PRAGMA application_id = " + std::to_string(application_id));
    database.execute(std::string(tables));
    upgrade(database);
}

// Returns the definition of each table and index, by name.
std::map<std::string, std::string> definitions(Database& database) {
    std::map<std::string, std::string> definitions;
    Statement statement(database, "SELECT name, type, tbl_name, sql FROM sqlite_schema");
    for (Rows rows = statement.query(); rows.next();) {
        std::string& text = definitions[std::string(rows.text(0))];
        for (const int column : {1, 2, 3}) text.append(rows.text(column)).push_back(' ');
    }
    return definitions;
}

[[noreturn]] void refuse_other(const std::filesystem::path& file, const std::string& what) {
    throw NotARecording("recording '" + file.string() + "': " + what);
}

[[noreturn]] void refuse_newer(const std::filesystem::path& file, std::uint32_t version) {
    fail(file, "was written by a newer version: its format is " + std::to_string(version) +
                   "; this version reads formats up to " + std::to_string(format_version));
}

void check_identity(const Database& database, const Header& header) {
    if (word(header, application_id_at) != application_id) {
        refuse_other(database.file(), "is an SQLite database, but not a recording (application id " +
                                          std::to_string(word(header, application_id_at)) + ")");
    }
    const std::uint32_t version = word(header, user_version_at);
    if (version > format_version) refuse_newer(database.file(), version);
    if (version < oldest_format_version)
        fail(database.file(), "its header is damaged: format " + std::to_string(version));
}

}  // namespace

std::vector<std::byte> new_file(const std::string& config, const RecordingId& id) {
    Database database("(new)", Access::memory);
    make_tables(database);
    write(database, MetaRow{id, config, hash_of(bytes_of(config)), cpu_level(), FAIRSTREAM_VERSION});
    write(database, StateRow{});

    sqlite3_int64 size = 0;
    const std::unique_ptr<unsigned char, void (*)(void*)> image(sqlite3_serialize(database.handle(), "main", &size, 0),
                                                                sqlite3_free);
    if (image == nullptr) throw std::bad_alloc();
    const auto bytes = std::as_bytes(std::span(image.get(), static_cast<std::size_t>(size)));
    std::vector<std::byte> file(bytes.begin(), bytes.end());
    file[journal_version_at] = file[journal_version_at + 1] = std::byte{2};  // a database in memory cannot have a log
    return file;
}

void check_header(const Database& database) {
    const std::uint64_t size = database.raw_size();
    if (size == 0) refuse_other(database.file(), "is empty");
    Header header{};
    database.read_raw(0, header);
    if (!std::ranges::equal(std::span(header).first(magic.size()), bytes_of(magic))) {
        refuse_other(database.file(), "is not a recording: it does not begin like an SQLite database");
    }
    if (size < header_bytes) fail(database.file(), "is cut short: " + std::to_string(size) + " bytes");
    check_identity(database, header);
    for (const auto& [at, value] : constants) {
        if (header[at] != std::byte{value}) {
            fail(database.file(), "its header is damaged at byte " + std::to_string(at));
        }
    }
    const auto reserved = std::span(header).subspan(reserved_at, reserved_bytes);
    if (std::ranges::any_of(reserved, [](std::byte b) { return b != std::byte{0}; })) {
        fail(database.file(), "its header is damaged between bytes 72 and 91");
    }
}

void check_version(const Database& database) {
    constexpr std::uint32_t newest_plausible_version = 255;
    Header header{};
    database.read_raw(0, header);
    const std::uint32_t version = word(header, user_version_at);
    if (version > format_version && version <= newest_plausible_version) refuse_newer(database.file(), version);
}

void check_length(const Database& database) {
    if (database.files().status(log_of(database.file())).size != 0) return;
    Header header{};
    database.read_raw(0, header);
    // When the two counters disagree, another program wrote last, and SQLite uses the file's length.
    if (word(header, change_counter_at) != word(header, valid_for_at)) return;
    const std::uint64_t expected = std::uint64_t{word(header, page_count_at)} * page_bytes;
    const std::uint64_t size = database.raw_size();
    if (size < expected) {
        fail(database.file(), "is cut short: " + std::to_string(size) + " of " + std::to_string(expected) + " bytes");
    }
}

Tables check_tables(Database& database) {
    Database reference("(new)", Access::memory);
    make_tables(reference);
    auto expected = definitions(reference);
    const auto found = definitions(database);
    const auto version = static_cast<std::uint32_t>(database.number("PRAGMA user_version"));
    for (const AddedTable& table : added_tables)
        if (version < table.since || (!table.present_with.empty() && !found.contains(std::string(table.present_with))))
            expected.erase(std::string(table.name));
    const auto fail_tables = [&](const std::string& what) { fail(database.file(), "its tables are damaged: " + what); };
    for (const auto& [name, text] : expected) {
        const auto same = found.find(name);
        if (same == found.end()) fail_tables("it lacks " + name);
        if (same->second != text) fail_tables(name + " has another definition");
    }
    for (const auto& [name, text] : found) {
        if (!expected.contains(name)) fail_tables(name + " does not belong to a recording");
    }
    return {version, found.contains("update_digests"), found.contains("erasures")};
}

void upgrade(Database& database) {
    const auto found = definitions(database);
    for (const AddedTable& table : added_tables)
        if (!found.contains(std::string(table.name))) database.execute(std::string(table.sql));
    database.execute("PRAGMA user_version = " + std::to_string(format_version));
}

}  // namespace fairstream::log::sqlite
