#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include <fairstream/base/number_text.hpp>
#include <fairstream/fairness/detail/gap_interval.hpp>
#include <fairstream/fairness/detail/score_columns.hpp>
#include <fairstream/fairness/score_intervals.hpp>
#include <fairstream/numeric/detail/normal.hpp>

namespace fairstream {
namespace {

// The interval of E. B. Wilson ("Probable inference, the law of succession, and statistical inference", Journal of the
// American Statistical Association 22, 1927) for a share measured on `points` points.
Interval share_interval(double share, double points, double z) {
    const double shrunk = z * z / points;
    const double middle = (share + shrunk / 2) / (1 + shrunk);
    const double width = z / (1 + shrunk) * std::sqrt((share * (1 - share) + shrunk / 4) / points);
    return {std::clamp(middle - width, 0.0, share), std::clamp(middle + width, share, 1.0)};
}

// Returns the interval of the accuracy. Each group is a sample of its own, so differences of accuracy between groups
// are no sampling error.
Interval accuracy_interval(const std::vector<Column>& columns, double threshold, double z) {
    struct Part {
        double weight = 0, right = 0, points = 0;
    };
    std::vector<Part> parts;
    Part all;
    for (const Column& column : columns) {
        Part& part = parts.emplace_back();
        part.points = column.points;
        for (const Tie& tie : column.ties) {
            part.weight += tie.weight();
            part.right += tie.of_class(tie.score > threshold);
        }
        all.weight += part.weight;
        all.right += part.right;
    }
    if (columns.empty()) return {};
    const double share = all.right / all.weight;
    double variance = 0, even = 0;
    for (const Part& part : parts) {
        const double weight = part.weight / all.weight;
        // Adds two points with the overall share, because a small group may have no errors.
        const double own = (part.points * part.right / part.weight + 2 * share) / (part.points + 2);
        variance += weight * weight * own * (1 - own) / part.points;
        even += weight * weight / part.points;
    }
    const double all_alike = share * (1 - share) * even;
    return share_interval(share, (variance > 0 ? all_alike / variance : 1) / even, z);
}

// Weighted mean and variance of values.
struct ScoreMoments {
    double weight = 0, sum = 0, squares = 0;
    void add(double value, double of) {
        weight += of;
        sum += of * value;
        squares += of * value * value;
    }
    [[nodiscard]] double mean() const { return sum / weight; }
    [[nodiscard]] double variance() const { return std::max(0.0, squares / weight - mean() * mean()); }
};

// Returns the number of points for which a share p has the variance of an area under a curve; `null` is the variance at
// an area of 1/2. An area of 0 or 1 has no measurable variance; it gets the variance of an area about four points less
// extreme.
double points_of_area(double area, double variance, double null, double smaller) {
    const double part = std::min(1.0, 4 / smaller);
    return (area * (1 - area) + part / 4) / (variance + part * null);
}

// Returns the interval of the AUC, by placements within each group: E. R. DeLong, D. M. DeLong, D. L. Clarke-Pearson,
// "Comparing the areas under two or more correlated receiver operating characteristic curves", Biometrics 44(3), 1988.
Interval auc_interval(const std::vector<Column>& columns, double z) {
    double positives = 0, negatives = 0, all = 0, squares = 0;
    for (const Column& column : columns) {
        double weight = 0;
        for (const Tie& tie : column.ties) {
            positives += tie.positive;
            negatives += tie.negative;
            weight += tie.weight();
        }
        all += weight;
        squares += weight * weight / column.points;
    }
    if (!(positives > 0 && negatives > 0)) return {};
    // The first pass finds the area, the second the deviations of placements from it.
    const auto pass = [&](auto&& use) {
        double positive_above = 0, negative_above = 0;
        Descent descent(columns);
        double positive = 0, negative = 0;
        Score score = 0;
        const auto count = [&](const Tie& tie) {
            score = tie.score;
            positive += tie.positive;
            negative += tie.negative;
        };
        while (descent.step(count)) {
            for (std::size_t k = 0; k < columns.size(); ++k)
                if (const Tie* tie = descent.last(k); tie && tie->score == score)
                    use(k, *tie, 1 - (negative_above + negative / 2) / negatives,
                        (positive_above + positive / 2) / positives);
            positive_above += std::exchange(positive, 0);
            negative_above += std::exchange(negative, 0);
        }
    };
    double area = 0;
    pass([&](std::size_t, const Tie& tie, double place, double) { area += tie.positive / positives * place; });
    area = std::clamp(area, 0.0, 1.0);
    std::vector<ScoreMoments> moments(columns.size());
    pass([&](std::size_t k, const Tie& tie, double place, double negative_place) {
        moments[k].add((place - area) / positives, tie.positive);
        moments[k].add((negative_place - area) / negatives, tie.negative);
    });
    double variance = 0;
    for (std::size_t k = 0; k < columns.size(); ++k)
        variance += moments[k].weight * moments[k].weight * moments[k].variance() / columns[k].points;
    const double points = all * all / squares;  // effective number over all groups
    const double of_positives = points * positives / all, of_negatives = points * negatives / all;
    const double null = (1 / of_positives + 1 / of_negatives) / 12;
    return share_interval(area, points_of_area(area, variance, null, std::min(of_positives, of_negatives)), z);
}

// Share of a group from the top through the last tie for which `passes` is true.
double share_through_last(const Column& column, const std::function<bool(Score)>& passes) {
    const auto below = std::ranges::partition_point(column.ties, [&](const Tie& tie) { return passes(tie.score); });
    return below == column.ties.begin() ? 0 : std::prev(below)->above;
}
// Share of a group at or above the score.
double share_from(const Column& column, Score score) {
    return share_through_last(column, [&](Score own) { return own >= score; });
}
double share_strictly_above(const Column& column, double threshold) {
    return share_through_last(column, [&](Score own) { return own > threshold; });
}

// Scores at which gaps are evaluated. They are evenly spaced over each group's ranks that count, and denser near the
// ends of these ranks: there tails stop growing, and the largest gap may be a corner.
std::vector<Score> thresholds(const std::vector<Column>& columns, bool all_ranks) {
    const Intervals everything{{0, 1}};
    const double rows = 48, each = std::max(2.0, rows / static_cast<double>(columns.size()));
    std::vector<double> about{-1, 0, 1};  // in standard errors
    if (columns.size() <= 4) about = {-3, -2, -1.4, -1, -0.7, -0.4, -0.2, 0, 0.2, 0.4, 0.7, 1, 1.4, 2, 3};
    std::vector<Score> scores;
    for (const Column& column : columns) {
        const auto add = [&](double rank) {
            const auto tie = std::ranges::partition_point(column.ties, [&](const Tie& t) { return t.above < rank; });
            if (tie != column.ties.end()) scores.push_back(tie->score);
        };
        const double length = all_ranks ? 1 : column.length;
        for (const RankInterval& interval : all_ranks ? everything : column.intervals) {
            const double own = interval.to - interval.from, count = std::ceil(each * own / length);
            for (int i = 0; i < count; ++i) add(interval.from + own * (i + 0.5) / count);
            for (const double end : {interval.from, interval.to})
                if (0 < end && end < 1)
                    for (const double by : about) add(end + by * std::sqrt(end * (1 - end) / column.points));
        }
    }
    std::ranges::sort(scores, std::greater());
    scores.erase(std::ranges::unique(scores).begin(), scores.end());
    // Up to four groups use all scores; more groups use fewer, so that they cost no more than four groups do.
    const std::size_t most = std::clamp<std::size_t>(672 / columns.size(), 8, 168);
    if (scores.size() > most) {
        std::vector<Score> some;
        for (std::size_t i = 0; i < most; ++i) some.push_back(scores[(2 * i + 1) * scores.size() / (2 * most)]);
        scores = std::move(some);
    }
    return scores;
}

enum class RankScope { counting_ranks, all_ranks, differences_of_counting_ranks };

GapModel model_of_tails(const std::vector<Column>& columns, RankScope scope) {
    const std::vector<Score> scores = thresholds(columns, scope == RankScope::all_ranks);
    std::vector<GapRow> rows(scores.size());
    std::vector<std::vector<double>> times(columns.size());
    for (std::size_t k = 0; k < columns.size(); ++k)
        for (std::size_t i = 0; i < scores.size(); ++i) {
            const double share = share_from(columns[k], scores[i]), points = columns[k].points;
            rows[i].values.push_back({.value = share,
                                      .points = points,
                                      .noise = k * scores.size() + i,
                                      .ranks = scope == RankScope::all_ranks ? nullptr : &columns[k]});
            // Adds half a point on either side, because shares of 0 and 1 are not certain either.
            times[k].push_back((points * share + 0.5) / (points + 1));
        }
    return {std::move(rows), GapNoise::bridge,
            scope == RankScope::differences_of_counting_ranks ? GapOf::counted : GapOf::tails, many_rows_test,
            bridge_noise(times)};
}

GapRow decision_row(const std::vector<Column>& columns, double threshold) {
    GapRow row;
    for (const Column& column : columns)
        row.values.push_back(
            {.value = share_strictly_above(column, threshold), .points = column.points, .ranks = &column});
    return row;
}

// Share of positives, or negatives, among the points of a group near a rank, within about n^(-1/3) of it.
double class_share_near(const Column& column, double rank, bool positives) {
    const double reach = std::min(0.5, 0.5 / std::cbrt(column.points));
    double own = 0, all = 0, from = 0;
    for (const Tie& tie : column.ties) {
        if (tie.above > rank - reach && from < rank + reach) {
            own += tie.of_class(positives);
            all += tie.weight();
        }
        from = tie.above;
    }
    return all > 0 ? own / all : 0.5;
}

// Share of a group's class, among the ranks that count, above the threshold. Its error is that of M(theta) / M, with M
// the class's mass among the ranks. A point contributes directly, and by moving the ends of the ranks.
std::optional<GapValue> class_value(const Column& column, bool positives, double threshold) {
    double mass = 0, above = 0, weight = 0;
    for (const Tie& tie : column.ties) {
        mass += tie.of_class(positives) * tie.inside;
        weight += tie.weight();
        if (tie.score > threshold) above = mass;
    }
    if (!(mass > 0)) return std::nullopt;
    const double share = above / mass, part = mass / weight / column.scale;
    const double points = std::max(1e-9, column.points * part);
    const double binomial = share * (1 - share) / points;
    // Degrees of freedom are the effective points, but at least two: with fewer points next to nothing is known about
    // the error, and the interval gets no wider.
    const double freedom = std::max(2.0, points);
    if (binomial <= 0) return GapValue{share, points, freedom};
    struct End {
        double rank, step;
    };
    std::vector<End> ends;  // by rising rank
    const double threshold_rank = share_strictly_above(column, threshold);
    for (const RankInterval& interval : column.intervals)
        for (const bool start : {true, false}) {
            const double rank = start ? interval.from : interval.to;
            if (rank <= 0 || rank >= 1) continue;
            const double factor =
                (rank < threshold_rank ? 1 - share : -share) * class_share_near(column, rank, positives);
            ends.push_back({rank, start ? factor : -factor});
        }
    ScoreMoments moments;
    double moved = 0;
    for (auto tie = column.ties.rbegin(); tie != column.ties.rend(); ++tie) {
        while (!ends.empty() && ends.back().rank >= tie->above) {
            moved += ends.back().step;
            ends.pop_back();
        }
        const double own = tie->inside / column.scale * (tie->score > threshold ? 1 - share : -share);
        moments.add(own + moved, tie->of_class(positives));
        moments.add(moved, tie->of_class(!positives));
    }
    const double variance = moments.variance() / (part * part) / column.points;
    // A variance estimated from few points is uncertain itself: the fewer points, the more the binomial variance
    // counts.
    const double doubt = 1 / (points * points);
    return GapValue{share, points * std::clamp((binomial + doubt) / (variance + doubt), 0.02, 50.0), freedom};
}

std::optional<GapModel> model_of_rows(std::vector<GapRow> rows) {
    std::erase_if(rows, [](const GapRow& row) { return row.values.size() < 2; });
    std::size_t noise = 0;
    for (GapRow& row : rows)
        for (GapValue& value : row.values) value.noise = noise++;
    if (rows.empty()) return std::nullopt;
    return GapModel(std::move(rows), GapNoise::share, GapOf::tails, one_row_test, normal_noise(noise));
}

// Variance of a point's part in Pr(h >= h'), by side, times the squared length of the ranks. Placements increase only
// where the other side's point has a rank that counts (a Winsorised variance).
double upper_variance(const Column& upper, const Column& lower, double lower_mass) {
    ScoreMoments moments;
    double placement = 0;
    auto next = lower.ties.rbegin();
    for (auto tie = upper.ties.rbegin(); tie != upper.ties.rend(); ++tie) {
        for (; next != lower.ties.rend() && next->score <= tie->score; ++next)
            if (tie->counts) placement += next->mass() / lower_mass;
        moments.add(placement, tie->weight());
    }
    return moments.variance() / (upper.length * upper.length);
}

double lower_variance(const Column& upper, const Column& lower, double upper_mass) {
    ScoreMoments moments;
    double placement = 0;
    auto next = upper.ties.begin();
    bool counts = lower.top_counts;
    for (const Tie& tie : lower.ties) {
        for (; next != upper.ties.end() && next->score >= tie.score; ++next)
            if (counts) placement += next->mass() / upper_mass;
        moments.add(placement, tie.weight());
        counts = tie.counts;
    }
    return moments.variance() / (lower.length * lower.length);
}

// The variance of `upper_variance` and `lower_variance` for groups of equal distributions.
double variance_if_equal(const Column& column) {
    double mean = 0, square = 0, before = 0, at = 0;
    for (const RankInterval& interval : column.intervals) {
        const double length = (interval.to - interval.from) / column.length, after = before + length;
        mean += (interval.from - at) * before + (interval.to - interval.from) * (before + after) / 2;
        square += (interval.from - at) * before * before +
                  (interval.to - interval.from) * (before * before + before * after + after * after) / 3;
        before = after;
        at = interval.to;
    }
    return std::max(0.0, square + (1 - at) - (mean + 1 - at) * (mean + 1 - at)) / (column.length * column.length);
}

GapRow pair_row(const std::vector<Column>& columns, std::size_t first, std::size_t second) {
    const Column &a = columns[first], &b = columns[second];
    const auto [above, tied, a_mass, b_mass] = pair_masses(a, b);
    const double half = tied / (a_mass * b_mass) / 2, excess = above / (a_mass * b_mass) + half - 0.5;
    const double area = std::min(1.0, 0.5 + std::abs(excess) + half);
    const bool a_leads = excess >= 0;
    const double a_variance = a_leads ? upper_variance(a, b, b_mass) : lower_variance(b, a, b_mass);
    const double b_variance = a_leads ? lower_variance(a, b, a_mass) : upper_variance(b, a, a_mass);
    const double smaller = std::min(a.points * a.length, b.points * b.length);
    GapRow row;
    row.least = half;
    row.values.push_back(
        {.value = std::clamp(excess, -0.5, 0.5),
         .points = points_of_area(area, a_variance / a.points, variance_if_equal(a) / a.points, smaller),
         .noise = first});
    row.values.push_back(
        {.value = 0,
         .points = points_of_area(area, b_variance / b.points, variance_if_equal(b) / b.points, smaller),
         .noise = second});
    return row;
}

GapModel model_of_pairs(const std::vector<Column>& columns) {
    std::vector<GapRow> rows;
    for (std::size_t k = 0; k < columns.size(); ++k)
        for (std::size_t other = 0; other < k; ++other) rows.push_back(pair_row(columns, k, other));
    // With sixty groups or more, only the pairs with the largest gaps are used.
    constexpr std::size_t most = 2000;
    if (rows.size() > most) {
        const auto gap = [](const GapRow& row) { return row.least + std::abs(row.values.front().value); };
        std::ranges::nth_element(rows, rows.begin() + most, std::greater(), gap);
        rows.resize(most);
    }
    return {std::move(rows), GapNoise::pair, GapOf::tails, one_row_test, normal_noise(columns.size()), 0.5};
}

// Makes the model of each gap. Models refer to columns stored here, so they must not outlive this object.
class GapModels {
public:
    GapModels(const ScoreTally& tally, const RanksByGroup& ranks, double threshold, RankAmong among)
        : columns_(columns_of(tally, ranks)), threshold_(threshold), among_(among) {
        if (among == RankAmong::group_and_class)
            for (const bool positives : {false, true}) of_class_[positives] = columns_of(tally, ranks, positives);
    }

    [[nodiscard]] const std::vector<Column>& columns() const { return columns_; }
    [[nodiscard]] bool all_ranks_count() const {
        return std::ranges::all_of(columns_, [](const Column& column) { return column.length == 1; });
    }
    /// Returns nothing if the points carry no information on the gap.
    [[nodiscard]] std::optional<GapModel> of(ScoreGap gap) const {
        if (columns_.size() < 2) return std::nullopt;
        switch (gap) {
            case ScoreGap::sp:
                return model_of_tails(columns_, RankScope::counting_ranks);
            case ScoreGap::dp:
                return model_of_rows({decision_row(columns_, threshold_)});
            case ScoreGap::gauc:
                return model_of_pairs(columns_);
            case ScoreGap::eop:
                return model_of_rows({class_row(true)});
            case ScoreGap::eod:
                return model_of_rows({class_row(true), class_row(false)});
            case ScoreGap::tail_gap:
                return model_of_tails(columns_, RankScope::differences_of_counting_ranks);
            case ScoreGap::overall_gap:
                return model_of_tails(columns_, RankScope::all_ranks);
        }
        return std::nullopt;
    }

private:
    [[nodiscard]] GapRow class_row(bool positives) const {
        if (among_ == RankAmong::group_and_class) return decision_row(of_class_[positives], threshold_);
        GapRow row;
        for (const Column& column : columns_)
            if (const auto value = class_value(column, positives, threshold_)) row.values.push_back(*value);
        return row;
    }

    std::vector<Column> columns_, of_class_[2];
    double threshold_;
    RankAmong among_;
};

void check_confidence(double confidence) {
    if (!(0 < confidence && confidence < 1))
        throw InvalidInput(Reason::bad_option,
                           "confidence " + number_text(confidence) + ": must be above 0 and below 1");
}

}  // namespace

ScoreIntervals score_intervals(const ScoreTally& tally, const RanksByGroup& ranks, double threshold, RankAmong among,
                               double confidence) {
    return score_intervals(score_fairness(tally, ranks, threshold, among), tally, ranks, threshold, among, confidence);
}

ScoreIntervals score_intervals(const ScoreFairness& measured, const ScoreTally& tally, const RanksByGroup& ranks,
                               double threshold, RankAmong among, double confidence) {
    check_confidence(confidence);
    const GapModels models(tally, ranks, threshold, among);
    const double tail = (1 - confidence) / 2, z = -normal_quantile(tail);
    const auto of = [&](ScoreGap gap, double value) -> Interval {
        const std::optional<GapModel> model = models.of(gap);
        if (!model) return {0, gap == ScoreGap::gauc ? 0.5 : 1};
        const Interval found = model->interval(tail);
        return {std::min(found.low, value), std::max(found.high, value)};
    };
    ScoreIntervals intervals;
    const bool all_known = tally.known_groups() == tally.groups();
    const std::vector<Column> all = all_known ? std::vector<Column>() : columns_with_unknown_group(tally, ranks);
    intervals.accuracy = accuracy_interval(all_known ? models.columns() : all, threshold, z);
    intervals.auc = auc_interval(all_known ? models.columns() : all, z);
    intervals.sp = of(ScoreGap::sp, measured.sp);
    intervals.dp = of(ScoreGap::dp, measured.dp);
    intervals.gauc = of(ScoreGap::gauc, measured.gauc);
    intervals.eop = of(ScoreGap::eop, measured.eop);
    intervals.eod = of(ScoreGap::eod, measured.eod);
    const bool same = models.all_ranks_count();
    intervals.tail_gap = same ? intervals.sp : of(ScoreGap::tail_gap, measured.tail_gap);
    intervals.overall_gap = same ? intervals.sp : of(ScoreGap::overall_gap, measured.overall_gap);
    return intervals;
}

double upper_limit(ScoreGap gap, const ScoreTally& tally, const RanksByGroup& ranks, double threshold, RankAmong among,
                   double confidence) {
    check_confidence(confidence);
    const GapModels models(tally, ranks, threshold, among);
    const std::optional<GapModel> model = models.of(gap);
    return model ? model->upper_limit(1 - confidence) : gap == ScoreGap::gauc ? 0.5 : 1;
}

}  // namespace fairstream
