#pragma once
/// Prepares the features of events by `PrepareOptions`, and keeps what that takes: the measure of each column, and
/// where it may change the features of the retained points as they came.

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

/// Mean and deviation, by weight, of values that are added one by one (West, 1979).
class RunningMoments {
public:
    void add(double value, double weight) noexcept {
        weight_ += weight;
        const double off = value - mean_;
        mean_ += off * weight / weight_;
        squares_ += weight * off * (value - mean_);
    }
    [[nodiscard]] double weight() const noexcept { return weight_; }
    [[nodiscard]] double mean() const noexcept { return mean_; }
    [[nodiscard]] double deviation() const noexcept;
    /// Says whether loaded moments can be those of points.
    [[nodiscard]] bool can_be() const noexcept {
        return weight_ >= 0 && squares_ >= 0 && std::isfinite(weight_) && std::isfinite(mean_) &&
               std::isfinite(squares_);
    }
    bool operator==(const RunningMoments&) const = default;
    template <class Self, class Archive> static void fields(Self& self, Archive& archive) {
        archive(1, self.weight_);
        archive(2, self.mean_);
        archive(3, self.squares_);
    }

private:
    double weight_ = 0, mean_ = 0, squares_ = 0;
};

/// Sums, over points, of their weights, and of a value and its square by weight.
struct WeightedSums {
    double weight = 0, value = 0, square = 0;
    void add(double x, double w) noexcept {
        weight += w;
        value += w * x;
        square += w * x * x;
    }
    void add(const WeightedSums& other) noexcept {
        weight += other.weight;
        value += other.value;
        square += other.square;
    }
};

class Preparer {
public:
    /// `options` have passed `check` with this format.
    Preparer(const PrepareOptions& options, const StreamFormat& format, Slot capacity);

    /// Says whether features are anything but left as they are. No other function but `check` may be called if not.
    [[nodiscard]] bool is_active() const noexcept { return !columns_.empty(); }
    [[nodiscard]] std::size_t dimensions() const noexcept { return width_; }  ///< prepared
    [[nodiscard]] std::size_t prepared_size(std::size_t features) const noexcept { return features / d_ * width_; }
    [[nodiscard]] const PreparationFigures& figures() const noexcept { return figures_; }

    /// Prepares rows of features, n x d, into `out`, n x `dimensions()`, by the present measures.
    void prepare(ConstRows rows, std::span<float> out) const;
    /// Returns the same; valid until the next call.
    [[nodiscard]] ConstRows prepare(ConstRows rows);

    /// Prepares rows from now on as `other`, which has the same options, does now.
    void measure_as(const Preparer& other);

    /// Looks at what scales are taken from, where that is due before a batch is taken in. Renews them where they
    /// moved, puts the retained points into the new measure, and returns how it changed. Without retained points the
    /// first batch itself decides.
    [[nodiscard]] std::optional<MeasureChange> renew(Window& window, const PointBatch& batch);
    /// Keeps what is needed of a batch that was prepared and applied.
    void note(const Window& window, const WindowChange& change, const PointBatch& batch);

    void save(StateWriter& writer, const Window& window) const;
    /// Throws `InvalidInput` (bad_state) for bytes that cannot be of these options and this window.
    void load(StateReader& reader, const Window& window);

private:
    /// How a column's values are given: (x - mean) / deviation, and `fill` where x is missing.
    struct Measure {
        double mean = 0, deviation = 1;
        double fill = 0;  ///< before scaling; of categories a level, or -1: none
        bool operator==(const Measure&) const = default;
        template <class Self, class Archive> static void fields(Self& self, Archive& archive) {
            archive(1, self.mean);
            archive(2, self.deviation);
            archive(3, self.fill);
        }
    };
    struct Column {
        ColumnPreparation how;
        FeatureColumn about = {};
        std::size_t at = 0;  ///< its first prepared column
        /// Says whether it becomes several columns of 0 and 1.
        [[nodiscard]] bool is_split() const noexcept { return fairstream::is_split(how, about); }
        /// Number of prepared columns for its values, without that of missing ones.
        [[nodiscard]] std::size_t values() const noexcept {
            return !is_split() ? 1 : about.buckets > 0 ? about.buckets : about.levels.size() + 1;
        }
        /// Says whether a further prepared column says which values are missing.
        [[nodiscard]] bool says_missing() const noexcept {
            return about.may_be_missing && how.missing == Missing::indicator;
        }
        /// Says whether a value may have to be filled in.
        [[nodiscard]] bool has_gaps() const noexcept { return fairstream::has_gaps(how, about); }
        [[nodiscard]] bool is_ordinal() const noexcept { return how.encoding == Encoding::ordinal; }
        /// Says whether a value has to be filled in: it is missing, or the number of a level that an ordinal column
        /// does not list.
        [[nodiscard]] bool is_gap(float value) const noexcept {
            return std::isnan(value) || (is_ordinal() && value >= static_cast<float>(about.levels.size()));
        }
        [[nodiscard]] bool is_scaled() const noexcept { return how.scale != Scale::none && !is_split(); }
        [[nodiscard]] bool clips() const noexcept {
            return how.at_least > -std::numeric_limits<double>::infinity() ||
                   how.at_most < std::numeric_limits<double>::infinity();
        }
        /// Say whether its measure follows the mean of points, or fills in their most frequent value.
        [[nodiscard]] bool needs_mean() const noexcept { return follows_mean(how, about); }
        [[nodiscard]] bool needs_most_frequent() const noexcept { return follows_most_frequent(how, about); }
        [[nodiscard]] bool can_have(float value) const noexcept;
        /// Returns a value, clipped and with its logarithm taken where asked for.
        [[nodiscard]] double stepped(float value) const noexcept;
    };

    void prepare_row(const float* row, float* out) const;
    void scale_to_length_1(std::span<float> rows) const;
    [[nodiscard]] bool is_due(std::uint64_t retained) const noexcept;
    [[nodiscard]] bool is_settled(std::size_t j) const noexcept;
    [[nodiscard]] static std::vector<double> weights_of_staying(const Window& window, const PointBatch& batch);
    [[nodiscard]] std::vector<Measure> found(ConstRows rows, std::span<const double> weights) const;
    [[nodiscard]] std::vector<WeightedSums> sums_around(std::span<const double> origins, ConstRows rows,
                                                        std::span<const double> weights) const;
    [[nodiscard]] std::vector<Measure> of_prepared(const Window& window, std::span<const double> weights) const;
    [[nodiscard]] double most_frequent(std::size_t column, ConstRows rows, std::span<const double> weights) const;
    [[nodiscard]] Measure next(std::size_t j, const Measure& there) const;
    [[nodiscard]] std::vector<Measure> next_measures(std::span<const Measure> there) const;
    [[nodiscard]] static double drift_of(const Measure& from, const Measure& to);
    void note_drift(std::span<const Measure> there);
    [[nodiscard]] MeasureChange remeasure(const std::vector<Measure>& next, Window& window);
    void add_to_first(const PointBatch& batch);
    void set_factors();

    std::size_t d_;      // features as they come
    std::size_t width_;  // prepared
    std::uint64_t renew_every_;
    bool unit_rows_;
    std::vector<Column> columns_;
    bool is_plain_ = false;  // all columns are numbers without further steps
    bool follows_ = false;   // some measure follows the points, or points prepared do not tell theirs

    bool takes_first_ = false;  // some scale is that of the first points

    std::vector<Measure> measures_;      // by column, as those below
    std::vector<float> kept_;            // by slot, n x d, features as they came; empty unless `follows_`
    std::vector<RunningMoments> first_;  // of the first points of the stream; empty unless `takes_first_`
    std::uint64_t first_points_ = 0;     // that these are of, or more
    std::uint64_t taken_ = 0;            // points
    std::uint64_t looked_at_ = 0;        // points taken at the last look
    PreparationFigures figures_;

    std::vector<double> origins_, factors_;  // of plain columns: what is subtracted, and the factor then
    std::vector<float> prepared_;            // scratch
};

}  // namespace fairstream
