#pragma once
/// Rows of numbers, one for each cluster, that some clusterings give points beside their labels. Each kind of rows is
/// described once, here: the engine keeps the rows of all kinds, and says which changed.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <fairstream/models/model.hpp>

namespace fairstream {

enum class RowKind : std::uint8_t {
    memberships,  ///< how probable each cluster is (`HasMemberships`)
};

struct RowRules {
    RowKind kind;
    std::string_view name;
    std::string_view lack;                    ///< said of a model that gives points clusters and no such rows
    std::uint32_t saved_as;                   ///< field of the state of a session on a schedule
    bool (*shows)(float now);                 ///< whether a loaded number can be
    bool (*differ)(float before, float now);  ///< whether subscribers are told of the change
};
inline constexpr std::array row_rules = {
    RowRules{RowKind::memberships, "memberships", "no probabilities", 19,
             [](float now) { return now >= 0 && now <= 1 + 1e-4F; },
             // What rounding to whole per cent shows.
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

/// The functions of a model for a kind of rows; null where it gives none.
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
