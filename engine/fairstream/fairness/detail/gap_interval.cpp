#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <fairstream/fairness/detail/gap_interval.hpp>
#include <fairstream/numeric/detail/normal.hpp>
#include <fairstream/numeric/detail/random.hpp>

namespace fairstream {
namespace {

constexpr std::size_t draws = GapModel::draws;

// Returns how much of the ranks that count lies above a share.
double tail_of(const GapValue& value, double share) {
    return value.ranks ? overlap(value.ranks->intervals, 0, share) / value.ranks->length : share;
}

// Returns a share that has this tail (`tail_of`); `tail` is neither 0 nor 1.
double share_of(const GapValue& value, double tail) {
    if (!value.ranks) return tail;
    double left = tail * value.ranks->length;
    for (const RankInterval& interval : value.ranks->intervals) {
        if (left <= interval.to - interval.from) return interval.from + left;
        left -= interval.to - interval.from;
    }
    return value.ranks->intervals.back().to;
}

bool share_counts(const GapValue& value) {
    return contains(value.ranks->intervals, value.value);
}

struct Mean {
    double sum = 0, weight = 0;
    void add(double value, double points) {
        sum += points * value;
        weight += points;
    }
    [[nodiscard]] double value() const { return sum / weight; }
};

// Standard normal numbers of ten bits: midpoints of 1,024 equally probable parts of the distribution.
class NormalNumbers {
public:
    NormalNumbers() {
        for (std::size_t i = 0; i < table_.size(); ++i)
            table_[i] = static_cast<float>(
                normal_quantile((static_cast<double>(i) + 0.5) / static_cast<double>(table_.size())));
    }
    void fill(std::span<float> out) {
        std::uint64_t bits = 0;
        for (std::size_t i = 0; i < out.size(); ++i, bits >>= 10) {
            if (i % 6 == 0) bits = random_.next();
            out[i] = table_[bits % table_.size()];
        }
    }

private:
    std::array<float, 1024> table_;
    Random random_{1};
};

// Number of draws processed together.
constexpr std::size_t lanes = 256;
using Lanes = std::array<float, lanes>;

void add_noise(const GapValue& value, float deviation, const float* noise, Lanes& out) {
    const float share = static_cast<float>(value.value);
    for (std::size_t r = 0; r < lanes; ++r) out[r] = share + deviation * noise[r];
}

void convert_to_tails(const GapValue& value, Lanes& shares) {
    if (!value.ranks) return;
    Lanes sums{};
    // A least length keeps quotients within the range of float.
    const float scale = static_cast<float>(1 / std::max(value.ranks->length, 1e-30));
    for (const RankInterval& interval : value.ranks->intervals) {
        const float from = static_cast<float>(interval.from), length = static_cast<float>(interval.to - interval.from);
        for (std::size_t r = 0; r < lanes; ++r) sums[r] += scale * std::min(std::max(shares[r] - from, 0.0F), length);
    }
    shares = sums;
}

void raise_counted(const GapValue& value, const Lanes& shares, const Lanes& low, const Lanes& high, Lanes& top) {
    for (const RankInterval& interval : value.ranks->intervals) {
        const float from = static_cast<float>(interval.from), to = static_cast<float>(interval.to);
        for (std::size_t r = 0; r < lanes; ++r) {
            const float gap = std::max(shares[r] - low[r], high[r] - shares[r]);
            const float counted = (shares[r] >= from) & (shares[r] < to) ? gap : 0.0F;
            top[r] = std::max(top[r], counted);
        }
    }
}

// Returns the standard error of a share.
double error_of(const GapValue& share) {
    return std::sqrt(std::max(0.0, share.value * (1 - share.value)) / share.points);
}

// Returns whether the share is more than `errors` standard errors beyond the ranks that count, so that noise does not
// affect the tail.
bool beyond_top(const GapValue& value, double errors) {
    return value.ranks && value.value > value.ranks->intervals.back().to + errors * error_of(value);
}

bool beyond_bottom(const GapValue& value, double errors) {
    return value.ranks && value.value < value.ranks->intervals.front().from - errors * error_of(value);
}

// Moves a share to the nearest one with this tail; a share that already has it stays, since no other is likelier.
void set_tail(GapValue& value, double tail) {
    if (tail != tail_of(value, value.value)) value.value = share_of(value, tail);
}

// Returns how much of a change of `high` minus `low` falls to `low`: in proportion to the variances, which is
// likeliest. A share on which noise has no effect does not change.
double low_part_of_change(const GapValue& high, const GapValue& low, double errors) {
    if (beyond_top(high, errors) != beyond_bottom(low, errors)) return beyond_top(high, errors) ? 1 : 0;
    return high.points / (high.points + low.points);
}

// Cuts the tails of a row so that the lowest and the highest differ by `wanted`.
void cut_tails(GapRow& row, double wanted, double errors) {
    const auto tail = [](const GapValue& value) { return tail_of(value, value.value); };
    const auto [low, high] = std::ranges::minmax_element(row.values, {}, tail);
    const double excess = tail(*high) - tail(*low) - wanted;
    if (excess <= 0) return;
    const double bottom = std::clamp(tail(*low) + excess * low_part_of_change(*high, *low, errors), 0.0, 1.0);
    const double top = std::min(1.0, bottom + wanted);
    for (GapValue& value : row.values) set_tail(value, std::clamp(tail(value), bottom, top));
}

// Moves two groups apart: the pair that needs the fewest standard errors.
void stretch_tails(GapRow& row, double wanted, double errors) {
    std::vector<double> tails;
    for (const GapValue& value : row.values) tails.push_back(tail_of(value, value.value));
    std::size_t high = 0, low = 1;
    double fewest = std::numeric_limits<double>::infinity();
    for (std::size_t a = 0; a < tails.size(); ++a)
        for (std::size_t b = 0; b < tails.size(); ++b) {
            const double missing = wanted - (tails[a] - tails[b]);
            const double needed = missing / std::sqrt(1 / row.values[a].points + 1 / row.values[b].points);
            if (a != b && needed < fewest) {
                fewest = needed;
                high = a;
                low = b;
            }
        }
    const double missing = wanted - (tails[high] - tails[low]);
    if (missing <= 0) return;
    const double down = missing * low_part_of_change(row.values[high], row.values[low], errors);
    const double bottom = std::clamp(tails[low] - down, 0.0, std::max(0.0, 1 - wanted));
    set_tail(row.values[low], bottom);
    set_tail(row.values[high], std::min(1.0, bottom + wanted));
}

// Scales the shares about the mean of those whose ranks count, so that the gap becomes `wanted` and these ranks still
// count.
void narrow_shares(GapRow& row, double measured, double wanted) {
    Extent all;
    Mean counting, mean;
    for (const GapValue& value : row.values) {
        all.add(value.value);
        mean.add(value.value, value.points);
        if (share_counts(value)) counting.add(value.value, value.points);
    }
    if (wanted > measured && measured == 0) return;
    const double width = measured > 0 ? measured : all.width();
    if (width == 0 || wanted == width) return;
    const double fixed = counting.weight > 0 ? counting.value() : mean.value();
    for (GapValue& value : row.values)
        value.value = std::clamp(fixed + (value.value - fixed) * (wanted / width), 0.0, 1.0);
}

// Returns the quantile of Student's distribution for a normal quantile, by the first two terms of R. A. Fisher's
// expansion.
double student(double normal, double freedom) {
    return normal + (normal * normal + 1) * normal / (4 * freedom);
}

// A row with the sampling errors of its values.
struct NoisyRow {
    GapRow row;
    std::vector<float> deviations;  // deviations of the values, in units of the noise
    double noise_bound = 0;         // bound of the gap's change by noise, exceeded once in 100,000
};

NoisyRow with_noise(GapRow row, GapNoise kind) {
    NoisyRow out{std::move(row), {}, 0};
    constexpr double once_in_100_000 = 4.5;  // in standard errors
    double variance = 0;
    const double pair_gap = std::min(out.row.measured, out.row.least + std::abs(out.row.values.front().value));
    for (const GapValue& value : out.row.values) {
        const double v = value.value;
        const double own =
            std::max(0.0, kind == GapNoise::pair ? 0.25 - pair_gap * pair_gap : v * (1 - v)) / value.points;
        out.deviations.push_back(
            static_cast<float>(kind == GapNoise::bridge ? std::sqrt(1 / value.points) : std::sqrt(own)));
        const double length = value.ranks ? value.ranks->length : 1;
        const double wider = student(once_in_100_000, value.freedom) / once_in_100_000 / length;
        // The ends of a bridge have some noise, see `bridge_noise`.
        variance = std::max(variance, (own + 1 / (value.points * value.points)) * wider * wider);
    }
    out.noise_bound = once_in_100_000 * std::sqrt(2 * variance);
    return out;
}

}  // namespace

GapModel::GapModel(std::vector<GapRow> rows, GapNoise kind, GapOf of, GapTest test, std::vector<float> noise,
                   double largest)
    : rows_(std::move(rows)), kind_(kind), gap_of_(of), test_(test), noise_(std::move(noise)), largest_(largest) {
    for (const GapRow& row : rows_)
        for (const GapValue& value : row.values)
            if (value.freedom < std::numeric_limits<double>::infinity())
                for (float& z : std::span(&noise_[value.noise * draws], draws))
                    z = static_cast<float>(student(z, value.freedom));
    for (GapRow& row : rows_) {
        gaps_.push_back(gap(row));
        row.measured = gaps_.back();
        noise_bounds_.push_back(with_noise(row, kind_).noise_bound);
        measured_ = std::min(std::max(measured_, gaps_.back()), largest_);
    }
}

double GapModel::gap(const GapRow& row) const {
    Extent all;
    for (const GapValue& value : row.values)
        all.add(gap_of_ == GapOf::tails ? tail_of(value, value.value) : value.value);
    if (gap_of_ == GapOf::tails) return row.least + all.width();
    double largest = 0;
    for (const GapValue& value : row.values)
        if (share_counts(value)) largest = std::max({largest, value.value - all.low, all.high - value.value});
    return largest;
}

// Returns the row changed so that its gap fits a largest gap of `candidate`.
GapRow GapModel::shaped(std::size_t index, double candidate) const {
    GapRow row = rows_[index];
    const double measured = gaps_[index];
    double wanted = std::min(measured, candidate);
    if (candidate > measured_)
        wanted = kind_ == GapNoise::bridge && measured_ > 0 ? measured * candidate / measured_ : candidate;
    // Many thresholds show where a tail reaches an end of the ranks. A single one does not show it within some standard
    // errors.
    const double errors = kind_ == GapNoise::bridge ? 0 : 2;
    if (kind_ == GapNoise::pair) {
        double& excess = row.values.front().value;
        excess = std::copysign(std::clamp(wanted - row.least, 0.0, 0.5), excess);
    } else if (gap_of_ == GapOf::counted) {
        if (measured_ > 0) narrow_shares(row, measured, wanted);
    } else if (wanted > measured) {
        stretch_tails(row, wanted, errors);
    } else {
        cut_tails(row, wanted, errors);
    }
    return row;
}

// Returns all rows changed so that the largest gap is `candidate`. For a candidate above T, changes only the row whose
// change is smallest in standard errors. If rows are thresholds all are changed, because neighbours have similar gaps.
std::vector<GapRow> GapModel::shaped(double candidate) const {
    std::vector<GapRow> rows;
    for (std::size_t i = 0; i < rows_.size(); ++i) rows.push_back(shaped(i, candidate));
    if (kind_ == GapNoise::bridge || candidate <= measured_) return rows;
    std::size_t likeliest = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < rows.size(); ++i) {
        double squares = 0;
        for (std::size_t k = 0; k < rows[i].values.size(); ++k) {
            const GapValue& from = rows_[i].values[k];
            const double change = rows[i].values[k].value - from.value;
            const double error = kind_ == GapNoise::pair ? noise_bounds_[i] : error_of(from) + 1 / from.points;
            squares += change * change / (error * error);
        }
        if (squares < least) {
            least = squares;
            likeliest = i;
        }
    }
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (i != likeliest) rows[i] = rows_[i];
    return rows;
}

std::vector<float> GapModel::drawn(double candidate) const {
    std::vector<NoisyRow> rows;
    double almost_sure_gap = 0;  // T exceeds it almost surely
    for (GapRow& shape : shaped(candidate)) {
        rows.push_back(with_noise(std::move(shape), kind_));
        if (gap_of_ == GapOf::tails)
            almost_sure_gap = std::max(almost_sure_gap, gap(rows.back().row) - rows.back().noise_bound);
    }
    std::vector<float> largest(draws, 0.0F);
    Lanes shares, low, high, top;
    for (const NoisyRow& row : rows) {
        // Rows that cannot be the largest are skipped, which are most rows when gaps are large.
        if (gap_of_ == GapOf::tails && gap(row.row) + row.noise_bound < almost_sure_gap) continue;
        for (std::size_t from = 0; from < draws; from += lanes) {
            low.fill(std::numeric_limits<float>::infinity());
            high.fill(-std::numeric_limits<float>::infinity());
            const auto each = [&](auto&& use) {
                for (std::size_t k = 0; k < row.row.values.size(); ++k) {
                    const GapValue& value = row.row.values[k];
                    add_noise(value, row.deviations[k], &noise_[value.noise * draws + from], shares);
                    use(value);
                }
            };
            each([&](const GapValue& value) {
                // No share is measured beyond 0 or 1: groups at the same end have a gap of 0 there, with or without
                // noise.
                if (kind_ == GapNoise::share && !value.ranks)
                    for (float& share : shares) share = std::min(std::max(share, 0.0F), 1.0F);
                if (gap_of_ == GapOf::tails) convert_to_tails(value, shares);
                for (std::size_t r = 0; r < lanes; ++r) {
                    low[r] = std::min(low[r], shares[r]);
                    high[r] = std::max(high[r], shares[r]);
                }
            });
            top.fill(0);
            if (gap_of_ == GapOf::tails)
                for (std::size_t r = 0; r < lanes; ++r) top[r] = high[r] - low[r] + static_cast<float>(row.row.least);
            else
                each([&](const GapValue& value) { raise_counted(value, shares, low, high, top); });
            for (std::size_t r = 0; r < lanes; ++r) largest[from + r] = std::max(largest[from + r], top[r]);
        }
    }
    for (float& value : largest) value = std::min(value, static_cast<float>(largest_));
    return largest;
}

// Draws T for candidates, once for each.
class GapModel::Candidates {
public:
    Candidates(const GapModel& model, double tail) : model_(model), tail_(tail), upper_(tail), both_(1 - 2 * tail) {
        if (model.test_.level_widening > 1) {
            // Rows other than the largest raise T, unless the largest exceeds them by more than the noise. Widens the
            // level by how much these rows raise T.
            const double spread = quantile(model.measured_, 0.84) - quantile(model.measured_, 0.16);
            const double raised = quantile(model.measured_, 0.5) - model.measured_;
            const double level = spread > 0 ? std::clamp(raised / (0.075 * spread), 0.0, 1.0) : 0;
            upper_ *= 1 + (model.test_.level_widening - 1) * level;
        }
        floor_ = quantile(0, model.test_.floor);
        // The ends of an interval are rounded to a hundredth of the spread of T among equal groups.
        tolerance_ = std::max(0.01 * (quantile(0, 0.84) - quantile(0, 0.16)), 1e-7);
    }

    [[nodiscard]] double high() {
        const double from = std::max({model_.measured_, floor_, 2 * tolerance_});
        return std::max(model_.measured_, std::min(solve(from, tail_, 0, model_.largest_), farthest()));
    }
    [[nodiscard]] double low() {
        // If T is at the end of its range, all candidates above some value reach it; the smallest such candidate is
        // wanted.
        const double measured = std::min(model_.measured_, model_.largest_ - 2 * tolerance_);
        if (measured <= quantile(0, both_)) return 0;
        const double low = solve(measured, 1 - upper_, 0, measured);
        if (quantile(low, tail_) >= floor_) return low;
        // The lower tail is unused up to the candidate where it would pass the floor; until there the upper tail has
        // all of the probability.
        const double alone = solve(measured, both_, low, measured);
        return quantile(alone, tail_) <= floor_ ? alone : solve(floor_, tail_, low, alone);
    }

private:
    double quantile(double candidate, double p) {
        auto drawn = std::ranges::find(drawn_, candidate, &Drawn::candidate);
        if (drawn == drawn_.end()) drawn = drawn_.insert(drawn_.end(), {candidate, model_.drawn(candidate)});
        const std::size_t at = static_cast<std::size_t>(std::lround(p * static_cast<double>(draws - 1)));
        std::vector<float>& values = drawn->values;
        std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(at), values.end());
        return values[at];
    }
    // Returns the largest gap if each share moves only within its own standard errors. It is near 0 if all shares are
    // far beyond the ranks.
    double farthest() const {
        if (model_.kind_ != GapNoise::share) return model_.largest_;
        double widest = 0;
        for (const GapRow& row : model_.rows_) {
            const double errors = -normal_quantile(tail_ / static_cast<double>(row.values.size()));
            Extent all;
            for (const GapValue& value : row.values) {
                const double error = errors * (error_of(value) + 1 / value.points);
                all.add(tail_of(value, std::max(0.0, value.value - error)));
                all.add(tail_of(value, std::min(1.0, value.value + error)));
            }
            widest = std::max(widest, all.width());
        }
        return widest;
    }
    // Returns the candidate in [low, high] whose quantile is `target`; the nearer end if there is none.
    double solve(double target, double p, double low, double high) {
        // The search starts at the measured value, for which T is drawn anyway. Quantiles grow about as fast as the
        // candidate.
        double next = std::clamp(model_.measured_, low, high);
        double before = std::numeric_limits<double>::infinity();
        for (int i = 0; i < 24 && high - low > tolerance_; ++i) {
            const double missing = target - quantile(next, p);
            if (std::abs(missing) <= tolerance_) return next;
            (missing > 0 ? low : high) = next;
            const double step = next + missing;
            // Steps would not end where the quantile is constant, as at the end of the range of T; the bracket is then
            // halved.
            const bool nearer = std::abs(missing) < before / 2 && low < step && step < high;
            before = std::abs(missing);
            next = nearer ? step : (low + high) / 2;
        }
        return next;
    }

    struct Drawn {
        double candidate;
        std::vector<float> values;
    };
    const GapModel& model_;
    double tail_, upper_, both_, floor_ = 0, tolerance_ = 0;
    std::vector<Drawn> drawn_;
};

Interval GapModel::interval(double tail) const {
    Candidates candidates(*this, tail);
    return {candidates.low(), candidates.high()};
}

double GapModel::upper_limit(double tail) const {
    return Candidates(*this, tail).high();
}

std::vector<float> normal_noise(std::size_t rows) {
    std::vector<float> noise(rows * draws);
    constexpr std::size_t most = 8;
    if (rows > most) {
        NormalNumbers().fill(noise);
        return noise;
    }
    // In few dimensions a quasirandom sequence covers space more evenly than random numbers do (M. Roberts, "The
    // unreasonable effectiveness of quasirandom sequences", 2018): steps of 1 / g^k with g^(rows + 1) = g + 1.
    double golden = 1.5;
    for (int i = 0; i < 60; ++i) golden = std::pow(1 + golden, 1.0 / static_cast<double>(rows + 1));
    for (std::size_t k = 0; k < rows; ++k) {
        const double step = std::pow(golden, -static_cast<double>(k + 1));
        for (std::size_t r = 0; r < draws; ++r) {
            const double at = 0.5 + static_cast<double>(r + 1) * step;
            noise[k * draws + r] = static_cast<float>(normal_quantile(std::max(at - std::floor(at), 1e-9)));
        }
    }
    return noise;
}

std::vector<float> bridge_noise(const std::vector<std::vector<double>>& times) {
    std::size_t rows = 0;
    for (const std::vector<double>& list : times) rows += list.size();
    std::vector<float> noise(rows * draws), walk(draws), step(draws);
    NormalNumbers normal;
    auto out = noise.begin();
    for (const std::vector<double>& list : times) {
        std::ranges::fill(walk, 0.0F);
        const auto go = [&](double time) {
            const float deviation = static_cast<float>(std::sqrt(std::max(time, 0.0)));
            normal.fill(step);
            for (std::size_t r = 0; r < draws; ++r) walk[r] += deviation * step[r];
        };
        const auto first = out;
        double before = 0;
        for (const double time : list) {
            go(time - before);
            out = std::ranges::copy(walk, out).out;
            before = time;
        }
        go(1 - before);
        auto bridge = first;
        for (const double time : list)
            for (std::size_t r = 0; r < draws; ++r) *bridge++ -= static_cast<float>(time) * walk[r];
    }
    return noise;
}

}  // namespace fairstream
