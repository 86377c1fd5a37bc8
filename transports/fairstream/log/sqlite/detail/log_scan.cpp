#include <fairstream/log/sqlite/detail/log_scan.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <system_error>
#include <vector>

#include <fairstream/log/sqlite/detail/big_endian.hpp>
#include <fairstream/log/sqlite/detail/layout.hpp>

namespace fairstream::log::sqlite {

namespace {

// The form of the log, by https://www.sqlite.org/fileformat.html, section 4; numbers are big-endian.
constexpr std::size_t log_header_bytes = 32;
constexpr std::size_t frame_header_bytes = 24;
constexpr std::size_t frame_bytes = frame_header_bytes + page_bytes;
constexpr std::size_t summed_header_bytes = 24;       // covered by the checksum of the log's header
constexpr std::size_t summed_frame_header_bytes = 8;  // covered: page number, and database size after a commit
constexpr std::uint32_t log_magic = 0x377f0682;       // the lowest bit tells whether checksums use big-endian words
constexpr std::uint32_t log_version = 3007000;

using Words = std::span<const std::byte>;

struct Checksum {
    std::uint32_t first = 0;
    std::uint32_t second = 0;
    bool operator==(const Checksum&) const = default;

    // The length of `bytes` is a multiple of 8.
    void add(Words bytes, bool big_endian) {
        for (std::size_t at = 0; at < bytes.size(); at += 8) {
            std::uint32_t words[2];
            std::memcpy(words, bytes.data() + at, sizeof words);
            if (big_endian != (std::endian::native == std::endian::big)) {
                for (std::uint32_t& w : words) w = __builtin_bswap32(w);
            }
            first += words[0] + second;
            second += words[1] + first;
        }
    }
};

Checksum checksum_at(Words bytes, std::size_t at) {
    return {word(bytes, at), word(bytes, at + 4)};
}

class Log {
public:
    explicit Log(const OpenFile& file) : file_(file), size_(file.status().size) {}

    [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
    [[nodiscard]] std::uint64_t frames() const noexcept {
        return size_ < log_header_bytes ? 0 : (size_ - log_header_bytes) / frame_bytes;
    }
    [[nodiscard]] Words header() { return read(0, log_header_bytes); }
    [[nodiscard]] Words frame(std::uint64_t index) { return read(offset_of(index), frame_bytes); }
    [[nodiscard]] Words frame_header(std::uint64_t index) { return read(offset_of(index), frame_header_bytes); }
    [[nodiscard]] static std::uint64_t offset_of(std::uint64_t index) { return log_header_bytes + index * frame_bytes; }

private:
    Words read(std::uint64_t offset, std::size_t count) {
        if (buffer_.size() < count) buffer_.resize(count);
        const std::span<std::byte> out = std::span(buffer_).first(count);
        if (file_.read(offset, out) != count) throw std::system_error(EIO, std::generic_category());
        return out;
    }

    const OpenFile& file_;
    std::uint64_t size_;
    std::vector<std::byte> buffer_;
};

struct LogHeader {
    bool big_endian = false;
    LogSalts salts{};
    Checksum checksum;
};

std::optional<LogHeader> read_header(Log& log) {
    if (log.size() < log_header_bytes) return std::nullopt;
    const Words bytes = log.header();
    if ((word(bytes, 0) & ~1U) != log_magic || word(bytes, 4) != log_version || word(bytes, 8) != page_bytes) {
        return std::nullopt;
    }
    LogHeader header{(word(bytes, 0) & 1U) != 0, {word(bytes, 16), word(bytes, 20)}, {}};
    header.checksum.add(bytes.first(summed_header_bytes), header.big_endian);
    if (header.checksum != checksum_at(bytes, summed_header_bytes)) return std::nullopt;
    return header;
}

bool has_salts(Words frame, const LogHeader& header) {
    return word(frame, 8) == header.salts[0] && word(frame, 12) == header.salts[1];
}

bool ends_transaction(Words frame) {
    return word(frame, 4) != 0;
}

// Returns whether the frames from `first_bad` on, which SQLite would drop, hold more than the single transaction that a
// crash can tear. A frame with this log's salts was written since the log last began anew. A frame behind the end of a
// transaction shows that this transaction had been synced.
bool hides_synced_transactions(Log& log, const LogHeader& header, std::uint64_t first_bad) {
    bool ended = false;
    for (std::uint64_t i = first_bad; i < log.frames(); ++i) {
        const Words frame = log.frame_header(i);
        if (!has_salts(frame, header)) continue;
        if (ended) return true;
        ended = ends_transaction(frame);
    }
    return false;
}

// Returns whether frames from `first_bad` on, which is damaged or cut short, were written since the log began anew.
bool has_current_frames(Log& log, const LogHeader& header, std::uint64_t first_bad) {
    for (std::uint64_t i = first_bad; i < log.frames(); ++i)
        if (has_salts(log.frame_header(i), header)) return true;
    const bool has_cut_frame = log.size() >= Log::offset_of(log.frames()) + frame_header_bytes;
    return has_cut_frame && has_salts(log.frame_header(log.frames()), header);
}

std::string at_frame(std::uint64_t index, const Log& log) {
    return "frame " + std::to_string(index + 1) + " of " + std::to_string(log.frames());
}

}  // namespace

std::uint64_t bytes_of_log(int pages) noexcept {
    return pages == 0 ? 0 : Log::offset_of(static_cast<std::uint64_t>(pages));
}

std::optional<LogSalts> salts_of_commit(const OpenFile& file, int pages) {
    Log log(file);
    if (log.size() < bytes_of_log(pages)) return std::nullopt;
    const auto header = read_header(log);
    if (!header) return std::nullopt;
    const Words newest = log.frame_header(static_cast<std::uint64_t>(pages) - 1);
    return has_salts(newest, *header) && ends_transaction(newest) ? std::optional(header->salts) : std::nullopt;
}

bool LogScan::holds_transactions() const noexcept {
    return valid_bytes > log_header_bytes;
}

std::uint64_t LogScan::bytes_to_keep() const noexcept {
    return has_frame ? std::max(valid_bytes, Log::offset_of(1)) : valid_bytes;
}

LogScan scan_log(const OpenFile& file) {
    Log log(file);
    LogScan scan;
    const auto header = read_header(log);
    if (!header) {
        // No crash damages the header: it is synced before the first frame is written, and overwritten within one
        // sector.
        if (log.size() > log_header_bytes) scan.damage = "cannot be read: its header is damaged";
        return scan;
    }
    scan.has_header = true;
    scan.has_frame = log.frames() > 0;
    scan.valid_bytes = log_header_bytes;
    Checksum sum = header->checksum;
    std::uint64_t i = 0;
    for (; i < log.frames(); ++i) {
        const Words frame = log.frame(i);
        sum.add(frame.first(summed_frame_header_bytes), header->big_endian);
        sum.add(frame.subspan(frame_header_bytes), header->big_endian);
        const bool sums = sum == checksum_at(frame, 16);
        if (sums && has_salts(frame, *header)) {
            if (ends_transaction(frame)) scan.valid_bytes = Log::offset_of(i + 1);
            continue;
        }
        // The frame belongs to this log, since its checksum continues. Only its salts, which checksums do not cover,
        // are damaged.
        if (sums) {
            scan.damage = "is damaged at " + at_frame(i, log) + ": its salts are damaged";
        } else if (hides_synced_transactions(log, *header, i)) {
            scan.damage = "is damaged at " + at_frame(i, log) +
                          ": it does not match its checksum, and committed transactions follow it";
        }
        break;
    }
    scan.has_unreadable_end = has_current_frames(log, *header, i);
    return scan;
}

namespace {

// Returns the number of the frames up to the last one written since the log began anew.
std::uint64_t end_of_frames(Log& log, const LogHeader& header) {
    std::uint64_t end = 0;
    for (std::uint64_t i = 0; i < log.frames(); ++i)
        if (has_salts(log.frame_header(i), header)) end = i + 1;
    return end;
}

}  // namespace

std::vector<LogFrame> frames_of_log(const OpenFile& file) {
    Log log(file);
    std::vector<LogFrame> frames;
    if (log.frames() == 0) return frames;
    // The first frame belongs to the log as it last began; later frames may belong to an earlier log.
    const Words first = log.frame_header(0);
    const LogSalts salts{word(first, 8), word(first, 12)};
    const LogHeader header = read_header(log).value_or(LogHeader{false, salts, {}});
    const LogScan scan = scan_log(file);
    const std::uint64_t end = scan.damage.empty() ? scan.valid_bytes : Log::offset_of(end_of_frames(log, header));
    for (std::uint64_t i = 0; Log::offset_of(i) < end; ++i)
        frames.push_back({word(log.frame_header(i), 0), Log::offset_of(i) + frame_header_bytes});
    return frames;
}

}  // namespace fairstream::log::sqlite
