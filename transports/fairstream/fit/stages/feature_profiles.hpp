#pragma once
/// Means and shares of features by cluster and over all points, in the units of the file, and the features that set a
/// cluster apart.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <fairstream/base/types.hpp>
#include <fairstream/data/point_batch.hpp>

namespace fairstream::fit {

/// Points with the features of their file. Borrowed.
struct ProfiledPoints {
    const std::vector<std::string>& names;      ///< d, names of the features
    const std::vector<FeatureColumn>& columns;  ///< d, or empty: numbers, none missing
    std::span<const double> features;           ///< n x d, row-major; NaN: missing
    std::span<const ClusterId> labels;          ///< n; points without a cluster are ignored
    std::span<const double> weights;            ///< n, or empty: all weigh 1
};

/// A figure of one feature that differs between a cluster and all points.
struct Distinction {
    enum class Statistic : std::uint8_t { mean, level, missing };
    std::size_t feature = 0;  ///< in [0, d)
    Statistic statistic = Statistic::mean;
    std::size_t level = 0;  ///< level of the share
    double in_cluster = 0;  ///< in the cluster: mean of numbers or dates, share of the level, or of missing values
    double overall = 0;     ///< the figure over all points
    double difference = 0;  ///< `in_cluster` - `overall`, in standard deviations of all points
};

/// Largest number of distinctions of a cluster, and their least size: a small effect by Cohen's d.
inline constexpr std::size_t most_distinctions = 3;
inline constexpr double least_distinction = 0.2;

/// The mean or the shares of each feature, by cluster and over all points; a value type. They are by weight, over the
/// points that have a value of the feature. A share is the mean of an indicator, 0 or 1, and uses the indicator's
/// deviation, so that shares and means are comparable. Hashed text has no figures: a bucket has no name.
class FeatureProfiles {
public:
    enum class Kind : std::uint8_t { number, date, category, hashed };

    /// Computes the profiles in one pass over the points, O(n d). Stores about k (d + levels) numbers.
    FeatureProfiles(const ProfiledPoints& points, std::size_t clusters);

    // A cluster is in [0, k); k means all points.
    [[nodiscard]] std::size_t clusters() const noexcept { return clusters_; }
    [[nodiscard]] std::size_t features() const noexcept { return columns_.size(); }
    [[nodiscard]] const std::string& name(std::size_t feature) const { return columns_[feature].name; }
    [[nodiscard]] Kind kind(std::size_t feature) const { return columns_[feature].kind; }
    /// Returns the levels of a category. The last stands for unlisted values, if there are any.
    [[nodiscard]] std::vector<std::string> levels(std::size_t feature) const;

    /// Returns the mean of a number, or of a date in its unit; NaN if no point has a value.
    [[nodiscard]] double mean(std::size_t cluster, std::size_t feature) const;
    /// Returns the standard deviation of a feature over all points.
    [[nodiscard]] double deviation(std::size_t feature) const;
    /// Returns the share of a level; NaN if no point has a value.
    [[nodiscard]] double share(std::size_t cluster, std::size_t feature, std::size_t level) const;
    [[nodiscard]] bool has_missing(std::size_t feature) const;
    /// Returns the share of points without a value; NaN if there are no points.
    [[nodiscard]] double missing_share(std::size_t cluster, std::size_t feature) const;

    /// Returns what sets a cluster apart from all points. For each feature, takes the figure with the largest
    /// difference; for levels, the level whose share differs most. Returns the largest `most_distinctions` of these,
    /// each at least `least_distinction`.
    [[nodiscard]] std::vector<Distinction> distinctions(std::size_t cluster) const;

    /// Returns the mean of a feature as text. A number is rounded to about a tenth of the feature's deviation: "38" or
    /// "1,204". A date has a time of day only if the deviation is below a day.
    [[nodiscard]] std::string mean_text(std::size_t feature, double mean) const;
    /// Returns a date as `files::time_text`; a time of day if all dates are times of day; empty for NaN.
    [[nodiscard]] std::string date_text(std::size_t feature, double mean) const;

private:
    struct Column {
        std::string name;
        Kind kind = Kind::number;
        std::vector<std::string> levels = {};
        DateUnit dates = DateUnit::none;
        std::size_t first = 0;  ///< index of the feature's sums in a row of `sums_`
        double shift = 0;       ///< subtracted from values before summing, to keep the digits of large values
        double squares = 0;     ///< sum over all points of the squares of values less `shift`
        double least = std::numeric_limits<double>::infinity(), largest = -least;
    };
    void add_row(const double* values, std::size_t cluster, double weight);
    void sum_over_clusters();
    [[nodiscard]] double weight_with_value(std::size_t cluster, std::size_t feature) const {
        return weights_with_value_[cluster * columns_.size() + feature];
    }
    [[nodiscard]] double sum(std::size_t cluster, std::size_t at) const { return sums_[cluster * width_ + at]; }
    [[nodiscard]] bool is_time_of_day(const Column& column) const;
    [[nodiscard]] Distinction value_distinction(std::size_t cluster, std::size_t feature) const;
    [[nodiscard]] Distinction missing_distinction(std::size_t cluster, std::size_t feature) const;

    std::vector<Column> columns_;  // d
    std::size_t clusters_;         // k
    std::size_t width_ = 0;        // number of sums of a cluster
    // A row for each of k clusters, then a row for all points.
    std::vector<double> sums_;                // sums of numbers less `shift`, and of weights by level
    std::vector<double> weights_with_value_;  // weight of the points with a value, by feature
    std::vector<double> weights_;             // weights of the points
};

}  // namespace fairstream::fit
