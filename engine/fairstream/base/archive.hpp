#pragma once
/// Serialisation of states: tag, length and value of each field, in the order of the type's `fields`. Little-endian
/// machines only.
///
/// A type takes part by `template <class Self, class Archive> static void fields(Self& self, Archive& archive)` with
/// one line `archive(tag, self.member)` per field; tags are never reused. Equal values give equal bytes.

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <fairstream/base/types.hpp>

namespace fairstream {

static_assert(std::endian::native == std::endian::little,
              "states are written in the machine's byte order, which must be little-endian");

class StateWriter;
class StateReader;

template <class T>
concept HasFields = requires(const T& value, StateWriter& writer) {
    T::fields(value, writer);
};

template <class T>
concept Plain = std::is_arithmetic_v<T> || std::is_enum_v<T>;

class StateWriter {
public:
    template <class T> void operator()(std::uint32_t tag, const T& value) {
        put(tag);
        const std::size_t length_at = bytes_.size();
        put(std::uint64_t{0});
        write(value);
        const std::uint64_t length = bytes_.size() - length_at - sizeof(std::uint64_t);
        std::memcpy(&bytes_[length_at], &length, sizeof length);
    }
    /// Writes a field that was added later. It is left out while it has its default: bytes without the field mean the
    /// default.
    template <class T> void later(std::uint32_t tag, const T& value) {
        if constexpr (std::equality_comparable<T>)
            if (value == T{}) return;
        (*this)(tag, value);
    }
    /// Writes the output of `fill(writer)` as one field.
    template <class Fill> void nested(std::uint32_t tag, Fill&& fill) { (*this)(tag, Nested<Fill>{fill}); }
    void reserve(std::size_t bytes) { bytes_.reserve(bytes); }
    [[nodiscard]] std::vector<std::byte> take() { return std::move(bytes_); }

private:
    template <class Fill> struct Nested { Fill& fill; };

    template <class T> void put(const T& value) { append(&value, sizeof value); }
    void append(const void* data, std::size_t size) {
        if (size == 0) return;
        const auto* first = static_cast<const std::byte*>(data);
        bytes_.insert(bytes_.end(), first, first + size);
    }

    template <class T> void write(const T& value) {
        if constexpr (HasFields<T>)
            T::fields(value, *this);
        else
            write_value(value);
    }
    template <class Fill> void write_value(const Nested<Fill>& nested) { nested.fill(*this); }
    template <Plain T> void write_value(const T& value) { put(value); }
    template <Plain T, std::size_t N> void write_value(const std::array<T, N>& values) {
        append(values.data(), sizeof values);
    }
    template <Plain T> void write_value(const std::vector<T>& values) {
        append(values.data(), values.size() * sizeof(T));
    }
    template <Plain T> void write_value(std::span<const T> values) { append(values.data(), values.size_bytes()); }
    void write_value(const std::string& text) { append(text.data(), text.size()); }
    template <class T> void write_value(const std::vector<T>& values) {
        for (std::size_t i = 0; i < values.size(); ++i) (*this)(static_cast<std::uint32_t>(i), values[i]);
    }

    std::vector<std::byte> bytes_;
};

/// Reads the bytes of a `StateWriter`. Throws `InvalidInput` (bad_state) for any other bytes.
class StateReader {
public:
    explicit StateReader(std::span<const std::byte> bytes) {
        while (!bytes.empty()) {
            std::uint32_t tag = 0;
            std::uint64_t length = 0;
            if (bytes.size() < sizeof tag + sizeof length) fail("the state ends inside a field");
            std::memcpy(&tag, bytes.data(), sizeof tag);
            std::memcpy(&length, bytes.data() + sizeof tag, sizeof length);
            bytes = bytes.subspan(sizeof tag + sizeof length);
            if (length > bytes.size()) fail("field " + std::to_string(tag) + " is longer than the rest of the state");
            fields_.push_back({tag, bytes.first(length)});
            bytes = bytes.subspan(length);
        }
    }

    template <class T> void operator()(std::uint32_t tag, T& value) { read(tag, field(tag), value); }
    /// Reads a field that was added later; `value` is unchanged if the bytes do not have it.
    template <class T> void later(std::uint32_t tag, T& value) {
        if (has(tag)) (*this)(tag, value);
    }
    [[nodiscard]] bool has(std::uint32_t tag) const {
        return std::ranges::any_of(fields_, [&](const Field& candidate) { return candidate.tag == tag; });
    }
    [[nodiscard]] StateReader nested(std::uint32_t tag) { return StateReader(field(tag)); }
    [[noreturn]] static void fail(const std::string& what) {
        throw InvalidInput(Reason::bad_state, "saved state: " + what);
    }

private:
    struct Field {
        std::uint32_t tag;
        std::span<const std::byte> bytes;
    };

    [[nodiscard]] std::span<const std::byte> field(std::uint32_t tag) const {
        for (const Field& candidate : fields_)
            if (candidate.tag == tag) return candidate.bytes;
        fail("field " + std::to_string(tag) + " is missing");
    }
    template <class T> static void read(std::uint32_t tag, std::span<const std::byte> bytes, T& value) {
        if constexpr (HasFields<T>) {
            StateReader inner(bytes);
            T::fields(value, inner);
        } else {
            read_value(tag, bytes, value);
        }
    }
    static void expect(bool holds, std::uint32_t tag) {
        if (!holds) fail("field " + std::to_string(tag) + " has the wrong length");
    }
    template <Plain T> static void read_value(std::uint32_t tag, std::span<const std::byte> bytes, T& value) {
        expect(bytes.size() == sizeof value, tag);
        if constexpr (std::is_same_v<T, bool>)
            value = bytes[0] != std::byte{0};
        else
            std::memcpy(&value, bytes.data(), sizeof value);
    }
    template <Plain T, std::size_t N>
    static void read_value(std::uint32_t tag, std::span<const std::byte> bytes, std::array<T, N>& values) {
        expect(bytes.size() == sizeof values, tag);
        std::memcpy(values.data(), bytes.data(), sizeof values);
    }
    template <Plain T>
    static void read_value(std::uint32_t tag, std::span<const std::byte> bytes, std::vector<T>& values) {
        expect(bytes.size() % sizeof(T) == 0, tag);
        values.resize(bytes.size() / sizeof(T));
        if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
    }
    static void read_value(std::uint32_t, std::span<const std::byte> bytes, std::string& text) {
        text.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }
    template <class T> static void read_value(std::uint32_t, std::span<const std::byte> bytes, std::vector<T>& values) {
        StateReader inner(bytes);
        values.clear();
        values.resize(inner.fields_.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
            expect(inner.fields_[i].tag == i, static_cast<std::uint32_t>(i));
            read(static_cast<std::uint32_t>(i), inner.fields_[i].bytes, values[i]);
        }
    }

    std::vector<Field> fields_;
};

}  // namespace fairstream
