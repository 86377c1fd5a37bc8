#pragma once
/// Rows of numbers, one per cluster, that some clusterings give points besides their labels. Each kind of rows is
/// described once, here; the engine keeps the rows of all kinds and determines which changed.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <fairstream/models/model.hpp>

namespace fairstream {

enum class RowKind : std::uint8_t {
    memberships,  ///< probability of each cluster (`HasMemberships`)
};

struct RowRules {
    RowKind kind;
    std::string_view name;
    std::string_view lack;                    ///< message for a clustering without these rows
    std::uint32_t saved_as;                   ///< field in the state of a session with a schedule
    bool (*shows)(float now);                 ///< whether a loaded number is possible
    bool (*differ)(float before, float now);  ///< whether subscribers are told of the change
};
inline constexpr std::array row_rules = {
    RowRules{RowKind::memberships, "memberships", "no probabilities", 19,
             [](float now) { return now >= 0 && now <= 1 + 1e-4F; },
             // Subscribers see changes of the value rounded to whole per cent.
             [](float before, float now) { return std::lround(100 * before) != std::lround(100 * now); }},
};

[[nodiscard]] constexpr const RowRules& rules_of(RowKind kind) noexcept {
    return row_rules[static_cast<std::size_t>(kind)];
}

/// A value for each kind of rows.
template <class T> struct ByRowKind {
    std::array<T, row_rules.size()> all{};
    [[nodiscard]] T& operator[](RowKind kind) noexcept { return all[static_cast<std::size_t>(kind)]; }
    [[nodiscard]] const T& operator[](RowKind kind) const noexcept { return all[static_cast<std::size_t>(kind)]; }
};

/// The functions of a model for a kind of rows; null if it has none.
template <class M> struct RowFunctions {
    Matrix (*retained)(const typename M::Options&, const typename M::State&) = nullptr;
    void (*predict)(const typename M::Options&, const typename M::State&, ConstRows, std::span<float>) = nullptr;
};
template <class M> [[nodiscard]] constexpr RowFunctions<M> row_functions([[maybe_unused]] RowKind kind) noexcept {
    if constexpr (HasMemberships<M>)
        if (kind == RowKind::memberships) return {M::memberships, M::predict_memberships};
    return {};
}

}  // namespace fairstream
