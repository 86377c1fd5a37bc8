#include <fairstream/files/written/output.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <numeric>
#include <string>
#include <system_error>

#include <fairstream/base/number_text.hpp>
#include <fairstream/files/cells/csv_cell.hpp>
#include <fairstream/files/rows/standard_output.hpp>
#include <fairstream/text/printable_lines.hpp>

namespace fairstream::files {
namespace {

[[noreturn]] void fail(const std::string& what) {
    throw std::system_error(errno, std::generic_category(), what);
}

void write_to_stdout(std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
        fail("standard output");
}

bool is_recording(const std::filesystem::path& path) {
    constexpr std::string_view begin = "SQLite format 3";
    std::array<char, begin.size()> head{};
    if (std::filesystem::is_regular_file(path)) std::ifstream(path, std::ios::binary).read(head.data(), head.size());
    return std::string_view(head.data(), head.size()) == begin;
}

// Returns whether the path is the log of a recording, or the log's index.
bool belongs_to_recording(const std::filesystem::path& path) {
    const std::string name = path.string();
    return (name.ends_with("-wal") || name.ends_with("-shm")) && is_recording(name.substr(0, name.size() - 4));
}

/// Returns why a file cannot be written, as far as can be known beforehand; empty if it probably can.
std::string why_not_writable(const std::filesystem::path& path) {
    if (std::filesystem::is_directory(path)) return "is a folder";
    // A device or a pipe is written directly; a file is replaced by a new one beside it.
    const bool is_special = std::filesystem::exists(path) && !std::filesystem::is_regular_file(path);
    const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
    if (::access(is_special ? path.c_str() : folder.c_str(), is_special ? W_OK : W_OK | X_OK) == 0) return "";
    return (is_special ? "cannot be written: " : "a file cannot be created in folder " + folder.string() + ": ") +
           std::generic_category().message(errno);
}

}  // namespace

void check_outputs(const std::vector<OutputFile>& outputs, const std::vector<std::filesystem::path>& inputs) {
    const auto same = [](const std::filesystem::path& a, const std::filesystem::path& b) {
        std::error_code error;
        return !a.empty() && (a.lexically_normal() == b.lexically_normal() || std::filesystem::equivalent(a, b, error));
    };
    const auto refuse = [](const OutputFile& output, const std::string& why) {
        throw InvalidInput(Reason::bad_option, std::string(output.option) + " " + output.path.string() + ": " + why);
    };
    for (auto output = outputs.begin(); output != outputs.end(); ++output) {
        if (output->path.empty()) continue;
        for (auto other = outputs.begin(); other != output; ++other)
            if (same(other->path, output->path))
                refuse(*output, is_stdout(output->path) ? "standard output is for " + std::string(other->option) +
                                                              ": name a file for one of them"
                                                        : "is written by " + std::string(other->option) + " too");
        if (is_stdout(output->path)) continue;
        const std::filesystem::path folder = output->path.parent_path();
        if (!folder.empty() && !std::filesystem::is_directory(folder))
            refuse(*output, "there is no folder " + folder.string());
        if (const std::string why = why_not_writable(output->path); !why.empty()) refuse(*output, why);
        for (const std::filesystem::path& input : inputs)
            if (same(input, output->path))
                refuse(*output, "is read by this command, and would be overwritten: name another file");
        if (is_recording(output->path)) refuse(*output, "is a recording, and would be overwritten");
        if (belongs_to_recording(output->path)) refuse(*output, "belongs to a recording, whose events would be lost");
    }
}

bool takes_stdout(const std::vector<OutputFile>& outputs) {
    return std::ranges::any_of(outputs, [](const OutputFile& output) { return is_stdout(output.path); });
}

void write_file(const std::filesystem::path& path, std::string_view text) {
    if (is_stdout(path))
        return write_to_stdout(::isatty(STDOUT_FILENO) == 1 ? printable_lines(text) : std::string(text));
    // A device or a pipe cannot be replaced.
    const bool replace = !std::filesystem::exists(path) || std::filesystem::is_regular_file(path);
    const std::filesystem::path target = replace ? path.string() + ".part" : path.string();
    std::FILE* const file = std::fopen(target.c_str(), "wb");
    if (file == nullptr) fail(path.string());
    const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    const int error = errno;
    const bool closed = std::fclose(file) == 0;
    if (!written || !closed) {
        const int cause = written ? errno : error;
        std::error_code ignored;
        if (replace) std::filesystem::remove(target, ignored);
        throw std::system_error(cause, std::generic_category(), path.string());
    }
    if (replace) std::filesystem::rename(target, path);
}

std::string id_cell(PointId id, std::string_view text) {
    return text.empty() ? std::to_string(id) : csv_cell(text);
}

std::vector<std::size_t> order_by_id(const std::vector<PointId>& ids, const IdText& text) {
    std::vector<std::size_t> rows(ids.size());
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    std::ranges::sort(rows, {}, [&](std::size_t row) { return std::pair(text(ids[row]), ids[row]); });
    return rows;
}

namespace {

constexpr ByRowKind<RowWords> row_words{{{{"--probabilities", "p", "gives no probabilities of clusters"}}}};

/// Writes a line "id,cells" for each point.
template <class Cells> void write_points(const std::filesystem::path& path, std::string heading,
                                         const std::vector<PointId>& ids, const IdText& text, const Cells& cells) {
    heading += "\n";
    for (const std::size_t row : order_by_id(ids, text))
        heading += id_cell(ids[row], text(ids[row])) + "," + cells(row) + "\n";
    write_file(path, heading);
}

template <class T> std::vector<PointId> ids_of(const std::vector<std::pair<PointId, T>>& points) {
    std::vector<PointId> ids;
    for (const auto& [id, output] : points) ids.push_back(id);
    return ids;
}

}  // namespace

void check_other_columns(std::span<const std::string> names) {
    for (const std::string& name : names) {
        const auto refuse = [&](const std::string& why) {
            throw InvalidInput(Reason::bad_option, "--with " + name + ": " + why);
        };
        if (name == "id" || name == "label") refuse("the file of labels already has a column of this name");
        if (std::ranges::count(names, name) > 1) refuse("is named twice");
    }
}

std::string heading_of(std::span<const std::string> columns) {
    std::string heading;
    for (const std::string& name : columns) heading += "," + csv_cell(name);
    return heading;
}

void write_outputs(const std::filesystem::path& path, const std::vector<std::pair<PointId, ClusterId>>& labels,
                   const IdText& text, const std::string& heading, const OtherColumns& others) {
    write_points(path, "id," + heading + heading_of(others.names), ids_of(labels), text, [&](std::size_t row) {
        const std::string label = std::to_string(labels[row].second);
        return others.names.empty() ? label : label + "," + others.cells[row];
    });
}

void write_outputs(const std::filesystem::path& path, const std::vector<std::pair<PointId, Score>>& scores,
                   const IdText& text, const std::string& heading) {
    write_points(path, "id," + heading, ids_of(scores), text,
                 [&](std::size_t row) { return score_text(scores[row].second); });
}

const RowWords& RowFile::words() const {
    return row_words[kind];
}
std::string RowFile::heading(std::size_t numbers) const {
    std::string heading;
    for (std::size_t j = 0; j < numbers; ++j) heading += "," + (words().column + std::to_string(j));
    return heading;
}

std::string row_cells(std::span<const float> row) {
    std::string cells;
    for (const float number : row) cells += (cells.empty() ? "" : ",") + number_text(number);
    return cells;
}

void write_rows(const RowFile& file, const std::vector<PointId>& ids, const Matrix& rows, const IdText& text) {
    write_points(file.path, "id" + file.heading(rows.cols), ids, text, [&](std::size_t row) {
        const double* const numbers = rows.row(row);
        return row_cells(std::vector<float>(numbers, numbers + rows.cols));
    });
}

std::string score_text(Score score) {
    return score == no_score ? "" : number_text(score);
}

}  // namespace fairstream::files
