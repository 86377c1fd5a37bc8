#include <fairstream/core/detail/score_book.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <fairstream/base/archive.hpp>

namespace fairstream::core {

void require_targets(const StreamFormat& format, std::string_view model) {
    if (!format.has_targets)
        throw InvalidInput(Reason::bad_option, "model " + std::string(model) +
                                                   " learns scores from targets, and the stream has none: add targets");
}

void verify_scores(std::span<const Score> scores, std::size_t points) {
    if (scores.size() > points)
        StateReader::fail(std::to_string(scores.size()) + " scores for " + std::to_string(points) + " points");
    const auto bad = std::ranges::find_if(scores, [](Score s) { return !std::isfinite(s) && s != no_score; });
    if (bad != scores.end()) StateReader::fail("a score is " + std::to_string(*bad) + ", which is out of range");
}

namespace {

ScoreTally empty_tally_of(const StreamFormat& format, int attribute) {
    if (attribute < 0) return ScoreTally(1);
    const Attribute& of = format.attributes[static_cast<std::size_t>(attribute)];
    return {of.groups.size(), of.known_groups()};
}

}  // namespace

ScoreBook::ScoreBook(const StreamFormat& format, int attribute)
    : attribute_(format.attributes.empty() ? -1 : attribute),
      tally_(std::make_shared<ScoreTally>(empty_tally_of(format, attribute_))) {}

void ScoreBook::update_to(const Window& window, std::span<const Score> scores) {
    moved_.clear();
    for (Slot slot = 0; slot < window.size(); ++slot)
        if ((slot < rows_.size() ? rows_[slot] : Row()) != row(window, scores, slot)) moved_.push_back(slot);
    if (moved_.empty() && rows_.size() == window.size()) return;
    if (std::exchange(is_shared_, false)) tally_ = std::make_shared<ScoreTally>(*tally_);
    for (std::size_t slot = window.size(); slot < rows_.size(); ++slot) remove(rows_[slot]);
    rows_.resize(window.size());
    // A changed entry is sorted twice, when removed and when added; rebuilding sorts every entry once.
    const bool anew = 2 * moved_.size() > rows_.size();
    if (anew) {
        tally_->clear();
        for (Slot slot = 0; slot < window.size(); ++slot) add(rows_[slot] = row(window, scores, slot));
    } else {
        for (const Slot slot : moved_) {
            remove(rows_[slot]);
            add(rows_[slot] = row(window, scores, slot));
        }
    }
    tally_->settle();
}

ScoreBook::Row ScoreBook::row(const Window& window, std::span<const Score> scores, Slot slot) const noexcept {
    const GroupId group = attribute_ < 0 ? GroupId{0} : window.group(slot, static_cast<std::uint32_t>(attribute_));
    return {slot < scores.size() ? scores[slot] : no_score, group,
            window.format().has_targets ? window.target(slot) : 0.0F, window.weight(slot)};
}

void ScoreBook::add(const Row& row) {
    tally_->add(row.score, row.group, row.target, row.weight);
}

void ScoreBook::remove(const Row& row) {
    tally_->remove(row.score, row.group, row.target, row.weight);
}

}  // namespace fairstream::core
