/// A monitor beside a small service that decides on loans. The service's decisions drift against one group; whether a
/// loan is paid back is known weeks later. The monitor reports which figures are within their bounds, and which have
/// left them.
///
///     build/release/bin/monitor_demo        # or ./dev demo monitor

#include <algorithm>
#include <cstdio>
#include <deque>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <fairstream/engine.hpp>
#include <fairstream/models/group_metrics/group_metrics.hpp>

using namespace fairstream;

namespace {

constexpr std::size_t applicants_a_week = 500, weeks = 40, drift_begins = 12, weeks_until_known = 4;

/// Stands for a service with a model of its own, which estimates the probability that a loan is paid back.
class LoanService {
public:
    /// Fills in a week of applicants with the service's scores; returns whether each would pay back.
    std::vector<float> decide(std::size_t week, PointColumns& applicants) {
        applicants.clear();
        std::vector<float> paid_back;
        // From this week on, the service scores women lower than they deserve, a little more every week.
        const double bias = week < drift_begins ? 0 : 0.012 * static_cast<double>(week - drift_begins + 1);
        for (std::size_t i = 0; i < applicants_a_week; ++i) {
            const GroupId sex = unit_(random_) < 0.45 ? 0 : 1, age = static_cast<GroupId>(3 * unit_(random_));
            const double chance = 0.2 + 0.75 * unit_(random_);
            const double score = std::max(0.0, chance - (sex == 0 ? bias : 0));
            applicants.ids.push_back(next_id_++);
            applicants.features.push_back(static_cast<float>(score));
            applicants.groups.insert(applicants.groups.end(), {sex, age});
            applicants.targets.push_back(std::numeric_limits<float>::quiet_NaN());  // unknown yet
            paid_back.push_back(unit_(random_) < chance ? 1.0F : 0.0F);
        }
        return paid_back;
    }

private:
    std::mt19937_64 random_{7};
    std::uniform_real_distribution<double> unit_{0, 1};
    PointId next_id_ = 0;
};

/// Counts of a week's loans by their result.
struct Repayments {
    std::vector<PointId> ids;
    std::vector<float> paid_back;
};

Engine monitor() {
    group_metrics::Options options;
    options.prediction.text = "score";
    options.threshold = 0.6;  // loans are granted from this score on
    options.least_points = 30;
    options.parity_difference_at_most = 0.1;
    options.odds_difference_at_most = 0.1;
    StreamFormat format{1, {{"sex", {"female", "male"}}, {"age", {"under 30", "30 to 54", "55 and over"}}}, true};
    format.columns = {{"score"}};
    format.targets_come_later = true;
    return Engine({.format = format, .window = {.capacity = 4000}, .models = {{"loans", options, {}}}});
}

std::string shown(const GroupComparison& comparison, BoundStatus status) {
    if (!comparison.is_measured()) return "not known yet";
    char text[64];
    std::snprintf(text, sizeof text, "%.3f (%.3f to %.3f) %s", comparison.difference, comparison.interval.low,
                  comparison.interval.high, std::string(to_string(status)).c_str());
    return text;
}

}  // namespace

int main() {
    LoanService service;
    Engine engine = monitor();
    std::deque<Repayments> open_loans;
    PointColumns applicants;
    std::printf("differences between the sexes, with their 95 %% intervals; the bound of each is 0.1\n\n");
    std::printf("week  %-38s %-38s no outcome\n", "demographic parity", "equalised odds");
    for (std::size_t week = 1; week <= weeks; ++week) {
        const std::vector<float> paid_back = service.decide(week, applicants);
        engine.ingest(applicants.view());
        open_loans.push_back({applicants.ids, paid_back});
        if (open_loans.size() > weeks_until_known) {
            engine.ingest(Outcomes{open_loans.front().ids, open_loans.front().paid_back});
            open_loans.pop_front();
        }
        const GroupMetrics metrics = engine.report("loans").group_metrics();
        const AttributeMetrics& sex = metrics.attributes[0];
        std::printf("%4zu  %-38s %-38s %lld of %lld\n", week, shown(sex.demographic_parity, sex.parity).c_str(),
                    shown(sex.equalised_odds, sex.odds).c_str(), static_cast<long long>(metrics.all.without_outcome),
                    static_cast<long long>(metrics.all.points));
        if (sex.parity == BoundStatus::left && sex.odds == BoundStatus::left) {
            std::printf("\nboth figures left their bounds by more than chance, %zu weeks after the drift began\n",
                        week - drift_begins + 1);
            const GroupFigures &women = sex.groups[0], &men = sex.groups[1];
            std::printf(
                "loans granted: to %.1f %% of women and %.1f %% of men; among those who pay back, to %.1f %% and %.1f "
                "%%\n",
                100 * women.rate(GroupRate::selection).value, 100 * men.rate(GroupRate::selection).value,
                100 * women.rate(GroupRate::true_positive).value, 100 * men.rate(GroupRate::true_positive).value);
            return 0;
        }
    }
    std::printf("\nno figure left its bound by more than chance\n");
    return 1;
}
