#include <fairstream/data/detail/id_texts.hpp>

#include <fairstream/base/archive.hpp>
#include <fairstream/base/printable.hpp>

namespace fairstream {

void IdTexts::validate(const Window& window, const PointBatch& batch) const {
    if (!is_active()) return;
    for (std::size_t i = 0; i < batch.size(); ++i) {
        const std::optional<Slot> slot = window.find(batch.ids[i]);
        if (!slot || texts_[*slot] == batch.id_texts[i]) continue;
        throw InvalidInput(Reason::id_collision, "id '" + printable(batch.id_texts[i]) + "' has the number " +
                                                     std::to_string(batch.ids[i]) + ", as the retained point '" +
                                                     printable(texts_[*slot]) + "' has: one of them needs another id");
    }
}

void IdTexts::note(const Window& window, const WindowChange& change, const PointBatch& batch) {
    if (!is_active()) return;
    for (const SlotMove& move : change.moved) texts_[move.to] = std::move(texts_[move.from]);
    for (std::size_t i = 0; i < change.written.size(); ++i)
        if (const std::uint32_t row = window.source(i); row != Window::no_row)
            texts_[change.written[i]] = batch.id_texts[row];
    for (std::size_t slot = window.size(); slot < texts_.size() && !texts_[slot].empty(); ++slot) texts_[slot].clear();
}

void IdTexts::save(StateWriter& writer, const Window& window) const {
    writer(1, std::vector<std::string>(texts_.begin(), texts_.begin() + static_cast<std::ptrdiff_t>(window.size())));
}

void IdTexts::load(StateReader& reader, const Window& window) {
    std::vector<std::string> texts;
    reader(1, texts);
    if (texts.size() != window.size()) StateReader::fail("texts of ids: their number is not that of the points");
    for (const std::string& text : texts)
        if (text.empty() || text.size() > longest_id_text) StateReader::fail("texts of ids: one is empty or too long");
    std::ranges::move(texts, texts_.begin());
}

}  // namespace fairstream
