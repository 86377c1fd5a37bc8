#pragma once
/// Names of points, looked up in events and texts.

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
    /// `names` are texts for a stream with text ids, otherwise numbers. Throws `InvalidInput` (malformed) for a name
    /// that no point of the stream can have.
    PointNames(const StreamFormat& format, std::span<const std::string> names);

    /// Returns the number of points, each counted once.
    [[nodiscard]] std::size_t size() const noexcept { return names_.size(); }
    /// The removal of the points [first, first + count), in the given order.
    struct Removal {
        std::vector<PointId> ids;  ///< empty if the engine numbers texts
        TextColumn texts;          ///< empty otherwise
        [[nodiscard]] PointRemoval view() const noexcept { return {ids, texts.view()}; }
    };
    [[nodiscard]] Removal removal(std::size_t first, std::size_t count) const;

    /// Returns the name of the point in row i.
    template <class Rows> [[nodiscard]] std::string name_of(const Rows& rows, std::size_t i) const {
        return has_texts_ ? std::string(rows.id_texts[i]) : std::to_string(rows.ids[i]);
    }
    /// Returns whether row i of points, outcomes or a removal belongs to one of the points. The rows need not fit the
    /// stream.
    template <class Rows> [[nodiscard]] bool has_row(const Rows& rows, std::size_t i) const {
        if (numbers_texts_) return i < rows.id_texts.size() && texts_.contains(rows.id_texts[i]);
        return i < rows.ids.size() && ids_.contains(rows.ids[i]);
    }
    /// Returns whether a message for people names one of the points: as 'text', or as a separate number.
    [[nodiscard]] bool are_named_in(std::string_view message) const;
    /// Returns whether an unreadable message may hold one of the points.
    [[nodiscard]] bool are_in(wire::Bytes bytes) const;

private:
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>()(text); }
    };
    using Texts = std::unordered_set<std::string, Hash, std::equal_to<>>;

    bool has_texts_, numbers_texts_;
    std::vector<std::string> names_;   // names in the given order
    Texts texts_, printed_;            // texts of streams with text ids; `printed_`: as shown in messages
    std::unordered_set<PointId> ids_;  // if the engine does not number texts
};

}  // namespace fairstream::replay
