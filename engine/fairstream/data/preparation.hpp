#pragma once
/// How the features of a stream are prepared for the models: scaled, clipped, filled in where they are missing, and
/// split into columns of categories. Events carry them as they are; preparation is the engine's state.

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <fairstream/data/point_batch.hpp>

namespace fairstream {

/// Where the mean and the standard deviation come from by which a column of numbers is scaled to (x - mean) /
/// deviation.
enum class Scale : std::uint8_t {
    none,     ///< values stay as they are
    fixed,    ///< they are given
    first,    ///< those of the first points of the stream; until so many came, and values that differ, of all of them
    running,  ///< those of the retained points, without those that leave by age with the event that comes
};

/// The value that takes the place of one that is missing.
enum class Missing : std::uint8_t {
    mean,           ///< the mean, by weight, of the points that the scale is taken from; not of categories
    most_frequent,  ///< the value or level of most of their weight; of equal ones the least
    indicator,      ///< the mean, or no level; and a further column says by 1 that the value is missing, otherwise 0
};

/// How a column of levels becomes numbers.
enum class Encoding : std::uint8_t {
    onehot,  ///< a column of 0 and 1 for each level, and one for all levels that are not listed
    /// The number of the level, prepared as any number. A level that is not listed is filled in as one that is missing,
    /// with the mean where none may be missing.
    ordinal,
};

/// Ranges of the mean, to either side of 0, and the deviation of `Scale::fixed`.
inline constexpr double largest_mean = 1e15, least_deviation = 1e-15, largest_deviation = 1e15;

/// How one column is prepared. Steps are made in the order of the members.
struct ColumnPreparation {
    Encoding encoding = Encoding::onehot;                        ///< of a column with listed levels
    double at_least = -std::numeric_limits<double>::infinity();  ///< lower values are set to this, the lower bound
    double at_most = std::numeric_limits<double>::infinity();    ///< higher values are set to this, above `at_least`
    bool log = false;                                            ///< takes sign(x) ln(1 + |x|)
    Scale scale = Scale::none;
    std::uint64_t first = 0;          ///< points that `Scale::first` is taken from, at least 1
    double mean = 0;                  ///< of `Scale::fixed`, of values after the steps before
    double deviation = 1;             ///< likewise
    Missing missing = Missing::mean;  ///< of a column that may be missing
    /// Takes the place of the mean or the most frequent value that `missing` asks for: a value after the steps before
    /// the scale, or the number of a level. Not beside `Missing::indicator` of a one-hot or hashed column.
    std::optional<double> fill = {};
    bool operator==(const ColumnPreparation&) const = default;
};

/// A column of numbers gives one column, and so does an ordinal one; a one-hot one of c levels gives c + 1, of which
/// one is 1 and the others are 0: the last is for levels that are not listed; a hashed one gives one for each bucket.
/// One-hot and hashed columns have no setting but `missing`, which is most_frequent or indicator, and `fill`.
/// `Missing::indicator` adds a column behind these, for values that are missing.
struct PrepareOptions {
    std::vector<ColumnPreparation> columns = {};  ///< one for each feature; empty: features stay as they are
    /// Divides each prepared point by its length at the end; a point of zeros stays. Needs columns, and of each a
    /// measure that stays: a scale of none or fixed, and a `fill` where values may be missing and are not told by an
    /// indicator alone.
    bool unit_rows = false;
    /// Points between two looks at what the scale is taken from: only then it may change, and only by more than
    /// `drift_tolerance`. 0: as many as had come at the last look, and at most as many as are retained.
    std::uint64_t renew_every = 0;
    bool operator==(const PrepareOptions&) const = default;

    /// Says whether features are anything but left as they are.
    [[nodiscard]] bool prepares() const noexcept { return !columns.empty(); }
};

/// A scale is renewed where a mean moved by more than this part of the deviation, or the deviation by more than this
/// part.
inline constexpr double drift_tolerance = 0.01;

/// Throws `InvalidInput` (bad_option) naming the column and the rule that it breaks.
void check(const PrepareOptions& options, const StreamFormat& format);
/// Returns the format of the points that models see: its dimensions are those of the prepared columns, and ids stand
/// for nothing.
[[nodiscard]] StreamFormat prepared_format(const PrepareOptions& options, const StreamFormat& format);

/// What became of the scales of the columns.
struct PreparationFigures {
    std::uint64_t renewals = 0;  ///< times that a scale changed while points were retained
    /// How far the retained points had moved, at the last look, from the measure that they were given in then: largest
    /// over the scaled columns of |mean - its mean| / deviation and |ln(deviation / its deviation)|.
    double drift = 0;
    std::uint32_t column = 0;  ///< the feature of that largest drift
    bool operator==(const PreparationFigures&) const = default;
    template <class Self, class Archive> static void fields(Self& self, Archive& archive) {
        archive(1, self.renewals);
        archive(2, self.drift);
        archive(3, self.column);
    }
};

}  // namespace fairstream
