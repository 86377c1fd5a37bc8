#include <fairstream/figures/target_report.hpp>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include <fairstream/base/option_fields.hpp>
#include <fairstream/files/cells/shown.hpp>
#include <fairstream/text/numbers.hpp>

namespace fairstream::figures {
namespace {

/// Largest number of groups that a text names; one more is named instead of "1 other".
constexpr std::size_t most_groups_named = 6;

/// Returns "; --set named_groups=3 counts it". The setting also lists the groups that already count. Empty if one of
/// `groups` has no point, as such a group must not count.
std::string counting_text(const ClusterTargets& options, const StreamFormat& format,
                          const std::vector<LeftOutGroup>& groups) {
    if (std::ranges::any_of(groups, [](const LeftOutGroup& group) { return group.points == 0; })) return "";
    if (groups.size() > most_groups_named + 1) return "; --set rare_below=0 counts every group";
    std::vector<int> numbers(options.named_groups.begin(), options.named_groups.end());
    std::erase(numbers, -1);
    for (const LeftOutGroup& group : groups) {
        int first = 0;  // the number of its attribute's first group
        for (const int attribute : options.attribute) {
            if (attribute == group.attribute) break;
            first += static_cast<int>(format.attributes[static_cast<std::size_t>(attribute)].groups.size());
        }
        numbers.push_back(first + static_cast<int>(group.group));
    }
    return "; --set named_groups=" + number_text(OneOrMore<int>(std::move(numbers))) +
           (groups.size() == 1 ? " counts it" : " counts them");
}

}  // namespace

std::string groups_text(const std::vector<LeftOutGroup>& groups, const StreamFormat& format) {
    std::vector<std::string> names;
    for (const LeftOutGroup& group : groups) {
        const Attribute& attribute = format.attributes[static_cast<std::size_t>(group.attribute)];
        names.push_back(files::shown(attribute.groups[group.group]) + " of " + files::shown(attribute.name) + " (" +
                        counted(group.points, "point") + ")");
    }
    return groups.size() > most_groups_named + 1
               ? files::first_few({names.begin(), names.begin() + most_groups_named}, most_groups_named) + " and " +
                     counted(groups.size() - most_groups_named, "other")
               : files::first_few(names, names.size());
}

std::string left_out_text(const ClusterTargets& options, const StreamFormat& format,
                          const std::vector<LeftOutGroup>& groups, const std::string& of) {
    return "groups left out of " + of + ", with fewer than " +
           number_text(options.rare_below.of(1) * options.clusters) +
           " points (rare_below x clusters): " + groups_text(groups, format) + counting_text(options, format, groups);
}

nlohmann::ordered_json missed_json(std::span<const TargetNote> missed) {
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    for (const TargetNote& note : missed) json.push_back(note.text);
    return json;
}

nlohmann::ordered_json left_out_json(const StreamFormat& format, const std::vector<LeftOutGroup>& groups) {
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    for (const LeftOutGroup& group : groups) {
        const Attribute& attribute = format.attributes[static_cast<std::size_t>(group.attribute)];
        json.push_back(
            {{"attribute", attribute.name}, {"group", attribute.groups[group.group]}, {"points", group.points}});
    }
    return json;
}

std::string default_target_text(const ClusterTargets& options, const StreamFormat& format) {
    const std::optional<double> parity = default_parity(options, format);
    if (!parity) return {};
    return "parity_at_least=" + number_text(*parity) +
           " is the default, as parity, unlike balance, allows for the sizes of groups; --set parity_at_least=0 asks "
           "for no target";
}

}  // namespace fairstream::figures
