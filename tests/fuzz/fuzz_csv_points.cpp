/// The first byte of an input chooses the columns; the rest is the file: delimited text or JSON lines, plain or
/// compressed.

#include <algorithm>
#include <cmath>
#include <optional>

#include <fairstream/files/points/table.hpp>

#include "fuzz/memory_file.hpp"
#include "fuzz/oracle.hpp"

namespace fairstream::fuzz {
namespace {

// The columns that the inputs of the corpus have.
files::Roles columns(std::uint8_t choice) {
    files::Roles columns;
    if (choice & 1) columns.features = {"x", "y"};
    if (choice & 2) columns.groups.push_back({"g", {}});
    if (choice & 4) columns.groups.push_back({"h", {"a", "b"}});
    if (choice & 8) columns.target = "t";
    if (choice & 16) columns.id = "id";
    if (choice & 32) columns.part = "part";
    if (choice & 64) columns.classes = "h";
    return columns;
}

// Every cell in quotes.
std::string quoted(files::Reader& reader) {
    std::string text;
    const auto row = [&](const auto& cell) {
        for (std::size_t column = 0; column < reader.header().size(); ++column) {
            text += column == 0 ? "\"" : ",\"";
            for (const char c : cell(column)) text += c == '"' ? std::string(2, c) : std::string(1, c);
            text += '"';
        }
        text += '\n';
    };
    row([&](std::size_t column) { return std::string_view(reader.header()[column]); });
    while (reader.next()) row([&](std::size_t column) { return reader.cell(column); });
    return text;
}

void check_rows(const MemoryFile& file) {
    std::string text;
    try {
        files::Reader reader(file.path());
        text = quoted(reader);
    } catch (const InvalidInput&) {
        return;
    }
    const MemoryFile again(text);
    files::Reader reader(
        files::InputFile(again.path(), files::Passes::one, {.separator = ',', .has_header = true, .skipped_lines = 0}));
    require(quoted(reader) == text, "rows whose cells are all quoted read as the same cells");
}

// Malformed rows are skipped one by one, up to the end or a fatal error.
void check_recovery(const MemoryFile& file) {
    std::optional<files::Reader> reader;
    try {
        reader.emplace(file.path());
    } catch (const InvalidInput&) {
        return;
    }
    std::uint64_t line = 0;
    for (bool more = true; more && !reader->is_broken();) {
        try {
            more = reader->next();
        } catch (const InvalidInput&) {
        }
        if (!more || reader->is_broken()) continue;
        require(reader->line() > line, "each row starts on a later line");
        line = reader->line();
    }
}

void check_table(const files::Table& table) {
    const std::size_t n = table.size(), a = table.format.attributes.size();
    require(n > 0, "a table has rows");
    require(table.feature_names.size() == table.format.dimensions, "each feature has a name");
    require(table.features.size() == n * table.format.dimensions, "features are n x d");
    require(table.groups.size() == n * a, "groups are n x a");
    require(table.targets.size() == (table.format.has_targets ? n : 0), "each row has a target, or none has");
    require(table.parts.empty() || table.parts.size() == n, "each row has a part, or none has");
    require(table.classes.empty() || table.classes.size() == n, "each row has a class, or none has");
    require(std::ranges::all_of(table.classes, [](files::ClassId id) { return id < files::most_classes; }),
            "classes are numbered from 0");
    require(std::ranges::all_of(table.features, [](double x) { return std::isfinite(x); }), "features are finite");
    require(std::ranges::all_of(table.targets, [](double x) { return std::isfinite(x); }), "targets are finite");
    for (std::size_t i = 0; i < table.groups.size(); ++i)
        require(table.groups[i] < table.format.attributes[i % a].groups.size(), "a group is one of its attribute's");
}

// Batches have the rows of the table, in float, and no repeated id.
void check_batches(const MemoryFile& file, const files::Roles& columns, const files::Table& table) {
    files::PointReader reader(file.path(), columns);
    require(reader.format() == table.format, "a reader and a table have one format");
    constexpr std::size_t batch = 3;
    PointColumns read, copied;
    for (std::size_t first = 0, count = 0; first < table.size(); first += count) {
        // A repeated id begins another batch.
        count = files::different_ids(table, first, std::min(batch, table.size() - first));
        try {
            require(reader.read(batch, read) == count, "a reader gives the rows of the table");
        } catch (const InvalidInput&) {
            return;  // above the limit of features, which a table in double allows
        }
        files::copy_points(table, first, count, copied);
        require(read.ids == copied.ids && read.features == copied.features && read.groups == copied.groups &&
                    read.targets == copied.targets,
                "a reader gives the points of the table");
    }
    require(reader.read(batch, read) == 0, "a reader ends with the table");
}

void check_scaled(files::Table table, void (*scale)(files::Table&)) {
    try {
        scale(table);
    } catch (const InvalidInput&) {
        return;  // too large to be scaled
    }
    check_table(table);
}

}  // namespace
}  // namespace fairstream::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace fairstream;
    if (size == 0) return 0;
    const files::Roles columns = fuzz::columns(data[0]);
    const fuzz::MemoryFile file(fuzz::bytes_of(data + 1, size - 1));
    fuzz::check_rows(file);
    fuzz::check_recovery(file);
    files::Table table;
    try {
        table = files::read_table(file.path(), columns);
    } catch (const InvalidInput&) {
        return 0;
    }
    fuzz::check_table(table);
    fuzz::check_batches(file, columns, table);
    fuzz::check_scaled(table, files::standardise);
    fuzz::check_scaled(table, files::unit_range);
    fuzz::check_scaled(table, files::unit_rows);
    return 0;
}
