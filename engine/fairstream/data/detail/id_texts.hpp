#pragma once
/// The text ids of retained points, and the numbers given to them.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fairstream/data/detail/text_table.hpp>
#include <fairstream/data/window.hpp>

namespace fairstream {

class StateReader;
class StateWriter;

/// Keeps the text id of each retained point on a stream with text ids; does nothing on other streams.
///
/// If producers do not hash the texts, numbers them 1, 2, 3, ... as they appear in events that are not late. A text
/// keeps its number while its point is retained. No number is used twice, so ids distinguish texts in everything
/// published, however long ago a point left.
class IdTexts {
public:
    IdTexts(const StreamFormat& format, Slot capacity)
        : numbers_texts_(format.numbers_texts()),
          texts_(format.has_text_ids ? capacity : 0),
          hashes_(numbers_texts_ ? capacity : 0),
          slots_(hashes_.size()) {}

    [[nodiscard]] bool is_active() const noexcept { return !texts_.empty(); }
    /// Returns the text of the point in a slot; empty on a stream without text ids.
    [[nodiscard]] std::string_view text(Slot slot) const noexcept {
        return is_active() ? std::string_view(texts_[slot]) : std::string_view();
    }
    /// Returns the slot of the retained point with this text, on a stream whose texts are numbered.
    [[nodiscard]] std::optional<Slot> find(std::string_view text) const;

    /// Throws `InvalidInput` (repeated_id) if two texts are equal.
    static void require_different(const TextSpan& texts);
    /// Throws `InvalidInput` (id_collision) if an id of a valid batch is retained with another text.
    void require_no_collision(const Window& window, const PointBatch& batch) const;

    /// Returns the ids of the retained points with these texts, `no_point` for texts that are not retained. Valid until
    /// the next call of `ids_of` or `numbered`.
    [[nodiscard]] std::span<const PointId> ids_of(const Window& window, const TextSpan& texts);
    /// Returns the ids of the texts of the batch that the window takes in next; texts that are not retained get new
    /// numbers. Valid until the next call of `ids_of` or `numbered`.
    [[nodiscard]] std::span<const PointId> numbered(const Window& window, const TextSpan& texts);
    /// Updates the texts after a batch was applied; if texts are numbered, `numbered` must have been called for the
    /// batch.
    void note(const Window& window, const WindowChange& change, const PointBatch& batch);

    void save(StateWriter& writer, const Window& window) const;
    /// Throws `InvalidInput` (bad_state) if the texts cannot belong to this window.
    void load(StateReader& reader, const Window& window);

private:
    [[nodiscard]] Slot find(std::uint32_t hash, std::string_view text) const;
    void remove_from_table(const Window& window, const WindowChange& change);
    void add_to_table(const Window& window, const WindowChange& change);

    bool numbers_texts_;
    PointId last_number_ = 0;
    std::vector<std::string> texts_;  // by slot
    // `hashes_` and `slots_` are empty unless `numbers_texts_`.
    std::vector<std::uint32_t> hashes_;           // hash of the text of each retained point, by slot
    TextTable slots_;                             // finds the slot of a retained point by its text
    std::vector<std::uint32_t> hashes_of_batch_;  // hashes of the texts looked up last
    std::vector<PointId> ids_;                    // the ids returned last
};

}  // namespace fairstream
