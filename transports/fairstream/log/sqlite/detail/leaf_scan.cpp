#include <fairstream/log/sqlite/detail/leaf_scan.hpp>

#include <algorithm>
#include <optional>
#include <span>

#include <fairstream/log/sqlite/detail/layout.hpp>

namespace fairstream::log::sqlite {

namespace {

// The form of pages, by https://www.sqlite.org/fileformat.html, sections 1.6 and 2.1; numbers are big-endian.
constexpr std::byte leaf_kind{0x0D}, interior_kind{0x05};
constexpr std::size_t leaf_header_bytes = 8, interior_header_bytes = 12;
constexpr std::size_t cell_count_at = 3, content_begins_at = 5, last_child_at = 8;

std::size_t two_bytes(std::span<const std::byte> page, std::size_t at) {
    return std::to_integer<std::size_t>(page[at]) << 8U | std::to_integer<std::size_t>(page[at + 1]);
}

// Reads a sequence of numbers of one to nine bytes each, with seven bits in each of the first eight.
class Varints {
public:
    explicit Varints(std::span<const std::byte> bytes) : bytes_(bytes) {}

    // Returns the next number; nothing past the end.
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
    std::span<const std::byte> bytes_;
    std::size_t at_ = 0;
};

bool is_integer(std::uint64_t type) {
    return (type >= 1 && type <= 6) || type == 8 || type == 9;
}
bool is_blob(std::uint64_t type) {
    return type >= 12 && type % 2 == 0;
}
bool is_text(std::uint64_t type) {
    return type >= 13 && type % 2 == 1;
}

// Returns the sequence of the event whose row begins with these bytes; nothing if it is no row of `events`. The columns
// are sequence, which is the row's number, producer, epoch, number, checksum, decisions and message.
std::optional<Sequence> sequence_of_row(std::span<const std::byte> bytes) {
    Varints cell(bytes);
    const auto payload = cell.next(), sequence = cell.next();
    if (!payload || !sequence || *sequence == 0) return std::nullopt;
    Varints header(bytes.subspan(cell.taken()));
    const auto size = header.next();
    if (!size || *size > *payload) return std::nullopt;
    constexpr std::size_t columns = 7;
    std::uint64_t types[columns] = {};
    for (std::uint64_t& type : types) {
        const auto next = header.next();
        if (!next) return std::nullopt;
        type = *next;
    }
    const bool is_event = types[0] == 0 && is_text(types[1]) && is_integer(types[2]) && is_integer(types[3]) &&
                          is_integer(types[4]) && is_blob(types[5]) && is_blob(types[6]) && header.taken() == *size;
    return is_event ? sequence : std::nullopt;
}

// Returns a page as a leaf of `events`; nothing if it is none.
std::optional<EventLeaf> leaf_of(std::span<const std::byte> page, std::uint32_t number) {
    if (page[0] != leaf_kind) return std::nullopt;
    const std::size_t cells = two_bytes(page, cell_count_at);
    if (cells == 0 || leaf_header_bytes + 2 * cells > page.size()) return std::nullopt;
    const auto sequence_at = [&](std::size_t cell) {
        return sequence_of_row(page.subspan(two_bytes(page, leaf_header_bytes + 2 * cell)));
    };
    const auto first = sequence_at(0), last = sequence_at(cells - 1);
    if (!first || !last || *first > *last) return std::nullopt;
    return EventLeaf{number, *first, *last};
}

void put(std::uint64_t value, std::size_t bytes, std::span<std::byte> out) {
    for (std::size_t i = bytes; i-- > 0; value >>= 8U) out[i] = static_cast<std::byte>(value & 0xFFU);
}

std::vector<std::byte> varint(std::uint64_t value) {
    if (value >> 56U != 0) {
        std::vector<std::byte> bytes(9);
        bytes[8] = static_cast<std::byte>(value & 0xFFU);
        value >>= 8U;
        for (std::size_t i = 8; i-- > 0; value >>= 7U) bytes[i] = static_cast<std::byte>((value & 0x7FU) | 0x80U);
        return bytes;
    }
    std::vector<std::byte> bytes{static_cast<std::byte>(value & 0x7FU)};
    for (value >>= 7U; value > 0; value >>= 7U)
        bytes.insert(bytes.begin(), static_cast<std::byte>((value & 0x7FU) | 0x80U));
    return bytes;
}

}  // namespace

std::vector<EventLeaf> leaves_of_events(const OpenFile& file, const OpenFile* log,
                                        const std::map<std::uint32_t, std::uint64_t>& frames) {
    std::vector<EventLeaf> leaves;
    std::vector<std::byte> page(page_bytes);
    const auto in_file = static_cast<std::uint32_t>(file.status().size / page_bytes);
    const std::uint32_t last = std::max(in_file, frames.empty() ? 0 : frames.rbegin()->first);
    constexpr std::uint32_t first_of_tables = 2;  // the first page holds the tables' names
    for (std::uint32_t number = first_of_tables; number <= last; ++number) {
        const auto frame = frames.find(number);
        const bool is_in_log = frame != frames.end() && log != nullptr;
        if (!is_in_log && number > in_file) continue;
        const std::uint64_t at = is_in_log ? frame->second : std::uint64_t{number - 1} * page_bytes;
        if ((is_in_log ? *log : file).read(at, page) != page.size()) continue;
        if (const auto leaf = leaf_of(page, number)) leaves.push_back(*leaf);
    }
    std::ranges::sort(leaves, {}, &EventLeaf::first);
    std::vector<EventLeaf> apart;
    for (const EventLeaf& leaf : leaves)
        if (apart.empty() || leaf.first > apart.back().last) apart.push_back(leaf);
    return apart;
}

std::vector<std::byte> root_of(const std::vector<EventLeaf>& leaves) {
    std::vector<std::byte> page(page_bytes);
    std::size_t content = page.size();
    for (std::size_t i = 0; i + 1 < leaves.size(); ++i) {
        const std::vector<std::byte> key = varint(leaves[i].last);
        content -= sizeof(std::uint32_t) + key.size();
        put(leaves[i].page, sizeof(std::uint32_t), std::span(page).subspan(content));
        std::ranges::copy(key, page.begin() + static_cast<std::ptrdiff_t>(content + sizeof(std::uint32_t)));
        put(content, 2, std::span(page).subspan(interior_header_bytes + 2 * i));
    }
    page[0] = interior_kind;
    put(leaves.size() - 1, 2, std::span(page).subspan(cell_count_at));
    put(content, 2, std::span(page).subspan(content_begins_at));
    put(leaves.back().page, sizeof(std::uint32_t), std::span(page).subspan(last_child_at));
    return page;
}

}  // namespace fairstream::log::sqlite
