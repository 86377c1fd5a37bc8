#pragma once
/// Columns of texts, such as text ids of points, in two pieces of memory.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fairstream {

/// Borrowed texts: text i is bytes [ends[i - 1], ends[i]); the first text starts at `begin`. `ends` must rise, and the
/// last one is at most `bytes.size()`.
struct TextSpan {
    std::string_view bytes = {};
    std::span<const std::uint32_t> ends = {};  ///< n
    std::uint32_t begin = 0;

    [[nodiscard]] std::size_t size() const noexcept { return ends.size(); }
    [[nodiscard]] bool empty() const noexcept { return ends.empty(); }
    [[nodiscard]] std::string_view operator[](std::size_t i) const noexcept {
        const std::uint32_t first = i == 0 ? begin : ends[i - 1];
        return bytes.substr(first, ends[i] - first);
    }
    /// Returns texts [first, first + count).
    [[nodiscard]] TextSpan subspan(std::size_t first, std::size_t count) const noexcept {
        return {bytes, ends.subspan(first, count), first == 0 ? begin : ends[first - 1]};
    }
};

/// Owned texts, at most 2^32 - 1 bytes in all.
class TextColumn {
public:
    void add(std::string_view text) {
        bytes_ += text;
        ends_.push_back(static_cast<std::uint32_t>(bytes_.size()));
    }
    void clear() noexcept { bytes_.clear(), ends_.clear(); }
    [[nodiscard]] std::size_t size() const noexcept { return ends_.size(); }
    [[nodiscard]] bool empty() const noexcept { return ends_.empty(); }
    [[nodiscard]] std::string_view operator[](std::size_t i) const noexcept { return view()[i]; }
    [[nodiscard]] TextSpan view() const noexcept { return {bytes_, ends_}; }
    bool operator==(const TextColumn&) const = default;

private:
    std::string bytes_;
    std::vector<std::uint32_t> ends_;
};

}  // namespace fairstream
