#pragma once
/// The visible scores or predictions by group, kept up to date as they and the points change.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <fairstream/base/types.hpp>
#include <fairstream/data/window.hpp>
#include <fairstream/fairness/score_tally.hpp>

namespace fairstream::core {

/// Throws `InvalidInput` (bad_option) unless points of this format have targets, which scores are learned from and
/// evaluated against.
void require_targets(const StreamFormat& format, std::string_view model);

/// Throws `InvalidInput` (bad_state) unless there are at most `points` scores, each finite or `no_score`.
void verify_scores(std::span<const Score> scores, std::size_t points);

/// Keeps a tally of the visible scores. The tally can be computed from them, so it is not part of a saved state.
class ScoreBook {
public:
    /// Groups are those of `attribute`; on a stream without attributes all points are one group.
    ScoreBook(const StreamFormat& format, int attribute);

    /// Updates the tally to `scores`, by slot, of the points now in `window`; slots beyond `scores` have no score.
    void update_to(const Window& window, std::span<const Score> scores);
    /// Returns the tally with all changes applied.
    [[nodiscard]] const ScoreTally& tally() const noexcept { return *tally_; }
    /// Returns the present tally for use on any thread; the next change is made to a copy.
    [[nodiscard]] std::shared_ptr<const ScoreTally> share() const noexcept {
        is_shared_ = true;
        return tally_;
    }

private:
    // Entry of a slot in the tally.
    struct Row {
        Score score = no_score;
        GroupId group = 0;
        float target = 0;
        double weight = 1;
        bool operator==(const Row&) const = default;
    };
    [[nodiscard]] Row row(const Window& window, std::span<const Score> scores, Slot slot) const noexcept;
    void add(const Row& row);
    void remove(const Row& row);

    int attribute_;  // -1: none
    std::shared_ptr<ScoreTally> tally_;
    mutable bool is_shared_ = false;  // whether others may hold the tally
    std::vector<Row> rows_;           // by slot
    std::vector<Slot> moved_;         // scratch
};

}  // namespace fairstream::core
