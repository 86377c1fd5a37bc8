#include <fairstream/data/detail/id_texts.hpp>

#include <algorithm>

#include <fairstream/base/archive.hpp>
#include <fairstream/base/printable.hpp>

namespace fairstream {

Slot IdTexts::find(std::uint32_t hash, std::string_view text) const {
    return slots_.find(hash, text, [&](Slot slot) { return std::string_view(texts_[slot]); });
}

std::optional<Slot> IdTexts::find(std::string_view text) const {
    const Slot slot = find(TextTable::hash(text), text);
    return slot == TextTable::none ? std::nullopt : std::optional(slot);
}

void IdTexts::require_different(const TextSpan& texts) {
    TextTable rows(texts.size());
    for (std::uint32_t row = 0; row < texts.size(); ++row) {
        const std::string_view text = texts[row];
        const std::uint32_t hash = TextTable::hash(text);
        if (rows.find(hash, text, [&](std::uint32_t other) { return texts[other]; }) != TextTable::none)
            throw InvalidInput(Reason::repeated_id, "id '" + printable(text) + "' comes twice in one event");
        rows.insert(hash, text, row);
    }
}

void IdTexts::require_no_collision(const Window& window, const PointBatch& batch) const {
    if (!is_active()) return;
    for (std::size_t i = 0; i < batch.size(); ++i) {
        const std::optional<Slot> slot = window.find(batch.ids[i]);
        if (!slot || texts_[*slot] == batch.id_texts[i]) continue;
        throw InvalidInput(Reason::id_collision, "id '" + printable(batch.id_texts[i]) + "' has the number " +
                                                     std::to_string(batch.ids[i]) + ", which the retained point '" +
                                                     printable(texts_[*slot]) +
                                                     "' has too: give one of the two another id");
    }
}

std::span<const PointId> IdTexts::ids_of(const Window& window, const TextSpan& texts) {
    hashes_of_batch_.resize(texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) {
        hashes_of_batch_[i] = TextTable::hash(texts[i]);
        slots_.prefetch(hashes_of_batch_[i]);
    }
    ids_.resize(texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const Slot slot = find(hashes_of_batch_[i], texts[i]);
        ids_[i] = slot == TextTable::none ? no_point : window.id(slot);
    }
    return ids_;
}

std::span<const PointId> IdTexts::numbered(const Window& window, const TextSpan& texts) {
    (void)ids_of(window, texts);
    for (PointId& id : ids_)
        if (id == no_point) id = ++last_number_;
    return ids_;
}

namespace {

/// Returns whether a written slot still holds the same point, with new values.
bool holds_same_point(const Window& window, const WindowChange& change, std::size_t written) {
    const Slot slot = change.written[written];
    return slot < window.size() && change.replaced.ids[written] == window.id(slot);
}

}  // namespace

/// Removes from the table the texts that slots held before a change.
void IdTexts::remove_from_table(const Window& window, const WindowChange& change) {
    const auto held = [&](std::size_t i) {
        return change.replaced.ids[i] != no_point && !holds_same_point(window, change, i);
    };
    for (std::size_t i = 0; i < change.written.size(); ++i)
        if (held(i)) slots_.prefetch(hashes_[change.written[i]]);
    for (std::size_t i = 0; i < change.written.size(); ++i)
        if (held(i)) slots_.erase(hashes_[change.written[i]], texts_[change.written[i]], change.written[i]);
}

/// Adds to the table the texts that slots hold after a change.
void IdTexts::add_to_table(const Window& window, const WindowChange& change) {
    for (const SlotMove& move : change.moved) hashes_[move.to] = hashes_[move.from];
    for (std::size_t i = 0; i < change.written.size(); ++i) {
        const Slot slot = change.written[i];
        if (slot >= window.size() || holds_same_point(window, change, i)) continue;
        if (const std::uint32_t row = window.source(i); row != Window::no_row) hashes_[slot] = hashes_of_batch_[row];
        slots_.insert(hashes_[slot], texts_[slot], slot);
    }
}

void IdTexts::note(const Window& window, const WindowChange& change, const PointBatch& batch) {
    if (!is_active()) return;
    if (numbers_texts_) remove_from_table(window, change);
    for (const SlotMove& move : change.moved) texts_[move.to] = std::move(texts_[move.from]);
    for (std::size_t i = 0; i < change.written.size(); ++i)
        if (const std::uint32_t row = window.source(i); row != Window::no_row)
            texts_[change.written[i]] = batch.id_texts[row];
    for (std::size_t slot = window.size(); slot < texts_.size() && !texts_[slot].empty(); ++slot) texts_[slot].clear();
    if (numbers_texts_) add_to_table(window, change);
}

void IdTexts::save(StateWriter& writer, const Window& window) const {
    writer(1, std::vector<std::string>(texts_.begin(), texts_.begin() + static_cast<std::ptrdiff_t>(window.size())));
    if (numbers_texts_) writer(2, last_number_);
}

void IdTexts::load(StateReader& reader, const Window& window) {
    std::vector<std::string> texts;
    reader(1, texts);
    if (texts.size() != window.size())
        StateReader::fail("texts of ids: their number differs from the number of points");
    if (numbers_texts_) reader(2, last_number_);
    if (last_number_ > no_point / 2) StateReader::fail("texts of ids: the last number is out of range");
    for (Slot slot = 0; slot < texts.size(); ++slot) {
        std::string& text = texts[slot];
        if (text.empty() || text.size() > longest_id_text) StateReader::fail("texts of ids: one is empty or too long");
        if (numbers_texts_ && find(text)) StateReader::fail("texts of ids: two points have the same text");
        if (numbers_texts_ && (window.id(slot) == 0 || window.id(slot) > last_number_))
            StateReader::fail("texts of ids: a text has a number that was not assigned yet");
        texts_[slot] = std::move(text);
        if (!numbers_texts_) continue;
        hashes_[slot] = TextTable::hash(texts_[slot]);
        slots_.insert(hashes_[slot], texts_[slot], slot);
    }
}

}  // namespace fairstream
