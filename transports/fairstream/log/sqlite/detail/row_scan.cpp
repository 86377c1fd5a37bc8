#include <fairstream/log/sqlite/detail/row_scan.hpp>

#include <algorithm>
#include <array>
#include <utility>

#include <fairstream/log/sqlite/detail/big_endian.hpp>
#include <fairstream/log/sqlite/detail/layout.hpp>
#include <fairstream/log/sqlite/detail/log_scan.hpp>

namespace fairstream::log::sqlite {

namespace {

// The form of pages and rows, by https://www.sqlite.org/fileformat.html, sections 1.6 and 2.1; numbers are big-endian.
constexpr std::byte leaf_kind{0x0D};
constexpr std::size_t leaf_header_bytes = 8;
constexpr std::size_t link_bytes = 4;  // number of the next page with a row's payload
constexpr std::size_t most_on_leaf = page_bytes - 35, least_on_leaf = (page_bytes - 12) * 32 / 255 - 23;

constexpr std::uint64_t most_payload = std::uint64_t{1} << 31;  // bytes; no row is longer

/// Returns how many bytes of a row's payload lie on its leaf. The rest lies on pages that follow.
std::uint64_t bytes_on_leaf(std::uint64_t payload) {
    if (payload <= most_on_leaf) return payload;
    const std::uint64_t fitting = least_on_leaf + (payload - least_on_leaf) % (page_bytes - link_bytes);
    return fitting <= most_on_leaf ? fitting : least_on_leaf;
}

/// Reads a sequence of numbers of one to nine bytes each, with seven bits in each of the first eight.
class Varints {
public:
    explicit Varints(Bytes bytes) : bytes_(bytes) {}

    /// Returns the next number; nothing past the end.
    std::optional<std::uint64_t> next() {
        constexpr std::size_t longest = 9;
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < longest && at_ < bytes_.size(); ++i) {
            const auto byte = std::to_integer<std::uint64_t>(bytes_[at_++]);
            if (i + 1 == longest) return value << 8U | byte;
            value = value << 7U | (byte & 0x7FU);
            if (byte < 0x80) return value;
        }
        return std::nullopt;
    }
    [[nodiscard]] std::size_t taken() const noexcept { return at_; }

private:
    Bytes bytes_;
    std::size_t at_ = 0;
};

/// The kinds of columns of each table: the row's number (stored as null), integers, texts and blobs.
constexpr std::array<std::string_view, scanned_tables> forms{"nbtitti", "niiiii", "ntiiii", "ntiiibb"};

/// Returns a column's kind.
char kind_of(std::uint64_t type) {
    if (type == 0) return 'n';
    if (type >= 12) return type % 2 == 0 ? 'b' : 't';
    return type == 7 || type > 9 ? '?' : 'i';  // 7: a floating-point number
}

std::uint64_t bytes_of_column(std::uint64_t type) {
    constexpr std::array<std::uint64_t, 12> of_numbers{0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0};
    return type < of_numbers.size() ? of_numbers[type] : (type - of_numbers.size()) / 2;
}

/// Returns the head of the row that begins with these bytes; nothing if it has the form of no table.
std::optional<RowHead> head_of(Bytes bytes) {
    Varints cell(bytes);
    const auto payload = cell.next(), number = cell.next();
    if (!payload || *payload > most_payload || !number || *number == 0) return std::nullopt;
    Varints header(bytes.subspan(cell.taken()));
    const auto size = header.next();
    if (!size) return std::nullopt;
    RowHead head{{}, *number, *payload, cell.taken(), {*size}, {}};
    std::array<char, RowHead::most_columns> kinds{};
    std::size_t columns = 0;
    for (; columns < RowHead::most_columns && header.taken() < *size; ++columns) {
        const auto type = header.next();
        if (!type || *type > 2 * *payload + 13) return std::nullopt;
        head.types[columns] = *type;
        head.at[columns + 1] = head.at[columns] + bytes_of_column(*type);
        kinds[columns] = kind_of(*type);
    }
    const auto form = std::ranges::find(forms, std::string_view(kinds.data(), columns));
    if (form == forms.end() || header.taken() != *size || head.at[columns] != *payload) return std::nullopt;
    head.table = static_cast<Table>(form - forms.begin());
    return head;
}

}  // namespace

Bytes FoundRow::blob(std::size_t column) const {
    return Bytes(payload_).subspan(head_.at[column], head_.at[column + 1] - head_.at[column]);
}

std::string_view FoundRow::text(std::size_t column) const {
    const Bytes bytes = blob(column);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::uint64_t FoundRow::number(std::size_t column) const {
    if (column == 0) return head_.number;
    const Bytes bytes = blob(column);
    if (bytes.empty()) return head_.types[column] - 8;  // types 8 and 9 are the numbers 0 and 1
    auto value = std::to_integer<std::int8_t>(bytes[0]) < 0 ? ~std::uint64_t{0} : 0;
    for (const std::byte byte : bytes) value = value << 8U | std::to_integer<std::uint64_t>(byte);
    return value;
}

RowScan::RowScan(const std::filesystem::path& path)
    : file_(system_files().open(path, Files::Open::reading)),
      log_(system_files().open(log_of(path), Files::Open::reading)) {
    const std::vector<LogFrame> frames = log_ ? frames_of_log(*log_) : std::vector<LogFrame>();
    for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
        newest_.emplace(frame->page, frame->at);
        find_rows(frame->at, true);
    }
    for (std::uint64_t at = 0; at < file_->status().size; at += page_bytes) find_rows(at, false);
    for (std::vector<Place>& places : places_) std::ranges::stable_sort(places, {}, &Place::number);
    bytes_ = file_->status().size + (log_ ? log_->status().size : 0);
}

bool RowScan::read_page(std::uint64_t at, bool in_log, std::vector<std::byte>& page) const {
    page.resize(page_bytes);
    return (in_log ? *log_ : *file_).read(at, page) == page.size();
}

void RowScan::find_rows(std::uint64_t page_at, bool in_log) {
    if (!read_page(page_at, in_log, page_) || page_[0] != leaf_kind) return;
    // The number of rows in the page's header may be damaged. Positions of rows fill the page from its header to the
    // first row.
    std::size_t first_row = page_.size();
    for (std::size_t at = leaf_header_bytes; at + 2 <= first_row; at += 2) {
        const std::size_t offset =
            std::to_integer<std::size_t>(page_[at]) << 8U | std::to_integer<std::size_t>(page_[at + 1]);
        const auto head = head_of(Bytes(page_).subspan(offset));
        if (!head) continue;
        places_[static_cast<std::size_t>(head->table)].push_back(
            {head->number, page_at, static_cast<std::uint32_t>(offset), in_log});
        first_row = std::min(first_row, offset);
    }
}

bool RowScan::add_overflow(std::uint32_t page, std::uint64_t size, std::vector<std::byte>& payload) const {
    std::vector<std::byte> bytes;
    while (payload.size() < size) {
        const auto in_log = newest_.find(page);
        const bool is_in_log = in_log != newest_.end();
        if (page == 0 ||
            !read_page(is_in_log ? in_log->second : std::uint64_t{page - 1} * page_bytes, is_in_log, bytes))
            return false;
        page = word(bytes, 0);
        const Bytes part = Bytes(bytes).subspan(link_bytes);
        const Bytes needed = part.first(std::min<std::uint64_t>(part.size(), size - payload.size()));
        payload.insert(payload.end(), needed.begin(), needed.end());
    }
    return true;
}

std::optional<FoundRow> RowScan::read(const Place& place) {
    if (page_at_ != place.page_at || page_in_log_ != place.in_log) {
        page_at_ = place.page_at;
        page_in_log_ = place.in_log;
        if (!read_page(page_at_, page_in_log_, page_)) return std::nullopt;
    }
    const Bytes bytes = Bytes(page_).subspan(place.offset);
    const auto head = head_of(bytes);
    const std::uint64_t on_leaf = head ? bytes_on_leaf(head->payload) : 0;
    const bool has_overflow = head && on_leaf < head->payload;
    if (!head || head->payload > bytes_ || head->payload_at + on_leaf + (has_overflow ? link_bytes : 0) > bytes.size())
        return std::nullopt;
    const Bytes local = bytes.subspan(head->payload_at, on_leaf);
    std::vector<std::byte> payload(local.begin(), local.end());
    if (has_overflow && !add_overflow(word(bytes, head->payload_at + on_leaf), head->payload, payload))
        return std::nullopt;
    return FoundRow(*head, std::move(payload));
}

}  // namespace fairstream::log::sqlite
