#pragma once
/// Points by what a stream knows them by, looked up in events and texts.

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include <fairstream/core/events.hpp>
#include <fairstream/data/point_batch.hpp>
#include <fairstream/wire/messages.hpp>

namespace fairstream::replay {

class PointNames {
public:
    /// `names` are texts of a stream with text ids, otherwise numbers. Throws `InvalidInput` (malformed) for a name
    /// that no point of the stream can have.
    PointNames(const StreamFormat& format, std::span<const std::string> names);

    /// Number of points, each counted once.
    [[nodiscard]] std::size_t size() const noexcept { return names_.size(); }
    /// Returns the removal of the points [first, first + count) in the order in which they were given.
    struct Removal {
        std::vector<PointId> ids;  ///< empty where the engine numbers texts
        TextColumn texts;          ///< empty elsewhere
        [[nodiscard]] PointRemoval view() const noexcept { return {ids, texts.view()}; }
    };
    [[nodiscard]] Removal removal(std::size_t first, std::size_t count) const;

    /// Returns the name of row i of points of the stream.
    template <class Rows> [[nodiscard]] std::string name_of(const Rows& rows, std::size_t i) const {
        return has_texts_ ? std::string(rows.id_texts[i]) : std::to_string(rows.ids[i]);
    }
    /// Says whether row i of points, outcomes or a removal, which need not be such of the stream, is of one of them.
    template <class Rows> [[nodiscard]] bool has_row(const Rows& rows, std::size_t i) const {
        if (numbers_texts_) return i < rows.id_texts.size() && texts_.contains(rows.id_texts[i]);
        return i < rows.ids.size() && ids_.contains(rows.ids[i]);
    }
    /// Says whether a message for people names one of them: as 'text', or as a number of its own.
    [[nodiscard]] bool are_named_in(std::string_view message) const;
    /// Says whether bytes that cannot be read as a message hold one of them.
    [[nodiscard]] bool are_in(wire::Bytes bytes) const;

private:
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>()(text); }
    };
    using Texts = std::unordered_set<std::string, Hash, std::equal_to<>>;

    bool has_texts_, numbers_texts_;
    std::vector<std::string> names_;   // in order
    Texts texts_, printed_;            // of streams with text ids; printed: as messages show them
    std::unordered_set<PointId> ids_;  // where the engine does not number texts
};

}  // namespace fairstream::replay
