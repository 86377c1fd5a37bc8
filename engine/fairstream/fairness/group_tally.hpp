#pragma once
/// Counts and weights of predictions by group and intersection of groups: the state behind `GroupMetrics`.

#include <cstdint>
#include <span>
#include <vector>

#include <fairstream/base/types.hpp>
#include <fairstream/data/point_batch.hpp>
#include <fairstream/fairness/group_metrics.hpp>
#include <fairstream/fairness/tally.hpp>

namespace fairstream {

/// Attributes, as indices of the stream's, whose groups are intersected; one: the groups of one attribute.
using AttributeSet = std::vector<int>;

/// The sets of `attributes` with at most `most` of them: single ones, pairs, and so on.
[[nodiscard]] std::vector<AttributeSet> attribute_sets(std::span<const int> attributes, int most);
/// The groups of all sets together, intersections without points included; at most `limit` + 1 is said.
[[nodiscard]] std::uint64_t group_count(const StreamFormat& format, std::span<const AttributeSet> sets,
                                        std::uint64_t limit);

/// How a tally is measured.
struct GroupMeasure {
    std::int64_t least_points = 1;  ///< below which a rate is given but not compared, at least 1
    double parity_at_most = 0;      ///< bounds of the differences of demographic parity and equalised odds; 0: none
    double odds_at_most = 0;
};

/// Points to be added to a tally, or removed; columns, of which weights and targets may be empty.
struct JudgedPoints {
    std::span<const float> predictions;    ///< n
    std::span<const GroupId> groups;       ///< n x a, of all attributes of the stream
    std::span<const float> targets = {};   ///< n, above 0: positive, NaN: not known; empty: none is known
    std::span<const double> weights = {};  ///< n; empty: 1 each
};

/// A value: copy it, compare it. `add` and `remove` are inverses, exact as those of `FairnessTally`; they cost O(sets)
/// for a point.
class GroupTally {
public:
    GroupTally() = default;
    /// Counts by `bins` bins of equal width of the predictions in [0, 1].
    GroupTally(const StreamFormat& format, std::span<const AttributeSet> sets, int bins);

    /// A prediction of at least `threshold`, as float32, selects its point.
    void add(const JudgedPoints& points, double threshold) { book(points, threshold, true); }
    void remove(const JudgedPoints& points, double threshold) { book(points, threshold, false); }
    [[nodiscard]] std::int64_t points() const noexcept { return decisions_.total(); }

    /// Measures what is in; a point of weight 1 weighs `unit` here. The format is that of the start.
    [[nodiscard]] GroupMetrics measure(const StreamFormat& format, const GroupMeasure& how, double unit) const;

    bool operator==(const GroupTally&) const = default;
    /// Says whether both have the same shape; safe for a tally loaded from damaged bytes.
    [[nodiscard]] bool same_shape(const GroupTally& other) const noexcept;
    /// Says whether both count the same points, and their weights differ by no more than rounding.
    [[nodiscard]] bool counts_the_same(const GroupTally& other) const noexcept;

    template <class Self, class Archive> static void fields(Self& self, Archive& archive) {
        archive(1, self.decisions_);
        archive(2, self.outcomes_);
        archive(3, self.predicted_);
    }

private:
    void book(const JudgedPoints& points, double threshold, bool adds);
    [[nodiscard]] int bins() const noexcept { return predicted_.clusters(); }

    // The attributes of these tallies are the sets.
    FairnessTally decisions_;  // by selected and outcome
    FairnessTally outcomes_;   // of points with an outcome: by bin and positive or not; last, outside of all bins
    FairnessTally predicted_;  // of the same points in bins: by bin, each with its weight times its prediction
    // Follow from the options and the format, and so are not saved.
    std::vector<AttributeSet> sets_;
    std::vector<int> group_counts_;  // of the stream's attributes
};

}  // namespace fairstream
