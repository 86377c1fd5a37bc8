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

/// Returns the path where a shell and Python take it as it is between quotes, otherwise a word to be replaced.
std::string file_word(const std::filesystem::path& path) {
    constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+,:@%=-";
    const std::string text = path.string();
    return path == "-" || text.find_first_not_of(plain) != std::string::npos ? "FILE" : text;
}

std::string unpacked_by(const std::string& command) {
    return ": unpack it first: " + command + " | fairstream ... --input -";
}

std::string by_pandas(const std::string& read, const std::string& file) {
    return ": make it CSV first: python3 -c \"import pandas; pandas." + read + "('" + file + "').to_csv('" + file +
           ".csv', index=False)\"";
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
    const std::string file = file_word(path);
    switch (format) {
        case FileFormat::text:
        case FileFormat::gzip:
        case FileFormat::zstd:
            return {};
        case FileFormat::xz:
            return "compressed by xz, which is not read" + unpacked_by("xz -dc " + file);
        case FileFormat::bzip2:
            return "compressed by bzip2, which is not read" + unpacked_by("bzip2 -dc " + file);
        case FileFormat::lz4:
            return "compressed by lz4, which is not read" + unpacked_by("lz4 -dc " + file);
        case FileFormat::seven_zip:
            return "a 7z archive, which is not read" + unpacked_by("7z x -so " + file);
        case FileFormat::zip:
            return is_workbook(path, head) ? unread_format(FileFormat::excel, path, head)
                                           : "a zip archive, which is not read" + unpacked_by("unzip -p " + file);
        case FileFormat::excel:
            return "an Excel workbook, which is not read" + by_pandas("read_excel", file);
        case FileFormat::parquet:
            return "a Parquet file, which is not read" + by_pandas("read_parquet", file);
        case FileFormat::arrow:
            return "an Arrow (Feather) file, which is not read" + by_pandas("read_feather", file);
        case FileFormat::feather:
            return "a Feather file, which is not read" + by_pandas("read_feather", file);
        case FileFormat::sqlite:
            if (has_recording_mark(head))
                return "a recording: make it CSV first: fairstream export " + file + " | fairstream ... --input -";
            return "an SQLite database, which is not read: make it CSV first: sqlite3 -header -csv " + file +
                   " 'SELECT * FROM TABLE' | fairstream ... --input -";
        case FileFormat::utf16:
            return "UTF-16 text, which is not read: convert it first: iconv -f UTF-16 -t UTF-8 " + file +
                   " | fairstream ... --input -";
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
