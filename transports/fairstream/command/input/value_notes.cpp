#include <fairstream/command/input/value_notes.hpp>

#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include <fairstream/command/console/shell_word.hpp>
#include <fairstream/csv/shown.hpp>

namespace fairstream::command {
namespace {

bool is_utf8(const std::string& text) {
    try {
        (void)nlohmann::json(text).dump();
        return true;
    } catch (const nlohmann::json::type_error&) {
        return false;
    }
}

}  // namespace

std::vector<std::string> text_notes(const std::string& column, const std::string& what,
                                    const std::vector<std::string>& texts, const std::string& file) {
    std::vector<std::string> notes;
    std::map<std::string, std::string> by_letters;
    for (const std::string& text : texts) {
        const auto [other, is_new] = by_letters.emplace(csv::in_lower_case(text), text);
        if (is_new) continue;
        notes.push_back("column " + csv::shown(column) + ": " + what + " " + csv::shown(other->second) + " and " +
                        csv::shown(text) + " differ in capital letters only, and are two");
        break;
    }
    if (!std::ranges::all_of(texts, is_utf8))
        notes.push_back("column " + csv::shown(column) + " has text that is not UTF-8, of which reports show \uFFFD: " +
                        "iconv -f latin1 -t utf-8 " + shell_word(file) + " makes it so, if it is Latin-1");
    return notes;
}

std::optional<std::string> id_note(const csv::ColumnProfile& profile) {
    constexpr std::uint64_t least = 20;
    const std::string name = csv::in_lower_case(profile.name);
    const bool is_named_so = name == "id" || name.ends_with("_id") || name.ends_with(" id");
    if (!is_named_so || !profile.begins_with_different || profile.ids != profile.cells || profile.cells < least)
        return std::nullopt;
    return "column " + csv::shown(profile.name) +
           " is a feature, and no value comes twice: if these are ids, add --id " + shell_word(profile.name);
}

std::string decimal_point_note(const csv::LikeThousands& column) {
    return "column " + csv::shown(column.column) + " is read with decimal points, such as " + column.value +
           ": if they separate thousands, add --decimal-mark comma";
}

std::optional<std::string> decimal_point_note(const csv::ColumnProfile& profile) {
    constexpr std::uint64_t least = 3;
    if (profile.like_thousands < least || profile.like_thousands < profile.with_point) return std::nullopt;
    return decimal_point_note(csv::LikeThousands{profile.name, profile.first_with_point});
}

}  // namespace fairstream::command
