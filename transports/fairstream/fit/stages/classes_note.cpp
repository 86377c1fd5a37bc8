#include <fairstream/fit/stages/classes_note.hpp>

#include <algorithm>
#include <map>
#include <vector>

#include <fairstream/files/cells/numbers.hpp>
#include <fairstream/files/cells/shown.hpp>
#include <fairstream/models/partial_fair_scorer/partial_fair_scorer.hpp>
#include <fairstream/text/numbers.hpp>
#include <fairstream/text/shell_word.hpp>

namespace fairstream::fit {
namespace {

/// Number of points by value of the target.
using Classes = std::map<double, std::int64_t>;

bool learns_sign_of_targets(const FitOptions& options, const ModelOptions& model) {
    const auto* const scorer = model.get_if<partial_fair_scorer::Options>();
    return scorer != nullptr && scorer->loss != partial_fair_scorer::Loss::squared && !options.input.target.empty() &&
           !(options.stream && options.stream->positive);
}

/// Returns the cell with this value, in the file's spelling if known.
std::string cell_of(double value, const FitOptions& options) {
    double read = 0;
    if (options.stream)
        for (const std::string& level : options.stream->target_levels)
            if (files::read_number(level, files::DecimalMark::found, read) == std::errc() && read == value)
                return level;
    return brief(value);
}

/// Returns the values besides yes and no if both occur. 1 means yes; 0 means no, or -1 if there is no 0.
std::vector<double> codes_among(const Classes& classes) {
    const double no = classes.contains(0) ? 0 : -1;
    if (!classes.contains(no) || !classes.contains(1)) return {};
    std::vector<double> codes;
    for (const auto& [value, points] : classes)
        if (value != no && value != 1) codes.push_back(value);
    return codes;
}

/// Returns "8 (50 points) and 9 (50 points)".
std::string counted_codes(const std::vector<double>& codes, const Classes& classes, const FitOptions& options) {
    std::string text;
    for (std::size_t i = 0; i < codes.size(); ++i)
        text += (i == 0                  ? ""
                 : i + 1 == codes.size() ? " and "
                                         : ", ") +
                cell_of(codes[i], options) + " (" + counted(classes.at(codes[i]), "point") + ")";
    return text;
}

std::string note_on_codes(const std::vector<double>& codes, const Classes& classes, const FitOptions& options) {
    const std::string& column = options.input.target;
    const auto is_yes = [](double value) { return value > 0; };
    const bool all_yes = std::ranges::all_of(codes, is_yes), all_no = std::ranges::none_of(codes, is_yes);
    std::string remedy;
    for (const double code : codes) remedy += " --missing-text " + shell_word(column + "=" + cell_of(code, options));
    return "target column " + files::shown(column) + " has " + counted_codes(codes, classes, options) + " besides " +
           (classes.contains(0) ? "0" : "-1") + " and 1, but a scorer reads " +
           (all_yes  ? "values above 0 as yes"
            : all_no ? "values of 0 or below as no"
                     : "values above 0 as yes, all others as no") +
           ": if " + (codes.size() == 1 ? "it means" : "they mean") + " that the target is not known, add" + remedy +
           " --missing " + shell_word(column + "=drop");
}

std::string note_on_numbers(const Classes& classes, bool has_more, const FitOptions& options,
                            const files::Table& table) {
    const auto yes = std::ranges::count_if(table.targets, [](double target) { return target > 0; });
    const std::string all = has_more ? "more than " + std::to_string(classes.size()) + " values"
                                     : std::to_string(classes.size()) + " values";
    const auto [least, most] = std::ranges::minmax(table.targets);
    return "target column " + files::shown(options.input.target) + " has " + all + ", from " + brief(least) + " to " +
           brief(most) + ", but a scorer only learns whether they are above 0, as " + counted(yes) + " of " +
           counted(table.size(), "point") +
           " are: name the one value that means yes with --positive VALUE, or write a column of 0 and 1";
}

}  // namespace

std::optional<std::string> classes_note(const FitOptions& options, const ModelOptions& model,
                                        const files::Table& table) {
    constexpr std::size_t least = 20;  // in fewer points, values do not show their meaning
    if (table.size() < least || !learns_sign_of_targets(options, model)) return std::nullopt;
    Classes classes;
    bool has_more = false;
    constexpr std::size_t most_counted = 20;
    for (const double target : table.targets) {
        const auto found = classes.find(target);
        has_more = found == classes.end() && classes.size() == most_counted;
        if (has_more) break;
        ++classes[target];
    }
    if (classes.size() <= 2) return std::nullopt;
    constexpr std::size_t most_codes = 3;  // more values are grades, not codes
    const std::vector<double> codes = codes_among(classes);
    const bool may_be_codes = !has_more && !codes.empty() && codes.size() <= most_codes;
    return may_be_codes ? note_on_codes(codes, classes, options) : note_on_numbers(classes, has_more, options, table);
}

}  // namespace fairstream::fit
