#include <fairstream/data/detail/check_points.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <fairstream/base/number_text.hpp>
#include <fairstream/base/printable.hpp>
#include <fairstream/numeric/detail/kernels.hpp>

namespace fairstream {
namespace {

std::string count_text(std::size_t count, const char* what) {
    return std::to_string(count) + " " + what;
}

void check_shape(const StreamFormat& format, const PointBatch& batch) {
    const std::size_t n = batch.size();
    const auto expect = [&](std::size_t have, std::size_t want, const char* what, std::size_t per_point) {
        if (have != want)
            throw InvalidInput(Reason::wrong_shape, count_text(have, what) + " for " +
                                                        count_text(n, "points: must be ") + std::to_string(want) +
                                                        " (" + std::to_string(per_point) + " per point)");
    };
    expect(batch.features.size(), n * format.dimensions, "features", format.dimensions);
    expect(batch.groups.size(), n * format.attributes.size(), "groups", format.attributes.size());
    expect(batch.targets.size(), format.has_targets ? n : 0, "targets", format.has_targets ? 1 : 0);
    if (!batch.weights.empty() && !format.has_weights)
        throw InvalidInput(Reason::bad_weight,
                           count_text(batch.weights.size(), "weights: the points of this stream must have none"));
    if (!batch.weights.empty()) expect(batch.weights.size(), n, "weights", 1);
    expect(batch.id_texts.size(), format.has_text_ids ? n : 0, "texts of ids", format.has_text_ids ? 1 : 0);
    if (!format.numbers_texts()) expect(batch.ids.size(), n, "ids", 1);
}

std::string id_for_message(const StreamFormat& format, const PointBatch& batch, std::size_t row) {
    return fairstream::id_for_message(format, batch.ids, batch.id_texts, row);
}

// Returns whether a value breaks the rules of its column.
bool is_out_of(const FeatureColumn& column, float value) {
    if (std::isnan(value)) return !column.may_be_missing;
    if (!(std::abs(value) <= feature_limit)) return true;
    if (column.buckets > 0 && !(value < static_cast<float>(column.buckets))) return true;
    return column.is_category() && !(value >= 0 && value == std::floor(value));
}

std::string column_rule(const StreamFormat& format, std::size_t column) {
    const FeatureColumn about = format.columns.empty() ? FeatureColumn{} : format.columns[column];
    return (about.buckets > 0      ? "must be the number of a bucket, 0 to " + std::to_string(about.buckets - 1)
            : about.levels.empty() ? "must be finite and within +-1e15"
                                   : std::string("must be the number of a level, from 0")) +
           (about.may_be_missing ? ", or NaN if it is missing" : "");
}

void check_targets(const StreamFormat& format, const PointBatch& batch) {
    if (kernels().all_within(batch.targets.data(), batch.targets.size(), feature_limit)) return;
    const auto bad = [&](float x) {
        return !(std::abs(x) <= feature_limit) && !(format.targets_come_later && std::isnan(x));
    };
    const auto at = static_cast<std::size_t>(std::ranges::find_if(batch.targets, bad) - batch.targets.begin());
    if (at == batch.targets.size()) return;
    throw InvalidInput(Reason::bad_feature, "the target of point " + id_for_message(format, batch, at) + " is " +
                                                std::to_string(batch.targets[at]) +
                                                ": must be finite and within +-1e15");
}

void check_weights(const StreamFormat& format, const PointBatch& batch) {
    const auto out_of_range = [](double w) { return !(w >= least_weight && w <= largest_weight); };
    const auto at = std::ranges::find_if(batch.weights, out_of_range);
    if (at == batch.weights.end()) return;
    throw InvalidInput(Reason::bad_weight,
                       "the weight of point " +
                           id_for_message(format, batch, static_cast<std::size_t>(at - batch.weights.begin())) +
                           " is " + number_text(*at) + ": must be 1e-15 to 1e15");
}

void check_groups(const StreamFormat& format, const PointBatch& batch) {
    const std::size_t a = format.attributes.size();
    for (std::size_t column = 0; column < a; ++column) {
        const std::size_t groups = format.attributes[column].groups.size();
        for (std::size_t at = column; at < batch.groups.size(); at += a)
            if (batch.groups[at] >= groups) [[unlikely]]
                throw InvalidInput(Reason::unknown_group, "point " + id_for_message(format, batch, at / a) +
                                                              " has group " + std::to_string(batch.groups[at]) +
                                                              " of '" + format.attributes[column].name +
                                                              "': must be below " + std::to_string(groups));
    }
}

}  // namespace

void check_features(const StreamFormat& format, ConstRows rows,
                    const std::function<std::string(std::size_t row)>& name) {
    const bool own_ranges = std::ranges::any_of(
        format.columns, [](const FeatureColumn& column) { return column.is_category() || column.may_be_missing; });
    if (!own_ranges && kernels().all_within(rows.data(), rows.size(), feature_limit)) return;
    const std::size_t d = format.dimensions;
    static const FeatureColumn number;
    for (std::size_t at = 0; at < rows.size(); ++at)
        if (is_out_of(own_ranges ? format.columns[at % d] : number, rows[at])) [[unlikely]]
            throw InvalidInput(Reason::bad_feature, "feature " + std::to_string(at % d) + " of " + name(at / d) +
                                                        " is " + std::to_string(rows[at]) + ": " +
                                                        column_rule(format, at % d));
}

void check_id_texts(const TextSpan& texts) {
    std::uint32_t last = texts.begin;
    for (const std::uint32_t end : texts.ends)
        if (end < std::exchange(last, end) || end > texts.bytes.size())
            throw InvalidInput(
                Reason::wrong_shape,
                "ends of id texts: each must be at least the previous end, and at most the number of bytes");
    for (std::size_t i = 0; i < texts.size(); ++i)
        if (const std::size_t bytes = texts[i].size(); bytes < 1 || bytes > longest_id_text)
            throw InvalidInput(Reason::wrong_shape, "text " + std::to_string(i) + " of the ids has " +
                                                        std::to_string(bytes) + " bytes: must be 1 to " +
                                                        std::to_string(longest_id_text));
}

std::string id_for_message(const StreamFormat& format, std::span<const PointId> ids, const TextSpan& texts,
                           std::size_t row) {
    return format.numbers_texts() ? "'" + printable(texts[row]) + "'" : std::to_string(ids[row]);
}

void check_points(const StreamFormat& format, const PointBatch& batch) {
    check_shape(format, batch);
    check_id_texts(batch.id_texts);
    check_features(format, batch.features,
                   [&](std::size_t row) { return "point " + id_for_message(format, batch, row); });
    check_targets(format, batch);
    check_weights(format, batch);
    check_groups(format, batch);
}

}  // namespace fairstream
