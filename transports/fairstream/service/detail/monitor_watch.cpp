#include <fairstream/service/detail/monitor_watch.hpp>

#include <array>
#include <cmath>
#include <string_view>
#include <utility>
#include <variant>

#include <fairstream/base/number_text.hpp>
#include <fairstream/base/printable.hpp>
#include <fairstream/fairness/group_metrics.hpp>

namespace fairstream::service {
namespace {

struct BoundedFigure {
    const char* figure;
    BoundStatus AttributeMetrics::*status;
    const NamedComparison& named;
};
constexpr std::array<BoundedFigure, 2> bounded_figures{
    {{"demographic parity difference", &AttributeMetrics::parity, parity_comparison},
     {"equalised odds difference", &AttributeMetrics::odds, odds_comparison}}};

std::string rounded(double value) {
    return number_text(std::round(value * 1000) / 1000);
}

// Returns the share of selected points if it is 0 or 1 and the points are enough to rule out chance.
std::optional<double> one_sided(const GroupFigures& all) {
    constexpr std::int64_t least = 100;
    const double selected = all.rate(GroupRate::selection).value;
    if (all.points < least || (selected != 0 && selected != 1)) return std::nullopt;
    return selected;
}

MonitorNote one_sided_note(std::string_view model, const GroupFigures& all) {
    const bool are_all = all.rate(GroupRate::selection).value == 1;
    return {true,
            printable(model) + ": all " + std::to_string(all.points) + " predictions are " +
                (are_all ? "at least the threshold" : "below the threshold") +
                ", so groups cannot differ: set threshold to the smallest prediction that should count as positive"};
}

MonitorNote bound_note(std::string_view model, const AttributeMetrics& attribute, const BoundedFigure& bounded,
                       bool is_left, Sequence sequence) {
    const GroupComparison& of = attribute.*bounded.named.comparison;
    std::string text =
        printable(model) + ": the " + bounded.figure + " of " + printable(crossed(attribute.attributes)) +
        (is_left ? " is above its bound" : " keeps its bound again") + " after event " + std::to_string(sequence);
    if (of.is_measured())
        text += ": " + rounded(of.difference) + ", 95 % interval " + rounded(of.interval.low) + " to " +
                rounded(of.interval.high);
    if (const std::string missing = missing_rates_text(attribute, bounded.named); !missing.empty())
        text += "; not measured: " + missing;
    return {is_left, std::move(text)};
}

}  // namespace

std::vector<MonitorNote> MonitorWatch::notes(const Update& update) {
    std::vector<MonitorNote> found;
    reported_.resize(update.models.size());
    for (std::size_t m = 0; m < update.models.size(); ++m) {
        const auto* const metrics = std::get_if<GroupMetrics>(&update.models[m].fairness);
        if (metrics == nullptr) continue;
        ReportedState& reported = reported_[m];
        const std::optional<double> before = std::exchange(reported.one_sided, one_sided(metrics->all));
        if (reported.one_sided) {  // bounds have no meaning then
            if (reported.one_sided != before) found.push_back(one_sided_note(update.models[m].model, metrics->all));
            continue;
        }
        reported.left.resize(metrics->attributes.size() * bounded_figures.size(), 0);
        for (std::size_t at = 0; at < reported.left.size(); ++at) {
            const AttributeMetrics& attribute = metrics->attributes[at / bounded_figures.size()];
            const BoundedFigure& bounded = bounded_figures.at(at % bounded_figures.size());
            const BoundStatus status = attribute.*bounded.status;
            const bool is_left = status == BoundStatus::left;
            if (status == BoundStatus::none) reported.left[at] = 0;  // the bound was removed
            if (reported.left[at] != 0 ? status != BoundStatus::within : !is_left) continue;
            reported.left[at] = is_left ? 1 : 0;
            found.push_back(bound_note(update.models[m].model, attribute, bounded, is_left, update.sequence));
        }
    }
    return found;
}

}  // namespace fairstream::service
