#pragma once
/// Prepares the features of events by `PrepareOptions`. A column's measure is the origin and the unit that scale it,
/// and the value that fills in missing ones. Keeps the measure of each column. If measures may change, also keeps the
/// original features of retained points.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <fairstream/data/detail/followed_measure.hpp>
#include <fairstream/data/measure_change.hpp>
#include <fairstream/data/preparation.hpp>
#include <fairstream/data/window.hpp>

namespace fairstream {

class StateReader;
class StateWriter;

/// Weighted mean and deviation, least and greatest of values added one by one (West, 1979).
class RunningMoments {
public:
    void add(double value, double weight) noexcept {
        least_ = weight_ == 0 ? value : std::min(least_, value);
        greatest_ = weight_ == 0 ? value : std::max(greatest_, value);
        weight_ += weight;
        const double off = value - mean_;
        mean_ += off * weight / weight_;
        squares_ += weight * off * (value - mean_);
    }
    [[nodiscard]] double weight() const noexcept { return weight_; }
    [[nodiscard]] double mean() const noexcept { return mean_; }
    [[nodiscard]] double deviation() const noexcept;
    [[nodiscard]] double least() const noexcept { return least_; }
    [[nodiscard]] double greatest() const noexcept { return greatest_; }
    /// Returns whether loaded moments are possible.
    [[nodiscard]] bool is_possible() const noexcept {
        return weight_ >= 0 && squares_ >= 0 && std::isfinite(weight_) && std::isfinite(mean_) &&
               std::isfinite(squares_) && std::isfinite(least_) && std::isfinite(greatest_);
    }
    bool operator==(const RunningMoments&) const = default;
    template <class Self, class Archive> static void fields(Self& self, Archive& archive) {
        archive(1, self.weight_);
        archive(2, self.mean_);
        archive(3, self.squares_);
        archive(4, self.least_);
        archive(5, self.greatest_);
    }

private:
    double weight_ = 0, mean_ = 0, squares_ = 0, least_ = 0, greatest_ = 0;
};

/// Sums over points: of weights, of weighted values, and of weighted squares. The least and the greatest value of
/// points with a weight.
struct WeightedSums {
    double weight = 0, value = 0, square = 0;
    double least = std::numeric_limits<double>::infinity(), greatest = -least;
    void note(double x) noexcept {
        least = std::min(least, x);
        greatest = std::max(greatest, x);
    }
    void add(double x, double w) noexcept {
        weight += w;
        value += w * x;
        square += w * x * x;
    }
    void add(const WeightedSums& other) noexcept {
        weight += other.weight;
        value += other.value;
        square += other.square;
        least = std::min(least, other.least);
        greatest = std::max(greatest, other.greatest);
    }
};

class Preparer {
public:
    /// `options` must have passed `check` with this format.
    Preparer(const PrepareOptions& options, const StreamFormat& format, Slot capacity);

    /// Returns whether any feature is prepared. If not, only `check` may be called.
    [[nodiscard]] bool is_active() const noexcept { return !columns_.empty(); }
    [[nodiscard]] std::size_t dimensions() const noexcept { return width_; }  ///< of prepared points
    [[nodiscard]] std::size_t prepared_size(std::size_t features) const noexcept { return features / d_ * width_; }
    [[nodiscard]] const PreparationFigures& figures() const noexcept { return figures_; }

    /// Prepares rows of features, n x d, into `out`, n x `dimensions()`, by the measures in use.
    void prepare(ConstRows rows, std::span<float> out) const;
    /// Returns the prepared rows; valid until the next call.
    [[nodiscard]] ConstRows prepare(ConstRows rows);

    /// Takes over the measures of `other`, which has the same options.
    void copy_measures_from(const Preparer& other);

    /// Renews the measures, if that is due, before a batch is taken in. If they moved, prepares the retained points
    /// again and returns the change. Without retained points the first batch determines the measures.
    [[nodiscard]] std::optional<MeasureChange> renew(Window& window, const PointBatch& batch);
    /// Updates the kept features and counts after a batch was prepared and applied.
    void note(const Window& window, const WindowChange& change, const PointBatch& batch);

    void save(StateWriter& writer, const Window& window) const;
    /// Throws `InvalidInput` (bad_state) if the bytes are impossible for these options and this window.
    void load(StateReader& reader, const Window& window);

private:
    /// How a column is scaled and filled in: (x - origin) / unit, and `fill` where x is missing.
    struct Measure {
        double origin = 0, unit = 1;
        double fill = 0;  ///< value before scaling; for categories a level, or -1: no level
        bool operator==(const Measure&) const = default;
        template <class Self, class Archive> static void fields(Self& self, Archive& archive) {
            archive(1, self.origin);
            archive(2, self.unit);
            archive(3, self.fill);
        }
    };
    struct Column {
        ColumnPreparation preparation;
        FeatureColumn about = {};
        std::size_t at = 0;  ///< index of its first prepared column
        /// Returns whether the column becomes several columns of 0 and 1.
        [[nodiscard]] bool is_split() const noexcept { return fairstream::is_split(preparation, about); }
        /// Returns the number of prepared columns for its values, without the indicator of missing values.
        [[nodiscard]] std::size_t values() const noexcept {
            return !is_split() ? 1 : about.buckets > 0 ? about.buckets : about.levels.size() + 1;
        }
        /// Returns whether the column has an indicator of missing values, which is a further prepared column.
        [[nodiscard]] bool has_missing_indicator() const noexcept {
            return about.may_be_missing && preparation.missing == Missing::indicator;
        }
        /// Returns whether values of the column may have to be filled in.
        [[nodiscard]] bool has_gaps() const noexcept { return fairstream::has_gaps(preparation, about); }
        [[nodiscard]] bool is_ordinal() const noexcept { return preparation.encoding == Encoding::ordinal; }
        /// Returns whether this value must be filled in: it is missing, or the number of a level that an ordinal column
        /// does not list.
        [[nodiscard]] bool is_gap(float value) const noexcept {
            return std::isnan(value) || (is_ordinal() && value >= static_cast<float>(about.levels.size()));
        }
        [[nodiscard]] bool is_scaled() const noexcept { return preparation.scale != Scale::none && !is_split(); }
        [[nodiscard]] bool clips() const noexcept {
            return preparation.at_least > -std::numeric_limits<double>::infinity() ||
                   preparation.at_most < std::numeric_limits<double>::infinity();
        }
        [[nodiscard]] bool is_range() const noexcept { return preparation.unit == ScaleUnit::range; }
        /// Return whether the points determine the measure; whether their mean fills in missing values; whether their
        /// most frequent value fills them in.
        [[nodiscard]] bool follows_points() const noexcept { return fairstream::follows_points(preparation, about); }
        [[nodiscard]] bool fills_in_mean() const noexcept { return fairstream::fills_in_mean(preparation, about); }
        [[nodiscard]] bool needs_most_frequent() const noexcept { return follows_most_frequent(preparation, about); }
        [[nodiscard]] bool is_possible_value(float value) const noexcept;
        /// Returns the value after clipping and, if asked for, its logarithm.
        [[nodiscard]] double transformed(float value) const noexcept;
    };

    void prepare_row(const float* row, float* out) const;
    void scale_to_length_1(std::span<float> rows) const;
    [[nodiscard]] bool is_due(std::uint64_t retained) const noexcept;
    [[nodiscard]] bool has_final_scale(std::size_t j) const noexcept;
    [[nodiscard]] static std::vector<double> weights_of_staying(const Window& window, const PointBatch& batch);
    [[nodiscard]] Measure measure_of(std::size_t j, double mean, double deviation, double least, double greatest) const;
    [[nodiscard]] std::vector<Measure> measures_of(ConstRows rows, std::span<const double> weights) const;
    [[nodiscard]] std::vector<WeightedSums> sums_around(std::span<const double> origins, ConstRows rows,
                                                        std::span<const double> weights) const;
    [[nodiscard]] std::vector<Measure> measures_of_prepared(const Window& window,
                                                            std::span<const double> weights) const;
    [[nodiscard]] double most_frequent(std::size_t column, ConstRows rows, std::span<const double> weights) const;
    [[nodiscard]] Measure next(std::size_t j, const Measure& points_measure) const;
    [[nodiscard]] std::vector<Measure> next_measures(std::span<const Measure> points_measures) const;
    [[nodiscard]] double drift_of(std::size_t j, const Measure& from, const Measure& to) const;
    void note_drift(std::span<const Measure> points_measures);
    [[nodiscard]] MeasureChange remeasure(const std::vector<Measure>& next, Window& window);
    void add_to_first_moments(const PointBatch& batch);
    void set_factors();

    std::size_t d_;      // number of features before preparation
    std::size_t width_;  // number of prepared features
    std::uint64_t renew_every_;
    bool unit_rows_;
    std::vector<Column> columns_;
    bool is_plain_ = false;         // all columns are numbers that are at most scaled
    bool keeps_originals_ = false;  // whether the original features of retained points are kept

    bool has_first_scale_ = false;  // whether some column has `Scale::first`
    bool has_range_ = false;        // whether some column has `ScaleUnit::range`

    std::vector<Measure> measures_;         // one per column before preparation
    std::vector<float> original_features_;  // by slot, n x d; empty unless `keeps_originals_`
    std::vector<RunningMoments>
        first_moments_;               // moments of the stream's first points; empty unless `has_first_scale_`
    std::uint64_t first_points_ = 0;  // points considered for `first_moments_`
    std::uint64_t points_taken_ = 0;
    std::uint64_t points_at_last_check_ = 0;  // `points_taken_` at the last review
    PreparationFigures figures_;

    std::vector<double> origins_, factors_;  // a value x of a plain column becomes (x - origin) factor
    std::vector<float> prepared_;            // scratch
};

}  // namespace fairstream
