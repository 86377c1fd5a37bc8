#pragma once
/// The texts that the ids of retained points stand for, and the numbers that these texts get.

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

/// Keeps the text of each retained point, of a stream with text ids; does nothing for another.
///
/// Numbers its texts where producers do not hash them: 1, 2, 3, ... as they appear in events that are not late. A text
/// keeps its number as long as its point is retained. No number is given twice, so that ids tell one text from another
/// in all that is published, however long ago it left.
class IdTexts {
public:
    IdTexts(const StreamFormat& format, Slot capacity)
        : numbers_texts_(format.numbers_texts()),
          texts_(format.has_text_ids ? capacity : 0),
          hashes_(numbers_texts_ ? capacity : 0),
          slots_(hashes_.size()) {}

    [[nodiscard]] bool is_active() const noexcept { return !texts_.empty(); }
    /// Returns the text of the point in a slot; empty for a stream without text ids.
    [[nodiscard]] std::string_view text(Slot slot) const noexcept {
        return is_active() ? std::string_view(texts_[slot]) : std::string_view();
    }
    /// Returns the slot of the retained point with this text, of a stream whose texts are numbered.
    [[nodiscard]] std::optional<Slot> find(std::string_view text) const;

    /// Throws `InvalidInput` (repeated_id) for a text that is there twice.
    static void require_different(const TextSpan& texts);
    /// Throws `InvalidInput` (id_collision) for a point of a valid batch whose id is retained with another text.
    void require_no_collision(const Window& window, const PointBatch& batch) const;

    /// Returns the ids of the retained points with these texts, and `no_point` for others; valid until the next call of
    /// this or of `numbered`.
    [[nodiscard]] std::span<const PointId> ids_of(const Window& window, const TextSpan& texts);
    /// Returns the ids of the texts of a batch that the window takes in next; those without a retained point get new
    /// numbers. Valid as above.
    [[nodiscard]] std::span<const PointId> numbered(const Window& window, const TextSpan& texts);
    /// Keeps what is needed of a batch that was applied, after `numbered` where texts are.
    void note(const Window& window, const WindowChange& change, const PointBatch& batch);

    void save(StateWriter& writer, const Window& window) const;
    /// Throws `InvalidInput` (bad_state) for texts that are not those of this window.
    void load(StateReader& reader, const Window& window);

private:
    [[nodiscard]] Slot find(std::uint32_t hash, std::string_view text) const;
    void leave_table(const Window& window, const WindowChange& change);
    void enter_table(const Window& window, const WindowChange& change);

    bool numbers_texts_;
    PointId last_number_ = 0;
    std::vector<std::string> texts_;  // by slot
    // Both are empty unless this numbers texts.
    std::vector<std::uint32_t> hashes_;           // of the text of each retained point, by slot
    TextTable slots_;                             // finds the slot of a retained point by its text
    std::vector<std::uint32_t> hashes_of_batch_;  // of the texts that were looked up last
    std::vector<PointId> ids_;                    // that were returned last
};

}  // namespace fairstream
