#pragma once
/// The texts that the ids of retained points stand for.

#include <string>
#include <string_view>
#include <vector>

#include <fairstream/data/window.hpp>

namespace fairstream {

class StateReader;
class StateWriter;

/// Keeps the text of each retained point, of a stream with text ids; does nothing for another. A producer makes ids of
/// texts by hashing, so two texts may have one id: the second is refused while the first is retained.
class IdTexts {
public:
    IdTexts(const StreamFormat& format, Slot capacity) : texts_(format.has_text_ids ? capacity : 0) {}

    [[nodiscard]] bool is_active() const noexcept { return !texts_.empty(); }
    /// Returns the text of the point in a slot; empty for a stream without text ids.
    [[nodiscard]] std::string_view text(Slot slot) const noexcept {
        return is_active() ? std::string_view(texts_[slot]) : std::string_view();
    }
    /// Throws `InvalidInput` (id_collision) for a point of a valid batch whose id is retained with another text.
    void validate(const Window& window, const PointBatch& batch) const;
    /// Keeps what is needed of a batch that was applied.
    void note(const Window& window, const WindowChange& change, const PointBatch& batch);

    void save(StateWriter& writer, const Window& window) const;
    /// Throws `InvalidInput` (bad_state) for texts that are not those of this window.
    void load(StateReader& reader, const Window& window);

private:
    std::vector<std::string> texts_;  // by slot
};

}  // namespace fairstream
