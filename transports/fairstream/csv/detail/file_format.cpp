#include <fairstream/csv/detail/file_format.hpp>

#include <algorithm>
#include <array>

#include <fairstream/base/types.hpp>
#include <fairstream/csv/input_file.hpp>

namespace fairstream::csv::detail {
namespace {

using namespace std::string_view_literals;

struct Mark {
    std::string_view bytes;
    FileFormat format;
};

/// Marks that are words are taken with the byte after them that no text has there: a column may be named PAR1.
constexpr std::array marks{Mark{"\x1f\x8b"sv, FileFormat::gzip},
                           Mark{"\x28\xb5\x2f\xfd"sv, FileFormat::zstd},
                           Mark{"\xfd\x37zXZ\0"sv, FileFormat::xz},
                           Mark{"BZh91AY&SY"sv, FileFormat::bzip2},
                           Mark{"\x04\x22\x4d\x18"sv, FileFormat::lz4},
                           Mark{"7z\xbc\xaf\x27\x1c"sv, FileFormat::seven_zip},
                           Mark{"PK\x03\x04"sv, FileFormat::zip},
                           Mark{"PK\x05\x06"sv, FileFormat::zip},
                           Mark{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"sv, FileFormat::excel},
                           Mark{"PAR1\x15"sv, FileFormat::parquet},
                           Mark{"ARROW1\0"sv, FileFormat::arrow},
                           Mark{"FEA1\0"sv, FileFormat::feather},
                           Mark{"SQLite format 3\0"sv, FileFormat::sqlite},
                           Mark{"\xff\xfe"sv, FileFormat::utf16},
                           Mark{"\xfe\xff"sv, FileFormat::utf16}};

/// Returns whether `head` begins with `mark`, or could when it is shorter. The digit of bzip2 is its block size; the
/// low half of the first byte of a zstd frame that is to be skipped is free.
bool agrees(std::string_view head, std::string_view mark, FileFormat format) {
    for (std::size_t i = 0; i < std::min(head.size(), mark.size()); ++i) {
        const bool is_block_size = format == FileFormat::bzip2 && i == 3;
        if (is_block_size ? head[i] < '1' || head[i] > '9' : head[i] != mark[i]) return false;
    }
    return true;
}

bool agrees_with_skippable(std::string_view head) {
    constexpr std::string_view after = "\x2a\x4d\x18";
    return !head.empty() && (head[0] & 0xf0) == 0x50 && agrees(head.substr(1), after, FileFormat::zstd);
}

/// Returns a word for a path that a shell takes as it is: in single quotes where it has to be.
std::string file_word(const std::filesystem::path& path) {
    constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+,:@%=-";
    const std::string text = path.string();
    if (text.find_first_not_of(plain) == std::string::npos) return text;
    std::string word = "'";
    for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return word + "'";
}

/// Returns what makes a file that is read of one at this path, and its name; of a pipe the program before it.
std::string made_by(const std::string& program, const std::filesystem::path& path, const std::string& extension) {
    if (path == "-") return ", which is not read: put " + program + " before it in the pipe";
    std::filesystem::path out = path;
    out.replace_extension(extension);
    if (std::error_code error; out == path || std::filesystem::exists(out, error)) (out = path) += ".csv";
    return ", which is not read: " + program + " " + file_word(path) + " > " + file_word(out);
}

/// Returns whether a zip archive is a workbook: by its name, or by the first file in it.
bool is_workbook(const std::filesystem::path& path, std::string_view head) {
    const std::string extension = path.extension().string();
    return extension == ".xlsx" || extension == ".xlsm" || extension == ".ods" ||
           head.find("[Content_Types].xml") != std::string_view::npos;
}

/// Says whether an SQLite database is a recording of an engine, by the application id in its header.
bool has_recording_mark(std::string_view head) {
    constexpr std::size_t application_id_at = 68;
    return head.size() >= application_id_at + 4 && head.substr(application_id_at, 4) == "fstr";
}

/// Returns what a file of this format is, and what makes text of it; empty for a format that is read.
std::string unread_format(FileFormat format, const std::filesystem::path& path, std::string_view head) {
    switch (format) {
        case FileFormat::text:
        case FileFormat::gzip:
        case FileFormat::zstd:
            return {};
        case FileFormat::xz:
            return "compressed by xz" + made_by("xz -dc", path, "");
        case FileFormat::bzip2:
            return "compressed by bzip2" + made_by("bzip2 -dc", path, "");
        case FileFormat::lz4:
            return "compressed by lz4" + made_by("lz4 -dc", path, "");
        case FileFormat::seven_zip:
            return "a 7z archive" + made_by("7z x -so", path, ".csv");
        case FileFormat::zip:
            return is_workbook(path, head) ? unread_format(FileFormat::excel, path, head)
                                           : "a zip archive" + made_by("unzip -p", path, ".csv");
        case FileFormat::excel:
            return "an Excel workbook, which is not read: save its table as CSV";
        case FileFormat::parquet:
            return "a Parquet file, which is not read: write it as CSV";
        case FileFormat::arrow:
        case FileFormat::feather:
            return "an Arrow (Feather) file, which is not read: write it as CSV";
        case FileFormat::sqlite:
            if (has_recording_mark(head)) return "a recording" + made_by("fairstream export", path, ".csv");
            return "an SQLite database, which is not read: write a table of it as CSV";
        case FileFormat::utf16:
            return "UTF-16 text" + made_by("iconv -f UTF-16 -t UTF-8", path, ".utf8");
    }
    return {};
}

}  // namespace

std::optional<FileFormat> format_of(std::string_view head, bool is_all) {
    bool may_be_another = head.empty();
    for (const Mark& mark : marks) {
        if (!agrees(head, mark.bytes, mark.format)) continue;
        if (head.size() >= mark.bytes.size()) return mark.format;
        may_be_another = true;
    }
    if (agrees_with_skippable(head)) {
        if (head.size() >= 4) return FileFormat::zstd;
        may_be_another = true;
    }
    return may_be_another && !is_all ? std::nullopt : std::optional(FileFormat::text);
}

void require_readable(FileFormat format, const std::filesystem::path& path, std::string_view head) {
    const std::string what = unread_format(format, path, head);
    if (!what.empty()) throw InvalidInput(Reason::malformed, input_name(path) + ": is " + what);
}

}  // namespace fairstream::csv::detail
