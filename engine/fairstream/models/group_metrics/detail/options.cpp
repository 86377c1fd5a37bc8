#include <fairstream/models/group_metrics/detail/model.hpp>
#include <fairstream/models/group_metrics/detail/options.hpp>

#include <algorithm>
#include <string>

#include <fairstream/models/group_metrics/detail/columns.hpp>
#include <fairstream/targets/check_attributes.hpp>

namespace fairstream::group_metrics {

std::string option_text(const ColumnName& value) {
    return value.text;
}

bool read_option_text(std::string_view text, ColumnName& value) {
    const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; };
    if (text.empty() || std::ranges::any_of(text, is_control)) return false;
    value.text = text;
    return true;
}

std::uint32_t prediction_column(const Options& options, const StreamFormat& format) {
    const std::string& name = options.prediction.text;
    const auto refuse = [&](const std::string& why) {
        throw InvalidInput(Reason::bad_option, "prediction = " + name + ": " + why);
    };
    const std::vector<ColumnAsSent> columns = columns_as_sent(format);
    const auto found = std::ranges::find(columns, name, &ColumnAsSent::name);
    if (found == columns.end()) {
        std::string known;
        constexpr std::size_t most_shown = 8;
        for (std::size_t j = 0; j < std::min(columns.size(), most_shown); ++j)
            known += (known.empty() ? "" : ", ") + columns[j].name;
        if (columns.size() > most_shown) known += " and " + std::to_string(columns.size() - most_shown) + " more";
        refuse(
            "must be a column of numbers without missing values that [prepare] leaves as it is (its [[prepare.column]] "
            "needs scale = \"none\", missing = \"refuse\", no log and no clip; [prepare] needs no unit_rows): " +
            (known.empty() ? "there is no such column" : "such columns are " + known));
    }
    return found->index;
}

std::vector<AttributeSet> sets_of(const Options& options, const StreamFormat& format) {
    std::vector<int> attributes(options.attribute.begin(), options.attribute.end());
    if (options.attribute == OneOrMore<int>(-1) || format.attributes.empty()) {
        attributes.clear();
        for (std::size_t a = 0; a < format.attributes.size(); ++a) attributes.push_back(static_cast<int>(a));
    }
    return attribute_sets(attributes, options.intersections);
}

void Model::check(const Options& options, const StreamFormat& format) {
    check_ranges(options);
    check_attributes(options.attribute, format);
    if (options.attribute.size() > 1 && std::ranges::count(options.attribute, -1) > 0)
        throw InvalidInput(Reason::bad_option, "attribute: all cannot be combined with other attributes");
    (void)prediction_column(options, format);
    if (group_count(format, sets_of(options, format), most_groups) > most_groups)
        throw InvalidInput(Reason::bad_option,
                           "intersections = " + std::to_string(options.intersections) + ": makes more than " +
                               std::to_string(most_groups) +
                               " groups and intersections of groups; lower it, or name fewer attributes");
}

WorkEstimate Model::step_work(const Options& options, const StreamFormat& format, std::uint64_t points,
                              std::uint64_t retained) {
    const std::vector<AttributeSet> sets = sets_of(options, format);
    const auto groups = static_cast<double>(group_count(format, sets, most_groups));
    // Points are counted again when the unit of decaying weights changes.
    const double counted = static_cast<double>(format.has_weights ? std::max(points, retained) : points);
    return sum_of({{counted * work_of_pass_point * static_cast<double>(1 + sets.size()), "the number of points"},
                   {groups * (3 * groups + options.bins) * 4, "intersections"}});
}

}  // namespace fairstream::group_metrics
