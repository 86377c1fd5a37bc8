#include <fairstream/files/rows/detail/file_format.hpp>

#include <algorithm>
#include <array>

#include <fairstream/base/types.hpp>
#include <fairstream/files/rows/input_file.hpp>

namespace fairstream::files::detail {
namespace {

using namespace std::string_view_literals;

/// A format and the first bytes of its files. A mark that consists of letters includes the byte after them, which does
/// not occur in text: a column may be named PAR1.
struct Mark {
    std::string_view bytes;
    FileFormat format;
    std::string_view what = {}, program = {}, extension = {};  ///< how to convert an unreadable format to text
};

constexpr std::array marks{Mark{"\x1f\x8b"sv, FileFormat::gzip},
                           Mark{"\x28\xb5\x2f\xfd"sv, FileFormat::zstd},
                           Mark{"\xfd\x37zXZ\0"sv, FileFormat::unread, "compressed by xz", "xz -dc"},
                           Mark{"BZh91AY&SY"sv, FileFormat::unread, "compressed by bzip2", "bzip2 -dc"},
                           Mark{"\x04\x22\x4d\x18"sv, FileFormat::unread, "compressed by lz4", "lz4 -dc"},
                           Mark{"7z\xbc\xaf\x27\x1c"sv, FileFormat::unread, "a 7z archive", "7z x -so", ".csv"},
                           Mark{"PK\x03\x04"sv, FileFormat::unread, "a zip archive", "unzip -p", ".csv"},
                           Mark{"PK\x05\x06"sv, FileFormat::unread, "a zip archive", "unzip -p", ".csv"},
                           Mark{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"sv, FileFormat::unread, "an Excel workbook"},
                           Mark{"PAR1\x15"sv, FileFormat::unread, "a Parquet file"},
                           Mark{"ARROW1\0"sv, FileFormat::unread, "an Arrow (Feather) file"},
                           Mark{"FEA1\0"sv, FileFormat::unread, "an Arrow (Feather) file"},
                           Mark{"SQLite format 3\0"sv, FileFormat::unread, "an SQLite database"},
                           Mark{"\xff\xfe"sv, FileFormat::unread, "UTF-16 text", "iconv -f UTF-16 -t UTF-8", ".utf8"},
                           Mark{"\xfe\xff"sv, FileFormat::unread, "UTF-16 text", "iconv -f UTF-16 -t UTF-8", ".utf8"}};

/// Returns whether `head` begins with `mark`, or could do so if it is shorter. The digit in bzip2's mark is its block
/// size; the low half of the first byte of a skippable zstd frame is arbitrary.
bool agrees(std::string_view head, std::string_view mark) {
    for (std::size_t i = 0; i < std::min(head.size(), mark.size()); ++i) {
        const bool is_block_size = mark.starts_with("BZh") && i == 3;
        if (is_block_size ? head[i] < '1' || head[i] > '9' : head[i] != mark[i]) return false;
    }
    return true;
}

bool agrees_with_skippable(std::string_view head) {
    constexpr std::string_view after = "\x2a\x4d\x18";
    return !head.empty() && (head[0] & 0xf0) == 0x50 && agrees(head.substr(1), after);
}

/// Returns a path as a word for a shell, in single quotes if necessary.
std::string file_word(const std::filesystem::path& path) {
    constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+,:@%=-";
    std::string text = path.string();
    if (text.find_first_not_of(plain) == std::string::npos) return text;
    std::string word = "'";
    for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return word + "'";
}

/// Returns the command that converts the file at this path, and the name of its output. For a pipe, advises to put the
/// program before fairstream.
std::string conversion_text(std::string_view program, const std::filesystem::path& path, std::string_view extension) {
    if (path == "-") return "put " + std::string(program) + " before fairstream in the pipe";
    std::filesystem::path out = path;
    out.replace_extension(extension);
    if (std::error_code error; out == path || std::filesystem::exists(out, error)) (out = path) += ".csv";
    return std::string(program) + " " + file_word(path) + " > " + file_word(out);
}

/// Returns whether a zip archive is a workbook: by its name, or by the first file in it.
bool is_workbook(const std::filesystem::path& path, std::string_view head) {
    const std::string extension = path.extension().string();
    return extension == ".xlsx" || extension == ".xlsm" || extension == ".ods" ||
           head.find("[Content_Types].xml") != std::string_view::npos;
}

/// Returns the format for the mark that a file begins with. A zip archive may be a workbook; a database may be a
/// recording, with its application id in the header.
Mark specific_mark(Mark mark, const std::filesystem::path& path, std::string_view head) {
    constexpr std::size_t application_id_at = 68;
    if (mark.what == "a zip archive" && is_workbook(path, head)) return {{}, mark.format, "an Excel workbook"};
    if (mark.what == "an SQLite database" && head.size() > application_id_at &&
        head.substr(application_id_at).starts_with("fstr"))
        return {{}, mark.format, "a recording", "fairstream export", ".csv"};
    return mark;
}

}  // namespace

std::optional<FileFormat> format_of(std::string_view head, bool is_all) {
    bool may_be_another = head.empty();
    for (const Mark& mark : marks) {
        if (!agrees(head, mark.bytes)) continue;
        if (head.size() >= mark.bytes.size()) return mark.format;
        may_be_another = true;
    }
    if (agrees_with_skippable(head)) {
        if (head.size() >= 4) return FileFormat::zstd;
        may_be_another = true;
    }
    return may_be_another && !is_all ? std::nullopt : std::optional(FileFormat::text);
}

void require_readable(const std::filesystem::path& path, std::string_view head) {
    for (const Mark& mark : marks) {
        if (mark.format != FileFormat::unread || head.size() < mark.bytes.size() || !agrees(head, mark.bytes)) continue;
        const auto [bytes, format, what, program, extension] = specific_mark(mark, path, head);
        throw InvalidInput(Reason::malformed, input_name(path) + ": is " + std::string(what) + ", which is not read: " +
                                                  (program.empty() ? "write its table as CSV"
                                                                   : conversion_text(program, path, extension)));
    }
}

}  // namespace fairstream::files::detail
