#pragma once
/// Counts and weights of predictions by group and by intersection of groups: the state behind `GroupMetrics`.

#include <cstdint>
#include <span>
#include <vector>

#include <fairstream/base/types.hpp>
#include <fairstream/data/point_batch.hpp>
#include <fairstream/fairness/group_metrics.hpp>
#include <fairstream/fairness/tally.hpp>

namespace fairstream {

/// Attributes whose groups are intersected, as indices of the stream's attributes; a single one: the groups of one
/// attribute.
using AttributeSet = std::vector<int>;

/// Returns the sets of at most `most` of `attributes`: single ones, pairs, and so on.
[[nodiscard]] std::vector<AttributeSet> attribute_sets(std::span<const int> attributes, int most);
/// Returns the number of groups of all sets together, intersections without points included; counts up to `limit` + 1.
[[nodiscard]] std::uint64_t group_count(const StreamFormat& format, std::span<const AttributeSet> sets,
                                        std::uint64_t limit);

/// Parameters of the measurement of a tally.
struct GroupMeasure {
    std::int64_t least_points = 1;  ///< a rate of fewer points is given but not compared; at least 1
    double parity_at_most = 0;      ///< bound of the difference of demographic parity, then of equalised odds; 0: none
    double odds_at_most = 0;
};

/// Points to add to a tally, or to remove, in columns; weights and targets may be empty.
struct JudgedPoints {
    std::span<const float> predictions;    ///< n
    std::span<const GroupId> groups;       ///< n x a, for all attributes of the stream
    std::span<const float> targets = {};   ///< n; above 0: positive, NaN: not known; empty: none is known
    std::span<const double> weights = {};  ///< n; empty: 1 each
};

/// A value type. `add` and `remove` are inverses, as exact as the functions of `FairnessTally`; they cost O(sets) per
/// point.
class GroupTally {
public:
    GroupTally() = default;
    /// Counts predictions by `bins` bins of equal width in [0, 1].
    GroupTally(const StreamFormat& format, std::span<const AttributeSet> sets, int bins);

    /// Add or remove points. A prediction of at least `threshold`, rounded to float32, selects its point.
    void add(const JudgedPoints& points, double threshold) { update(points, threshold, true); }
    void remove(const JudgedPoints& points, double threshold) { update(points, threshold, false); }
    [[nodiscard]] std::int64_t points() const noexcept { return decisions_.total(); }

    /// Measures the present points; a point of weight 1 has weight `unit` here. `format` must be the one given to the
    /// constructor.
    [[nodiscard]] GroupMetrics measure(const StreamFormat& format, const GroupMeasure& how, double unit) const;

    bool operator==(const GroupTally&) const = default;
    /// Returns whether both have the same shape; safe for a tally loaded from damaged bytes.
    [[nodiscard]] bool same_shape(const GroupTally& other) const noexcept;
    /// Returns whether both count the same points with the same weights up to rounding.
    [[nodiscard]] bool counts_same_points(const GroupTally& other) const noexcept;

    template <class Self, class Archive> static void fields(Self& self, Archive& archive) {
        archive(1, self.decisions_);
        archive(2, self.outcomes_);
        archive(3, self.predicted_);
    }

private:
    void update(const JudgedPoints& points, double threshold, bool adds);
    [[nodiscard]] int bins() const noexcept { return predicted_.clusters(); }

    // Each set of attributes is one attribute of these tallies.
    FairnessTally decisions_;  // all points: by selection and outcome
    FairnessTally outcomes_;   // points with an outcome: by bin, positive or not; the last bin is for predictions
                               // outside of all bins
    FairnessTally predicted_;  // points with an outcome, in bins: weight times prediction
    // The members below follow from the options and the format, and are not saved.
    std::vector<AttributeSet> sets_;
    std::vector<int> group_counts_;  // numbers of groups of the stream's attributes
};

}  // namespace fairstream
