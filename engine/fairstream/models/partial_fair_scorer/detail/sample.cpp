#include <fairstream/models/partial_fair_scorer/detail/sample.hpp>
#include <fairstream/numeric/detail/interruption.hpp>

#include <algorithm>
#include <cmath>

namespace fairstream::partial_fair_scorer {
namespace {

// A sample is sparse if fewer than one feature in this many is nonzero. Per feature, a dense sum costs a vectorised
// multiply-add; a sparse sum costs a load and a store per nonzero feature.
constexpr std::size_t sparse_below = 4;
constexpr std::size_t part_rows = 4096;

std::size_t parts_of(RowRange rows) {
    return (rows.size() + part_rows - 1) / part_rows;
}
RowRange part_of(RowRange rows, std::size_t part) {
    return {rows.first + part * part_rows, std::min(rows.last, rows.first + (part + 1) * part_rows)};
}

}  // namespace

Sample::Sample(const PointBatch& points, std::size_t dimensions, std::size_t attributes, std::size_t attribute,
               std::size_t groups, double unit, std::size_t known_groups)
    : dimensions_(dimensions), known_groups_(known_groups) {
    sort(points, attributes, attribute, groups);
    if (!points.weights.empty())
        for (const std::uint32_t i : order_) weights_.push_back(points.weights[i] / unit);
    copy_features(points.features);
    scale_ = scale_of(*this);
}

void Sample::sort(const PointBatch& points, std::size_t attributes, std::size_t attribute, std::size_t groups) {
    const auto cell = [&](std::size_t i) {
        const std::size_t group = attributes == 0 ? 0 : points.groups[i * attributes + attribute];
        return 2 * group + (points.targets[i] > 0 ? 1 : 0);
    };
    std::vector<std::size_t> counts(2 * groups + 1, 0);
    for (std::size_t i = 0; i < points.size(); ++i) ++counts[cell(i) + 1];
    for (std::size_t c = 1; c < counts.size(); ++c) counts[c] += counts[c - 1];
    cells_ = counts;
    order_.resize(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) order_[counts[cell(i)]++] = static_cast<std::uint32_t>(i);
    for (const std::uint32_t i : order_) {
        targets_.push_back(static_cast<double>(points.targets[i]));
        signs_.push_back(points.targets[i] > 0 ? 1 : -1);
    }
}

double Sample::mass(RowRange rows) const noexcept {
    if (weights_.empty()) return static_cast<double>(rows.size());
    double sum = 0;
    for (std::size_t row = rows.first; row < rows.last; ++row) sum += weights_[row];
    return sum;
}

void Sample::copy_features(ConstRows features) {
    const auto zeros = static_cast<std::size_t>(std::ranges::count(features, 0.0F));
    const bool sparse = (features.size() - zeros) * sparse_below < features.size();
    if (sparse)
        begins_.push_back(0);
    else
        dense_.reserve(features.size());
    for (const std::uint32_t i : order_) {
        const auto row = features.subspan(std::size_t{i} * dimensions_, dimensions_);
        if (!sparse) {
            dense_.insert(dense_.end(), row.begin(), row.end());
            continue;
        }
        for (std::size_t j = 0; j < dimensions_; ++j)
            if (row[j] != 0) {
                entries_.push_back(row[j]);
                columns_.push_back(static_cast<std::uint32_t>(j));
            }
        begins_.push_back(entries_.size());
    }
}

bool has_both_classes(std::span<const float> targets) noexcept {
    const auto positive = [](float target) { return target > 0; };
    return std::ranges::any_of(targets, positive) && !std::ranges::all_of(targets, positive);
}

double mass_up_to(double rank, double mass) noexcept {
    constexpr double few_roundings = 0x1p-50;
    return std::min(mass, std::ceil(rank * mass * (1 - few_roundings)));
}

std::size_t count_up_to(double rank, std::size_t n) noexcept {
    return static_cast<std::size_t>(mass_up_to(rank, static_cast<double>(n)));
}

void add_in_order(RowRange rows, std::size_t width, std::span<double> out,
                  const std::function<void(RowRange, double*)>& body) {
    const std::size_t parts = parts_of(rows);
    // Wide sums of many rows are taken in several rounds, so that the sums of all parts need not be kept at once.
    constexpr std::size_t most_numbers = std::size_t{1} << 21;  // 16 MiB
    const std::size_t together = std::clamp<std::size_t>(most_numbers / std::max<std::size_t>(1, width), 4, 4096);
    std::vector<double> sums(std::min(parts, together) * width);
    for (std::size_t first = 0; first < parts; first += together) {
        const std::size_t count = std::min(together, parts - first);
        std::ranges::fill(sums, 0.0);
        parallel_for(std::size_t{0}, count, [&](std::size_t p) { body(part_of(rows, first + p), &sums[p * width]); });
        for (std::size_t p = 0; p < count; ++p)
            for (std::size_t j = 0; j < width; ++j) out[j] += sums[p * width + j];
    }
}

void for_parts(RowRange rows, const std::function<void(RowRange)>& body) {
    parallel_for(std::size_t{0}, parts_of(rows), [&](std::size_t p) { body(part_of(rows, p)); });
}

}  // namespace fairstream::partial_fair_scorer
