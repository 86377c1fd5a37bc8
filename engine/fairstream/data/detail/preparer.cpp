#include <fairstream/data/detail/preparer.hpp>

#include <algorithm>
#include <cmath>
#include <map>

#include <fairstream/base/archive.hpp>
#include <fairstream/numeric/detail/interruption.hpp>
#include <fairstream/numeric/detail/kernels.hpp>

namespace fairstream {
namespace {

constexpr double limit{feature_limit};
constexpr std::size_t rows_per_task = 8192;

// Returns the unit to scale by, a deviation or a range. If `unit` is within the rounding error of values of this
// magnitude, the values count as equal: returns 1, and they become 0.
double usable(double unit, double magnitude) {
    return unit > 1e-12 * std::abs(magnitude) && std::isfinite(unit) && unit >= 1 / limit ? unit : 1;
}

float bounded(double value) {
    return static_cast<float>(std::clamp(value, -limit, limit));
}

// Sums `columns` columns over the rows in a fixed order: tasks of a fixed number of rows, added in order. `add` adds
// rows [first, last).
template <class Add> std::vector<WeightedSums> sums_of(std::size_t rows, std::size_t columns, const Add& add) {
    const std::size_t tasks = (rows + rows_per_task - 1) / rows_per_task;
    std::vector<WeightedSums> parts(tasks * columns), all(columns);
    parallel_for(std::size_t{0}, tasks, [&](std::size_t task) {
        add(task * rows_per_task, std::min(rows, (task + 1) * rows_per_task), &parts[task * columns]);
    });
    for (std::size_t task = 0; task < tasks; ++task)
        for (std::size_t j = 0; j < columns; ++j) all[j].add(parts[task * columns + j]);
    return all;
}

}  // namespace

double RunningMoments::deviation() const noexcept {
    return weight_ == 0 ? 0 : std::sqrt(squares_ / weight_);
}

bool Preparer::Column::is_possible_value(float value) const noexcept {
    if (std::isnan(value)) return about.may_be_missing;
    if (about.buckets > 0 && value >= static_cast<float>(about.buckets)) return false;
    return std::abs(value) <= feature_limit && (!about.is_category() || (value >= 0 && value == std::floor(value)));
}

double Preparer::Column::transformed(float value) const noexcept {
    const double clipped = std::clamp(double{value}, preparation.at_least, preparation.at_most);
    return preparation.log ? std::copysign(std::log1p(std::abs(clipped)), clipped) : clipped;
}

Preparer::Preparer(const PrepareOptions& options, const StreamFormat& format, Slot capacity)
    : d_(format.dimensions), width_(0), renew_every_(options.renew_every), unit_rows_(options.unit_rows) {
    for (std::size_t i = 0; i < options.columns.size(); ++i) {
        Column column{.preparation = options.columns[i], .at = width_};
        if (!format.columns.empty()) column.about = format.columns[i];
        width_ += column.values() + (column.has_missing_indicator() ? 1 : 0);
        // The retained points' original features are needed where prepared ones do not determine them: a scaled value
        // may have been filled in, and a row scaled to length 1 has lost its length.
        const bool is_hidden = column.is_scaled() && (column.has_gaps() || unit_rows_);
        keeps_originals_ = keeps_originals_ || column.follows_points() || column.needs_most_frequent() || is_hidden;
        has_first_scale_ = has_first_scale_ || column.preparation.scale == Scale::first;
        has_range_ = has_range_ || column.is_range();
        const ColumnPreparation& how = column.preparation;
        measures_.push_back(column.is_range() ? Measure{how.low, how.high - how.low, how.fill.value_or(how.low)}
                                              : Measure{how.mean, how.deviation, how.fill.value_or(how.mean)});
        columns_.push_back(column);
    }
    if (has_first_scale_) first_moments_.resize(d_);
    if (keeps_originals_) original_features_.assign(std::size_t{capacity} * d_, 0);
    is_plain_ = std::ranges::all_of(columns_, [](const Column& column) {
        return !column.is_split() && !column.has_gaps() && !column.preparation.log && !column.clips();
    });
    set_factors();
}

void Preparer::set_factors() {
    if (!is_plain_) return;
    origins_.clear();
    factors_.clear();
    for (std::size_t j = 0; j < columns_.size(); ++j) {
        origins_.push_back(columns_[j].is_scaled() ? measures_[j].origin : 0);
        factors_.push_back(columns_[j].is_scaled() ? 1 / measures_[j].unit : 1);
    }
}

void Preparer::copy_measures_from(const Preparer& other) {
    measures_ = other.measures_;
    set_factors();
}

void Preparer::prepare(ConstRows rows, std::span<float> out) const {
    const std::size_t n = rows.size() / d_;
    if (is_plain_) {
        kernels().scale_rows(rows.data(), n, d_, origins_.data(), factors_.data(), limit, out.data());
    } else {
        std::ranges::fill(out, 0.0F);
        for (std::size_t i = 0; i < n; ++i) prepare_row(rows.data() + i * d_, out.data() + i * width_);
    }
    if (unit_rows_) scale_to_length_1(out);
}

void Preparer::scale_to_length_1(std::span<float> rows) const {
    for (std::size_t first = 0; first < rows.size(); first += width_) {
        const std::span<float> row = rows.subspan(first, width_);
        double squares = 0;
        for (const float value : row) squares += double{value} * value;
        if (squares == 0) continue;
        const double length = std::sqrt(squares);
        for (float& value : row) value = static_cast<float>(value / length);
    }
}

ConstRows Preparer::prepare(ConstRows rows) {
    prepared_.resize(rows.size() / d_ * width_);
    prepare(rows, prepared_);
    return prepared_;
}

// `out` must be zeros.
void Preparer::prepare_row(const float* row, float* out) const {
    for (std::size_t j = 0; j < d_; ++j) {
        const Column& column = columns_[j];
        const Measure& measure = measures_[j];
        const bool is_gap = column.is_gap(row[j]);
        const std::size_t values = column.values();
        if (column.has_missing_indicator() && std::isnan(row[j])) out[column.at + values] = 1;
        if (column.is_split()) {
            const double level = is_gap ? measure.fill : double{row[j]};
            if (level < 0) continue;
            out[column.at + static_cast<std::size_t>(std::min(level, static_cast<double>(values - 1)))] = 1;
        } else {
            const double value = is_gap ? measure.fill : column.transformed(row[j]);
            out[column.at] = bounded(column.is_scaled() ? (value - measure.origin) / measure.unit : value);
        }
    }
}

bool Preparer::is_due(std::uint64_t retained) const noexcept {
    const bool ends_first = std::ranges::any_of(columns_, [&](const Column& column) {
        return column.preparation.scale == Scale::first && points_at_last_check_ < column.preparation.first &&
               points_taken_ >= column.preparation.first;
    });
    const std::uint64_t every =
        renew_every_ > 0 ? renew_every_ : std::min(points_at_last_check_, std::max<std::uint64_t>(retained, 1));
    return ends_first || points_taken_ - points_at_last_check_ >= every;
}

// Returns whether a column with `Scale::first` has its final scale. While all its values are equal or missing, later
// points also count.
bool Preparer::has_final_scale(std::size_t j) const noexcept {
    return columns_[j].preparation.scale == Scale::first && first_points_ >= columns_[j].preparation.first &&
           first_moments_[j].deviation() > 0;
}

// Returns the measure of a column whose values have these figures; missing values are filled in with their mean.
Preparer::Measure Preparer::measure_of(std::size_t j, double mean, double deviation, double least,
                                       double greatest) const {
    if (columns_[j].is_range())
        return {least, usable(greatest - least, std::max(std::abs(least), std::abs(greatest))), mean};
    return {mean, usable(deviation, mean), mean};
}

// Returns the measures of the points in `rows`, before preparation. Columns without values keep their measures.
std::vector<Preparer::Measure> Preparer::measures_of(ConstRows rows, std::span<const double> weights) const {
    std::vector<Measure> measures = measures_;
    // Squares are taken of the distance from the previous origin. If the new mean is far away, they are taken again
    // around it: otherwise the difference of squares and squared mean would be rounding error.
    constexpr double far = 1e3;
    std::vector<double> origins;
    for (const Measure& measure : measures_) origins.push_back(measure.origin);
    for (bool again = true; again;) {
        const std::vector<WeightedSums> sums = sums_around(origins, rows, weights);
        again = false;
        for (std::size_t j = 0; j < d_; ++j) {
            if (sums[j].weight == 0) continue;
            const double off = sums[j].value / sums[j].weight, mean = origins[j] + off;
            const double variance = std::max(0.0, sums[j].square / sums[j].weight - off * off);
            measures[j] = measure_of(j, mean, std::sqrt(variance), sums[j].least, sums[j].greatest);
            if (origins[j] != mean && off * off > far * far * variance) again = true, origins[j] = mean;
        }
    }
    for (std::size_t j = 0; j < d_; ++j)
        if (columns_[j].needs_most_frequent()) measures[j].fill = most_frequent(j, rows, weights);
    return measures;
}

namespace {

// Sums the columns of rows, n x d, after subtracting their origins; on request, notes their least and greatest values.
std::vector<WeightedSums> plain_sums(ConstRows rows, std::size_t d, std::span<const double> origins,
                                     std::span<const double> weights, bool has_range) {
    return sums_of(rows.size() / d, d, [&](std::size_t first, std::size_t last, WeightedSums* sums) {
        std::vector<double> values(d), squares(d);
        const double* own = weights.empty() ? nullptr : weights.data() + first;
        kernels().add_moments(rows.data() + first * d, last - first, d, origins.data(), own, values.data(),
                              squares.data());
        double weight = weights.empty() ? static_cast<double>(last - first) : 0;
        for (std::size_t row = first; row < last && own != nullptr; ++row) weight += weights[row];
        for (std::size_t j = 0; j < d; ++j) sums[j] = {weight, values[j], squares[j]};
        if (!has_range) return;
        for (std::size_t row = first; row < last; ++row)
            if (own == nullptr || weights[row] > 0)
                for (std::size_t j = 0; j < d; ++j) sums[j].note(rows[row * d + j]);
    });
}

}  // namespace

// Sums the numeric columns after subtracting their origins; missing values are left out.
std::vector<WeightedSums> Preparer::sums_around(std::span<const double> origins, ConstRows rows,
                                                std::span<const double> weights) const {
    if (is_plain_) return plain_sums(rows, d_, origins, weights, has_range_);
    return sums_of(rows.size() / d_, d_, [&](std::size_t first, std::size_t last, WeightedSums* sums) {
        for (std::size_t row = first; row < last; ++row)
            for (std::size_t j = 0; j < d_; ++j) {
                const float x = rows[row * d_ + j];
                if (columns_[j].is_split() || columns_[j].is_gap(x)) continue;
                const double value = columns_[j].transformed(x), weight = weights.empty() ? 1 : weights[row];
                sums[j].add(value - origins[j], weight);
                if (weight > 0) sums[j].note(value);
            }
    });
}

double Preparer::most_frequent(std::size_t column, ConstRows rows, std::span<const double> weights) const {
    std::map<double, double> weight_of;
    for (std::size_t row = 0; row * d_ < rows.size(); ++row)
        if (const float x = rows[row * d_ + column]; !columns_[column].is_gap(x))
            weight_of[columns_[column].is_split() ? double{x} : columns_[column].transformed(x)] +=
                weights.empty() ? 1 : weights[row];
    const auto most = std::ranges::max_element(weight_of, {}, [](const auto& entry) { return entry.second; });
    return most == weight_of.end() ? 0 : most->first;
}

// Sets the drift figures: the distance of the points' measures from the measures in use.
void Preparer::note_drift(std::span<const Measure> points_measures) {
    figures_.drift = 0;
    figures_.column = 0;
    for (std::size_t j = 0; j < d_; ++j) {
        if (!columns_[j].is_scaled() && !columns_[j].follows_points()) continue;
        const double drift = drift_of(j, measures_[j], points_measures[j]);
        if (drift > figures_.drift) figures_.drift = drift, figures_.column = static_cast<std::uint32_t>(j);
    }
}

double Preparer::drift_of(std::size_t j, const Measure& from, const Measure& to) const {
    const double fill = columns_[j].is_range() && columns_[j].fills_in_mean() ? std::abs(to.fill - from.fill) : 0;
    return std::max(std::max(std::abs(to.origin - from.origin), fill) / from.unit,
                    std::abs(std::log(to.unit / from.unit)));
}

// Returns the next measure of a column whose retained points have the measure `points_measure`.
Preparer::Measure Preparer::next(std::size_t j, const Measure& points_measure) const {
    const Column& column = columns_[j];
    Measure next = measures_[j];
    if (column.preparation.scale == Scale::first) {
        const RunningMoments& firsts = first_moments_[j];
        next = measure_of(j, firsts.mean(), firsts.deviation(), firsts.least(), firsts.greatest());
    } else if (column.follows_points()) {
        // A fixed scale is given; only the mean that fills in missing values follows the points.
        const bool is_given = column.preparation.scale == Scale::fixed;
        next = is_given ? Measure{next.origin, next.unit, points_measure.fill} : points_measure;
    }
    if (column.preparation.fill)
        next.fill = *column.preparation.fill;
    else if (column.needs_most_frequent())
        next.fill = points_measure.fill;
    else if (column.is_split())
        next.fill = -1;
    return next;
}

std::optional<MeasureChange> Preparer::renew(Window& window, const PointBatch& batch) {
    if (batch.size() == 0) return std::nullopt;
    if (points_taken_ == 0) {
        if (has_first_scale_) add_to_first_moments(batch);
        measures_ = next_measures(measures_of(batch.features, batch.weights));
        set_factors();
        return std::nullopt;
    }
    if (window.size() == 0 || !is_due(window.size())) return std::nullopt;
    points_at_last_check_ = points_taken_;
    const ConstRows kept =
        keeps_originals_ ? ConstRows(original_features_).first(std::size_t{window.size()} * d_) : ConstRows();
    const std::vector<double> staying = weights_of_staying(window, batch);
    const bool none_remain = !staying.empty() && std::ranges::none_of(staying, [](double w) { return w > 0; });
    const std::vector<Measure> points_measures = !keeps_originals_ ? measures_of_prepared(window, staying)
                                                 : none_remain     ? measures_of(batch.features, batch.weights)
                                                                   : measures_of(kept, staying);
    note_drift(points_measures);
    if (!keeps_originals_) return std::nullopt;
    const std::vector<Measure> next = next_measures(points_measures);
    bool is_new = false;
    for (std::size_t j = 0; j < d_; ++j) {
        const bool ends_first = has_final_scale(j) && next[j] != measures_[j];
        const bool fill_changes = columns_[j].needs_most_frequent() && next[j].fill != measures_[j].fill;
        is_new = is_new || ends_first || fill_changes || drift_of(j, measures_[j], next[j]) > drift_tolerance;
    }
    if (!is_new) return std::nullopt;
    return remeasure(next, window);
}

// Returns the weights of the retained points; 0 for points that leave by age with this batch. Empty: all weigh 1.
std::vector<double> Preparer::weights_of_staying(const Window& window, const PointBatch& batch) {
    std::vector<double> weights(window.weights().begin(), window.weights().end());
    if (window.options().max_age == 0) return weights;
    weights.resize(window.size(), 1);
    for (Slot slot = 0; slot < window.size(); ++slot)
        if (window.is_too_old_at(slot, batch.event_time)) weights[slot] = 0;
    return weights;
}

std::vector<Preparer::Measure> Preparer::next_measures(std::span<const Measure> points_measures) const {
    std::vector<Measure> measures;
    for (std::size_t j = 0; j < d_; ++j) measures.push_back(next(j, points_measures[j]));
    return measures;
}

// Switches to new measures and prepares the retained points again.
MeasureChange Preparer::remeasure(const std::vector<Measure>& next, Window& window) {
    MeasureChange change;
    change.factors.assign(width_, 1);
    change.shifts.assign(width_, 0);
    for (std::size_t j = 0; j < d_; ++j) {
        if (!columns_[j].is_scaled()) continue;
        change.factors[columns_[j].at] = measures_[j].unit / next[j].unit;
        change.shifts[columns_[j].at] = (measures_[j].origin - next[j].origin) / next[j].unit;
    }
    measures_ = next;
    set_factors();
    ++figures_.renewals;
    const std::size_t n = window.size(), tasks = (n + rows_per_task - 1) / rows_per_task;
    const std::span<float> prepared = window.replaceable_features();
    parallel_for(std::size_t{0}, tasks, [&](std::size_t task) {
        const std::size_t first = task * rows_per_task, count = std::min(n - first, rows_per_task);
        prepare(ConstRows(original_features_).subspan(first * d_, count * d_),
                prepared.subspan(first * width_, count * width_));
    });
    return change;
}

// Computes the measures of the retained points from their scaled features.
std::vector<Preparer::Measure> Preparer::measures_of_prepared(const Window& window,
                                                              std::span<const double> weights) const {
    const std::vector<WeightedSums> sums =
        plain_sums(window.points().features, width_, std::vector<double>(width_), weights, has_range_);
    std::vector<Measure> measures = measures_;
    for (std::size_t j = 0; j < d_; ++j) {
        if (!columns_[j].is_scaled() || sums[columns_[j].at].weight == 0) continue;
        const WeightedSums& of = sums[columns_[j].at];
        const auto [origin, unit, fill] = measures_[j];
        const double mean = of.value / of.weight;
        const double variance = std::max(0.0, of.square / of.weight - mean * mean);
        measures[j] = measure_of(j, origin + mean * unit, std::sqrt(variance) * unit, origin + of.least * unit,
                                 origin + of.greatest * unit);
        measures[j].fill = fill;
    }
    return measures;
}

void Preparer::add_to_first_moments(const PointBatch& batch) {
    for (std::size_t i = 0; i < batch.size(); ++i, ++first_points_)
        for (std::size_t j = 0; j < d_; ++j) {
            const float x = batch.features[i * d_ + j];
            if (columns_[j].preparation.scale != Scale::first || has_final_scale(j) || columns_[j].is_gap(x)) continue;
            first_moments_[j].add(columns_[j].transformed(x), batch.weights.empty() ? 1 : batch.weights[i]);
        }
}

void Preparer::note(const Window& window, const WindowChange& change, const PointBatch& batch) {
    // `renew` has already added the stream's first batch, before it was prepared.
    if (has_first_scale_ && first_points_ == points_taken_) add_to_first_moments(batch);
    points_taken_ += batch.size();
    if (!keeps_originals_) return;
    for (const SlotMove& move : change.moved)
        std::copy_n(&original_features_[std::size_t{move.from} * d_], d_,
                    &original_features_[std::size_t{move.to} * d_]);
    for (std::size_t i = 0; i < change.written.size(); ++i)
        if (const std::uint32_t row = window.source(i); row != Window::no_row)
            std::copy_n(&batch.features[row * d_], d_, &original_features_[std::size_t{change.written[i]} * d_]);
}

void Preparer::save(StateWriter& writer, const Window& window) const {
    writer(1, measures_);
    if (keeps_originals_) writer(2, std::span<const float>(original_features_).first(std::size_t{window.size()} * d_));
    writer(3, first_moments_);
    writer(4, first_points_);
    writer(5, points_taken_);
    writer(6, points_at_last_check_);
    writer(7, figures_);
}

void Preparer::load(StateReader& reader, const Window& window) {
    const auto expect = [](bool holds, const char* what) {
        if (!holds) StateReader::fail(std::string("preparation: ") + what);
    };
    const std::size_t firsts = first_moments_.size();
    std::vector<float> kept;
    reader(1, measures_);
    if (keeps_originals_) reader(2, kept);
    reader(3, first_moments_);
    reader(4, first_points_);
    reader(5, points_taken_);
    reader(6, points_at_last_check_);
    reader(7, figures_);
    expect(measures_.size() == d_ && first_moments_.size() == firsts, "measures do not match the columns");
    for (const Measure& measure : measures_)
        expect(std::abs(measure.origin) <= largest_mean && measure.unit >= least_deviation &&
                   measure.unit <= 2 * largest_mean && std::abs(measure.fill) <= largest_mean,
               "a measure is out of range");
    for (const RunningMoments& moments : first_moments_) expect(moments.is_possible(), "moments are out of range");
    expect(points_at_last_check_ <= points_taken_ && first_points_ <= points_taken_ && points_taken_ >= window.size(),
           "points are miscounted");
    expect(figures_.column < d_ && figures_.drift >= 0, "a figure is out of range");
    if (keeps_originals_) {
        expect(kept.size() == std::size_t{window.size()} * d_, "the features do not match the window");
        for (std::size_t at = 0; at < kept.size(); ++at)
            expect(columns_[at % d_].is_possible_value(kept[at]), "a feature is out of range");
        std::ranges::copy(kept, original_features_.begin());
    }
    set_factors();
}

}  // namespace fairstream
