#include <fairstream/targets/targets.hpp>

#include <algorithm>
#include <string>

#include <fairstream/base/option_fields.hpp>
#include <fairstream/targets/check_attributes.hpp>

namespace fairstream {
namespace {

constexpr double usual_parity = 0.8;  // the four-fifths rule

template <class T> bool any_above(const OneOrMore<T>& values, T limit) {
    return std::ranges::any_of(values, [&](T value) { return value > limit; });
}
template <class T> bool any_below(const OneOrMore<T>& values, T limit) {
    return std::ranges::any_of(values, [&](T value) { return value < limit; });
}

bool bounds_shares(const Targets& targets) {
    return any_below(targets.share_delta, 1.0) || any_above(targets.share_at_least, 0.0) ||
           any_below(targets.share_at_most, 1.0);
}

bool bounds_sizes(const Targets& targets) {
    return targets.size_at_least > 0 || targets.size_at_most > 0;
}

// Returns whether another target is asked for, so that the default parity does not apply.
bool has_other_target(const Targets& targets) {
    return any_above(targets.balance_at_least, 0.0) || bounds_shares(targets) || bounds_sizes(targets);
}

std::size_t group_count(const ClusterTargets& targets, const StreamFormat& format) {
    std::size_t groups = 0;
    for (const int attribute : targets.attribute)
        if (!format.attributes.empty()) groups += format.attributes[static_cast<std::size_t>(attribute)].groups.size();
    return groups;
}

// Returns the names of the groups of the balanced attributes, in the order of lists by group; if asked, with their
// numbers.
std::string group_names(const ClusterTargets& targets, const StreamFormat& format, bool numbered = false) {
    constexpr std::size_t most_named = 16;
    std::string names;
    std::size_t named = 0;
    for (const int attribute : targets.attribute)
        for (const std::string& group : format.attributes[static_cast<std::size_t>(attribute)].groups)
            if (++named <= most_named)
                names +=
                    (named == 1 ? "" : ", ") + (numbered ? std::to_string(named - 1) + ": " : "") + "'" + group + "'";
    return names + (named > most_named ? ", ..." : "");
}

// Throws unless each list has one value, one per attribute, or one per group, as its option requires.
void check_lists(const ClusterTargets& targets, const StreamFormat& format) {
    const auto check_list = [](const char* name, const auto& list, std::size_t wanted, const std::string& what) {
        if (list.size() != 1 && list.size() != wanted)
            throw InvalidInput(Reason::bad_option, std::string(name) + " = " + number_text(list) +
                                                       ": must be one value, or one for each of " +
                                                       std::to_string(wanted) + " " + what);
    };
    // With one attribute, more values require more names in the option `attribute`.
    const std::string of_attributes =
        targets.attribute.size() == 1 ? "attributes; name several in the option attribute" : "attributes";
    check_list("balance_at_least", targets.balance_at_least, targets.attribute.size(), of_attributes);
    check_list("parity_at_least", targets.parity_at_least, targets.attribute.size(), of_attributes);
    check_list("share_delta", targets.share_delta, targets.attribute.size(), of_attributes);
    if (format.attributes.empty()) return;
    const std::size_t groups = group_count(targets, format);
    const std::string of_groups = "groups, " + group_names(targets, format);
    check_list("share_at_least", targets.share_at_least, groups, of_groups);
    check_list("share_at_most", targets.share_at_most, groups, of_groups);
    for (const int group : targets.named_groups) {
        const std::string given = "named_groups = " + number_text(targets.named_groups);
        if (group >= 0 && static_cast<std::size_t>(group) >= groups)
            throw InvalidInput(Reason::bad_option, given + ": there are " + std::to_string(groups) + " groups, " +
                                                       group_names(targets, format, true));
        if (std::ranges::count(targets.named_groups, group) > 1)
            throw InvalidInput(Reason::bad_option,
                               given + ": names " + std::to_string(group) + " twice; name each group once");
    }
}

void check_cells(const Targets& targets, const StreamFormat& format) {
    std::size_t cells = 1;
    for (const int attribute : targets.attribute) {
        if (!format.attributes.empty()) cells *= format.attributes[static_cast<std::size_t>(attribute)].groups.size();
        if (cells > cell_limit)
            throw InvalidInput(Reason::bad_option, "attribute = " + number_text(targets.attribute) +
                                                       ": the groups make more than " + std::to_string(cell_limit) +
                                                       " combinations; name fewer attributes");
    }
}

}  // namespace

void check_targets(const ClusterTargets& targets, const StreamFormat& format) {
    if (const std::string_view option = first_group_option(targets); format.attributes.empty() && !option.empty())
        throw InvalidInput(Reason::bad_option,
                           std::string(option) + " needs groups, and the stream has no protected attribute");
    check_attributes(targets.attribute, format);
    check_lists(targets, format);
    check_cells(targets, format);
    for (std::size_t j = 0; j < group_count(targets, format); ++j)
        if (targets.share_at_least.of(j) > targets.share_at_most.of(j))
            throw InvalidInput(Reason::bad_option, "share_at_least = " + number_text(targets.share_at_least) +
                                                       ": must be at most share_at_most, " +
                                                       number_text(targets.share_at_most) + ", for every group");
    if (targets.rare_below.size() > 2 || targets.rare_below[0] > targets.rare_below.of(1))
        throw InvalidInput(Reason::bad_option,
                           "rare_below = " + number_text(targets.rare_below) +
                               ": must be one number, or two in rising order: a group is left out below the lower "
                               "number, and counts again from the higher number on");
    if (targets.size_at_most > 0 && targets.size_at_least > targets.size_at_most)
        throw InvalidInput(Reason::bad_option, "size_at_least = " + std::to_string(targets.size_at_least) +
                                                   ": must be at most size_at_most, " +
                                                   std::to_string(targets.size_at_most));
}

double parity_target(const Targets& targets, std::size_t a) {
    const double given = targets.parity_at_least.of(a);
    if (given >= 0) return given;
    return has_other_target(targets) ? 0 : usual_parity;
}

std::optional<double> default_parity(const Targets& targets, const StreamFormat& format) {
    for (std::size_t a = 0; a < targets.attribute.size() && !format.attributes.empty(); ++a)
        if (targets.parity_at_least.of(a) < 0 && !has_other_target(targets)) return usual_parity;
    return std::nullopt;
}

std::string_view first_group_option(const Targets& targets) {
    if (any_above(targets.balance_at_least, 0.0)) return "balance_at_least";
    if (any_above(targets.parity_at_least, 0.0)) return "parity_at_least";
    if (any_below(targets.share_delta, 1.0)) return "share_delta";
    if (any_above(targets.share_at_least, 0.0)) return "share_at_least";
    if (any_below(targets.share_at_most, 1.0)) return "share_at_most";
    if (any_above(targets.named_groups, -1)) return "named_groups";
    return "";
}

bool has_target(const Targets& targets, std::size_t attributes) {
    if (bounds_sizes(targets)) return true;
    if (attributes == 0) return false;
    if (any_above(targets.balance_at_least, 0.0) || bounds_shares(targets)) return true;
    for (std::size_t a = 0; a < targets.attribute.size(); ++a)
        if (parity_target(targets, a) > 0) return true;
    return false;
}

Targets without_targets(const Targets& targets) {
    return {.attribute = targets.attribute,
            .parity_at_least = 0,
            .rare_below = targets.rare_below,
            .named_groups = targets.named_groups};
}

}  // namespace fairstream
