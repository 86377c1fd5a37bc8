#pragma once
/// Preparation of a stream's features for the models: scaling, clipping, filling in of missing values, and splitting of
/// categories into columns. Events carry unprepared features; preparation is part of the engine's state.

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <fairstream/data/point_batch.hpp>

namespace fairstream {

/// Source of the origin and the unit by which a column of numbers is scaled to (x - origin) / unit.
enum class Scale : std::uint8_t {
    none,     ///< values are not scaled
    fixed,    ///< given as options
    first,    ///< the first points of the stream; more points while all values of the column are equal or missing
    running,  ///< the retained points, without those that leave by age with the coming event
};

/// The origin and the unit of a scale.
enum class ScaleUnit : std::uint8_t {
    deviation,  ///< mean and standard deviation: values get mean 0 and deviation 1
    range,      ///< least value, and its distance to the greatest: values get into [0, 1]
};

/// The value that replaces a missing one.
enum class Missing : std::uint8_t {
    mean,           ///< weighted mean of the points that determine the scale; not for categories
    most_frequent,  ///< value or level with the largest total weight; if several have it, the least
    indicator,      ///< the mean, or no level; a further column is 1 if the value is missing, otherwise 0
};

/// How a column of levels becomes numbers.
enum class Encoding : std::uint8_t {
    onehot,  ///< a column of 0 and 1 for each level, and one for all unlisted levels
    /// The number of the level, prepared as any number. An unlisted level is treated as a missing value; if no value
    /// may be missing, it becomes the mean.
    ordinal,
};

/// Ranges of the options of `Scale::fixed`: mean, low and high are within +-largest_mean, and high - low is at least
/// least_deviation.
inline constexpr double largest_mean = 1e15, least_deviation = 1e-15, largest_deviation = 1e15;

/// Preparation of one column. Steps are applied in the order of the members.
struct ColumnPreparation {
    Encoding encoding = Encoding::onehot;                        ///< encoding of a column with listed levels
    double at_least = -std::numeric_limits<double>::infinity();  ///< lower values become this one
    double at_most = std::numeric_limits<double>::infinity();    ///< higher values become this one, above `at_least`
    bool log = false;                                            ///< replaces x by sign(x) ln(1 + |x|)
    Scale scale = Scale::none;
    ScaleUnit unit = ScaleUnit::deviation;
    std::uint64_t first = 0;          ///< number of points for `Scale::first`, at least 1
    double mean = 0;                  ///< mean for `Scale::fixed`, of values after clipping and logarithm
    double deviation = 1;             ///< deviation for `Scale::fixed`, of the same values
    double low = 0;                   ///< value that becomes 0, for `Scale::fixed` with `ScaleUnit::range`
    double high = 1;                  ///< value that becomes 1, for the same scale
    Missing missing = Missing::mean;  ///< for a column that may be missing
    /// Replaces the mean or most frequent value of `missing`: a value before scaling, or the number of a level. Not
    /// with `Missing::indicator` of a one-hot or hashed column.
    std::optional<double> fill = {};
    bool operator==(const ColumnPreparation&) const = default;
};

/// A numeric or ordinal column gives one prepared column. A one-hot column of c levels gives c + 1 columns, of which
/// one is 1 and the others are 0; the last one is for unlisted levels. A hashed column gives one column per bucket.
/// One-hot and hashed columns have no settings except `missing`, which is most_frequent or indicator, and `fill`.
/// `Missing::indicator` adds a column after these.
struct PrepareOptions {
    std::vector<ColumnPreparation> columns = {};  ///< one for each feature; empty: features stay as they are
    /// Divides each prepared point by its length, as the last step; a point of zeros stays. Needs columns whose
    /// measures never change: `Scale::none` or `Scale::fixed`. Where values may be missing, it also needs a `fill`,
    /// unless only an indicator column shows that they are missing.
    bool unit_rows = false;
    /// Number of points between two reviews of the scales. Scales change only at a review, all of them if one moved by
    /// more than `drift_tolerance`. 0: a review is due once the number of points has doubled since the last review, or
    /// once as many points have come since then as are retained, whichever is sooner.
    std::uint64_t renew_every = 0;
    bool operator==(const PrepareOptions&) const = default;

    /// Returns whether any feature is prepared.
    [[nodiscard]] bool prepares() const noexcept { return !columns.empty(); }
};

/// Scales are renewed if one origin moved by more than this share of its unit, or one unit by more than this share of
/// itself.
inline constexpr double drift_tolerance = 0.01;

/// Throws `InvalidInput` (bad_option) with the column and the rule that it breaks.
void check(const PrepareOptions& options, const StreamFormat& format);
/// Returns the format of the points that models see: its dimensions are those of the prepared columns, and ids do not
/// stand for texts.
[[nodiscard]] StreamFormat prepared_format(const PrepareOptions& options, const StreamFormat& format);

/// Figures of the renewal of scales.
struct PreparationFigures {
    std::uint64_t renewals = 0;  ///< number of times that a scale changed while points were retained
    /// Distance, at the last review, of the retained points' scales from those in use before it. It is the largest,
    /// over the scaled columns, of |origin - origin in use| / unit in use and |ln(unit / unit in use)|. If a column of
    /// `ScaleUnit::range` is filled in with its mean, also of |mean - mean in use| / unit in use.
    double drift = 0;
    std::uint32_t column = 0;  ///< index of the feature with that drift
    bool operator==(const PreparationFigures&) const = default;
    template <class Self, class Archive> static void fields(Self& self, Archive& archive) {
        archive(1, self.renewals);
        archive(2, self.drift);
        archive(3, self.column);
    }
};

}  // namespace fairstream
