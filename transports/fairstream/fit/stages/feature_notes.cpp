#include <fairstream/fit/stages/feature_notes.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <iterator>
#include <span>
#include <string_view>

#include <fairstream/base/printable.hpp>
#include <fairstream/files/cells/shown.hpp>
#include <fairstream/text/numbers.hpp>

namespace fairstream::fit {
namespace {

constexpr std::array<std::string_view, 13> outcome_words{"target",   "label",   "labels",    "class",    "outcome",
                                                         "approved", "default", "defaulted", "decision", "response",
                                                         "churn",    "recid",   "repaid"};
constexpr std::array<std::string_view, 15> protected_words{
    "sex",      "gender",      "race",        "ethnicity", "ethnic",   "religion", "nationality", "disability",
    "disabled", "citizenship", "orientation", "marital",   "pregnant", "caste",    "skin"};

// Returns the words of a column's name in lower case: "Applicant-Sex" gives applicant and sex.
std::vector<std::string> words_of_name(std::string_view name) {
    std::vector<std::string> words(1);
    for (const char c : name) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0)
            words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        else if (!words.back().empty())
            words.emplace_back();
    }
    return words;
}

bool has_word(const std::vector<std::string>& words, std::span<const std::string_view> of) {
    return std::ranges::any_of(words, [&](const std::string& word) { return std::ranges::count(of, word) > 0; });
}

// Returns the share of a column's variance between the groups of an attribute; 0 for a constant column.
double between_groups(const files::Table& table, std::size_t column, std::size_t attribute) {
    const std::size_t d = table.format.dimensions, a = table.format.attributes.size();
    const std::size_t groups = table.format.attributes[attribute].groups.size();
    std::vector<double> sums(groups), counts(groups);
    double sum = 0, count = 0, all = 0;
    for (std::size_t row = 0; row < table.size(); ++row) {
        const double x = table.features[row * d + column];
        if (std::isnan(x)) continue;
        const GroupId group = table.groups[row * a + attribute];
        sums[group] += x, counts[group] += 1, sum += x, count += 1;
    }
    if (count == 0) return 0;
    const double mean = sum / count;
    double between = 0;
    for (std::size_t g = 0; g < groups; ++g)
        if (counts[g] > 0) between += counts[g] * std::pow(sums[g] / counts[g] - mean, 2);
    for (std::size_t row = 0; row < table.size(); ++row)
        if (const double x = table.features[row * d + column]; !std::isnan(x)) all += (x - mean) * (x - mean);
    return all > 0 ? between / all : 0;
}

// Returns why a feature may not be meant as one; empty if there is no reason.
std::string doubt(const files::Table& table, std::size_t column) {
    constexpr double telling = 0.5;            // share of the variance
    constexpr std::size_t least_points = 100;  // with fewer points, a large share may be chance
    const std::vector<std::string> words = words_of_name(table.feature_names[column]);
    if (has_word(words, protected_words)) return "named like a protected attribute";
    if (has_word(words, outcome_words)) return "named like an outcome";
    if (table.size() < least_points) return "";
    for (std::size_t a = 0; a < table.format.attributes.size(); ++a) {
        const double share = between_groups(table, column, a);
        if (share >= telling)
            return "reveals the groups of " + files::shown(table.format.attributes[a].name) + ": " +
                   fixed(100 * share, 0) + " % of its variance lies between them";
    }
    return "";
}

}  // namespace

std::string features_text(const FitOptions& options, std::size_t dimensions) {
    constexpr std::size_t most_named = 12;
    std::string count = counted(dimensions, "feature");
    if (options.feature_names.empty()) return count;
    return count + " (" + printable(files::first_few(options.feature_names, most_named)) + ")";
}

std::vector<std::string> notes_on_features(const files::InputOptions& options, const files::Table& table) {
    constexpr std::size_t most_doubtful = 4;
    if (options.input.empty() || !options.features.empty() || !options.config.empty()) return {};
    std::vector<std::string> doubtful;
    for (std::size_t column = 0; column < table.feature_names.size(); ++column)
        if (const std::string why = doubt(table, column); !why.empty())
            doubtful.push_back(files::shown(table.feature_names[column]) + " (" + why + ")");
    if (doubtful.empty()) return {};
    return {"used as features, perhaps unintended: " + files::first_few(doubtful, most_doubtful) +
            "; --leave-out COL leaves a column out, --group and --target give it another role"};
}

}  // namespace fairstream::fit
