#include <fairstream/command/console/output.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <numeric>
#include <string>
#include <system_error>

namespace fairstream::command {
namespace {

[[noreturn]] void fail(const std::string& what) {
    throw std::system_error(errno, std::generic_category(), what);
}

void print_to(std::FILE* stream, const char* name, std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), stream) != text.size() || std::fflush(stream) != 0) fail(name);
}

bool is_recording(const std::filesystem::path& path) {
    constexpr std::string_view begin = "SQLite format 3";
    std::array<char, begin.size()> head{};
    if (std::filesystem::is_regular_file(path)) std::ifstream(path, std::ios::binary).read(head.data(), head.size());
    return std::string_view(head.data(), head.size()) == begin;
}

// Returns whether the path is that of the log of a recording, or of the log's index.
bool belongs_to_recording(const std::filesystem::path& path) {
    const std::string name = path.string();
    return (name.ends_with("-wal") || name.ends_with("-shm")) && is_recording(name.substr(0, name.size() - 4));
}

// Returns the shortest text that reads back equal.
template <class Real> std::string shortest(Real value) {
    std::array<char, 32> text;
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
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
                refuse(*output, "is written by " + std::string(other->option) + " too");
        if (is_stdout(output->path)) continue;
        const std::filesystem::path folder = output->path.parent_path();
        if (!folder.empty() && !std::filesystem::is_directory(folder))
            refuse(*output, "there is no folder " + folder.string());
        for (const std::filesystem::path& input : inputs)
            if (same(input, output->path)) refuse(*output, "is a file that is read here, and would be lost");
        if (is_recording(output->path)) refuse(*output, "is a recording, and would be lost");
        if (belongs_to_recording(output->path)) refuse(*output, "belongs to a recording, whose events would be lost");
    }
}

bool is_stdout(const std::filesystem::path& path) {
    return path == "-" || path == "/dev/stdout";
}

bool takes_stdout(const std::vector<OutputFile>& outputs) {
    return std::ranges::any_of(outputs, [](const OutputFile& output) { return is_stdout(output.path); });
}

void write_file(const std::filesystem::path& path, std::string_view text) {
    if (is_stdout(path)) return print(text);
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

void write_labels(const std::filesystem::path& path, std::vector<std::pair<PointId, ClusterId>> labels,
                  const std::string& heading) {
    std::sort(labels.begin(), labels.end());
    std::string text = "id," + heading + "\n";
    for (const auto& [id, label] : labels) text += std::to_string(id) + "," + std::to_string(label) + "\n";
    write_file(path, text);
}

void write_scores(const std::filesystem::path& path, std::vector<std::pair<PointId, Score>> scores,
                  const std::string& heading) {
    std::sort(scores.begin(), scores.end());
    std::string text = "id," + heading + "\n";
    for (const auto& [id, score] : scores) text += std::to_string(id) + "," + score_text(score) + "\n";
    write_file(path, text);
}

void write_memberships(const std::filesystem::path& path, const std::vector<PointId>& ids, const Matrix& memberships) {
    std::vector<std::size_t> rows(ids.size());
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    std::ranges::sort(rows, {}, [&](std::size_t row) { return ids[row]; });
    std::string text = "id";
    for (std::size_t j = 0; j < memberships.cols; ++j) text += ",p" + std::to_string(j);
    text += "\n";
    for (const std::size_t row : rows) {
        text += std::to_string(ids[row]);
        for (std::size_t j = 0; j < memberships.cols; ++j)
            text += "," + shortest(static_cast<float>(memberships.at(row, j)));
        text += "\n";
    }
    write_file(path, text);
}

std::string score_text(Score score) {
    return score == no_score ? "" : shortest(score);
}

void print(std::string_view text) {
    print_to(stdout, "standard output", text);
}

void print_report(std::string_view text, const std::vector<OutputFile>& outputs) {
    if (!takes_stdout(outputs)) return print(text);
    print_to(stderr, "standard error", text);
}

}  // namespace fairstream::command
