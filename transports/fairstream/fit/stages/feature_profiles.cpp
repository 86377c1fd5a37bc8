#include <fairstream/fit/stages/feature_profiles.hpp>

#include <algorithm>
#include <cmath>

#include <fairstream/files/cells/dates.hpp>
#include <fairstream/files/cells/times.hpp>
#include <fairstream/text/numbers.hpp>

namespace fairstream::fit {
namespace {

constexpr std::string_view not_listed = "(not listed)";

FeatureProfiles::Kind kind_of(const FeatureColumn& column) {
    if (column.buckets > 0) return FeatureProfiles::Kind::hashed;
    if (!column.levels.empty()) return FeatureProfiles::Kind::category;
    return column.dates == DateUnit::none ? FeatureProfiles::Kind::number : FeatureProfiles::Kind::date;
}

/// Returns a difference in standard deviations of all points; 0 if all are equal or the deviation overflowed.
double in_deviations(double difference, double deviation) {
    return deviation > 0 && std::isfinite(deviation) && std::isfinite(difference) ? difference / deviation : 0;
}

double deviation_of_share(double share) {
    return std::sqrt(std::max(0.0, share * (1 - share)));
}

}  // namespace

FeatureProfiles::FeatureProfiles(const ProfiledPoints& points, std::size_t clusters) : clusters_(clusters) {
    for (std::size_t i = 0; i < points.names.size(); ++i) {
        Column& column = columns_.emplace_back(Column{.name = points.names[i]});
        column.first = width_;
        if (!points.columns.empty()) {
            column.kind = kind_of(points.columns[i]);
            column.levels = points.columns[i].levels;
            column.dates = points.columns[i].dates;
        }
        width_ += column.kind == Kind::category ? column.levels.size() + 1 : 1;
    }
    const std::size_t d = columns_.size();
    sums_.resize((clusters + 1) * width_);
    weights_with_value_.resize((clusters + 1) * d);
    weights_.resize(clusters + 1);
    for (std::size_t row = 0; row < points.labels.size(); ++row)
        if (points.labels[row] != no_cluster)
            add_row(&points.features[row * d], static_cast<std::size_t>(points.labels[row]),
                    points.weights.empty() ? 1 : points.weights[row]);
    sum_over_clusters();
}

void FeatureProfiles::add_row(const double* values, std::size_t cluster, double weight) {
    double* const sums = &sums_[cluster * width_];
    double* const weight_with_value = &weights_with_value_[cluster * columns_.size()];
    weights_[cluster] += weight;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        const double value = values[i];
        if (std::isnan(value)) continue;
        weight_with_value[i] += weight;
        Column& column = columns_[i];
        if (column.kind == Kind::category) {
            const double last = static_cast<double>(column.levels.size());
            sums[column.first + static_cast<std::size_t>(std::clamp(value, 0.0, last))] += weight;
            continue;
        }
        if (column.least > column.largest) column.shift = value;  // the first value
        column.least = std::min(column.least, value);
        column.largest = std::max(column.largest, value);
        const double off = value - column.shift;
        sums[column.first] += weight * off;
        column.squares += weight * off * off;
    }
}

void FeatureProfiles::sum_over_clusters() {
    const auto add_up = [&](std::vector<double>& rows, std::size_t width) {
        for (std::size_t cluster = 0; cluster < clusters_; ++cluster)
            for (std::size_t i = 0; i < width; ++i) rows[clusters_ * width + i] += rows[cluster * width + i];
    };
    add_up(sums_, width_);
    add_up(weights_with_value_, columns_.size());
    add_up(weights_, 1);
}

std::vector<std::string> FeatureProfiles::levels(std::size_t feature) const {
    const Column& column = columns_[feature];
    std::vector<std::string> levels = column.levels;
    if (column.kind == Kind::category && sum(clusters_, column.first + levels.size()) > 0)
        levels.emplace_back(not_listed);
    return levels;
}

double FeatureProfiles::mean(std::size_t cluster, std::size_t feature) const {
    return columns_[feature].shift + sum(cluster, columns_[feature].first) / weight_with_value(cluster, feature);
}

double FeatureProfiles::deviation(std::size_t feature) const {
    const Column& column = columns_[feature];
    const double off = mean(clusters_, feature) - column.shift;
    return std::sqrt(std::max(0.0, column.squares / weight_with_value(clusters_, feature) - off * off));
}

double FeatureProfiles::share(std::size_t cluster, std::size_t feature, std::size_t level) const {
    return std::min(sum(cluster, columns_[feature].first + level) / weight_with_value(cluster, feature),
                    1.0);  // NaN stays
}

bool FeatureProfiles::has_missing(std::size_t feature) const {
    return weight_with_value(clusters_, feature) < weights_[clusters_];
}

double FeatureProfiles::missing_share(std::size_t cluster, std::size_t feature) const {
    return std::clamp(1 - weight_with_value(cluster, feature) / weights_[cluster], 0.0, 1.0);
}

Distinction FeatureProfiles::value_distinction(std::size_t cluster, std::size_t feature) const {
    const Column& column = columns_[feature];
    Distinction found{.feature = feature};
    if (column.kind != Kind::category) {
        found.in_cluster = mean(cluster, feature);
        found.overall = mean(clusters_, feature);
        found.difference = in_deviations(found.in_cluster - found.overall, deviation(feature));
        return found;
    }
    // With two levels, both shares differ by the same amount, except for rounding. Reports the level that the cluster
    // has more of.
    constexpr double rounding = 1e-9;
    double most = 0;
    for (std::size_t level = 0; level <= column.levels.size(); ++level) {
        const double in_cluster = share(cluster, feature, level), overall = share(clusters_, feature, level);
        const double differs = std::abs(in_cluster - overall) + (in_cluster > overall ? rounding : 0);
        if (!(differs > most)) continue;
        most = differs;
        found = {feature, Distinction::Statistic::level,
                 level,   in_cluster,
                 overall, in_deviations(in_cluster - overall, deviation_of_share(overall))};
    }
    return found;
}

Distinction FeatureProfiles::missing_distinction(std::size_t cluster, std::size_t feature) const {
    const double in_cluster = missing_share(cluster, feature), overall = missing_share(clusters_, feature);
    return {feature, Distinction::Statistic::missing,
            0,       in_cluster,
            overall, in_deviations(in_cluster - overall, deviation_of_share(overall))};
}

std::vector<Distinction> FeatureProfiles::distinctions(std::size_t cluster) const {
    std::vector<Distinction> all;
    if (!(weights_[cluster] > 0)) return all;
    for (std::size_t feature = 0; feature < columns_.size(); ++feature) {
        Distinction found{.feature = feature};
        if (columns_[feature].kind != Kind::hashed) found = value_distinction(cluster, feature);
        if (has_missing(feature))
            if (const Distinction missing = missing_distinction(cluster, feature);
                std::abs(missing.difference) > std::abs(found.difference))
                found = missing;
        if (std::abs(found.difference) >= least_distinction) all.push_back(found);
    }
    std::ranges::stable_sort(all, std::ranges::greater(),
                             [](const Distinction& one) { return std::abs(one.difference); });
    all.resize(std::min(all.size(), most_distinctions));
    return all;
}

bool FeatureProfiles::is_time_of_day(const Column& column) const {
    return column.least >= 0 && column.largest < files::in_date_unit(std::int64_t{86'400'000'000}, column.dates);
}

std::string FeatureProfiles::date_text(std::size_t feature, double mean) const {
    if (std::isnan(mean)) return "";
    constexpr std::int64_t second = 1'000'000;
    const Column& column = columns_[feature];
    const std::int64_t exact = files::from_date_unit(mean, column.dates);
    const std::int64_t seconds = exact >= 0 ? (exact + second / 2) / second : (exact - second / 2) / second;
    const std::string text = files::time_text(seconds * second);
    const std::size_t time = text.find('T');
    return is_time_of_day(column) && time != std::string::npos ? text.substr(time + 1, 8) : text;
}

std::string FeatureProfiles::mean_text(std::size_t feature, double mean) const {
    const Column& column = columns_[feature];
    const double spread = deviation(feature);
    if (column.kind == Kind::date) {
        const std::string text = date_text(feature, mean);
        const bool is_of_days = spread >= files::in_date_unit(std::int64_t{86'400'000'000}, column.dates);
        return is_of_days ? text.substr(0, text.find('T')) : text;
    }
    constexpr double most_digits = 6, most_size = 1e15;
    const double digits = spread > 0 ? std::max(0.0, 1 - std::floor(std::log10(spread))) : 0;
    if (digits > most_digits || !(std::abs(mean) < most_size)) return brief(mean);
    const double tens = std::pow(10, digits), rounded = std::round(mean * tens) / tens + 0.0;  // + 0.0: no -0
    return digits > 0 ? fixed(rounded, static_cast<int>(digits)) : counted(std::llround(rounded));
}

}  // namespace fairstream::fit
