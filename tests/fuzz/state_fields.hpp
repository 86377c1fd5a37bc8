#pragma once
/// The fields of a saved engine as a tree, so that a value can be changed with the surrounding lengths kept correct.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

namespace fairstream::fuzz {

/// A field as written by state/archive.hpp: tag, length, value. Whether a value holds further fields is not recorded; a
/// value that can be read as fields counts as such.
struct Field {
    std::uint32_t tag = 0;
    std::vector<std::byte> value;  ///< of a field without `fields`
    std::vector<Field> fields;
};

/// Returns nothing if the bytes are not fields from end to end.
[[nodiscard]] inline std::optional<std::vector<Field>> read_fields(std::span<const std::byte> bytes) {
    constexpr std::uint32_t highest_tag = 4096;
    std::vector<Field> fields;
    while (!bytes.empty()) {
        std::uint32_t tag = 0;
        std::uint64_t length = 0;
        constexpr std::size_t head = sizeof tag + sizeof length;
        if (bytes.size() < head) return std::nullopt;
        std::memcpy(&tag, bytes.data(), sizeof tag);
        std::memcpy(&length, bytes.data() + sizeof tag, sizeof length);
        bytes = bytes.subspan(head);
        if (tag > highest_tag || length > bytes.size()) return std::nullopt;
        Field& field = fields.emplace_back(Field{tag, {}, {}});
        const auto value = bytes.first(static_cast<std::size_t>(length));
        if (auto inner = read_fields(value); inner && !inner->empty())
            field.fields = std::move(*inner);
        else
            field.value.assign(value.begin(), value.end());
        bytes = bytes.subspan(value.size());
    }
    return fields;
}

[[nodiscard]] inline std::vector<std::byte> write_fields(const std::vector<Field>& fields) {
    std::vector<std::byte> bytes;
    const auto append = [&](const void* data, std::size_t size) {
        const auto* first = static_cast<const std::byte*>(data);
        bytes.insert(bytes.end(), first, first + size);
    };
    for (const Field& field : fields) {
        const std::vector<std::byte> value = field.fields.empty() ? field.value : write_fields(field.fields);
        const std::uint64_t length = value.size();
        append(&field.tag, sizeof field.tag);
        append(&length, sizeof length);
        if (!value.empty()) append(value.data(), value.size());
    }
    return bytes;
}

/// Lists the fields at every depth; `values` have no fields of their own.
inline void list_fields(std::vector<Field>& fields, std::vector<Field*>& values, std::vector<Field*>& branches) {
    for (Field& field : fields) {
        (field.fields.empty() ? values : branches).push_back(&field);
        list_fields(field.fields, values, branches);
    }
}

}  // namespace fairstream::fuzz
