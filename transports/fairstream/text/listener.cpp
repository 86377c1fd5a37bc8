#include <fairstream/text/listener.hpp>

#include <algorithm>
#include <map>
#include <vector>

#include <fairstream/text/numbers.hpp>

namespace fairstream {
namespace {

/// Returns a text without quoted names, numbers and the advice at its end: notes of one kind differ only there.
std::string kind_of_note(std::string_view text) {
    text = text.substr(0, text.find(": add --"));
    std::string kind;
    bool is_quoted = false;
    for (const char c : text) {
        if (c == '\'') is_quoted = !is_quoted;
        if (!is_quoted && (c < '0' || c > '9')) kind += c;
    }
    return kind;
}

/// Returns the first quoted name of a text, with its quotes; empty: there is none.
std::string first_name(const std::string& text) {
    const std::size_t from = text.find('\'');
    const std::size_t to = from == text.npos ? from : text.find('\'', from + 1);
    return to == text.npos ? "" : text.substr(from, to + 1 - from);
}

/// Returns "48 more notes of this kind: 'c6', 'c7', ...".
std::string rest_text(const std::vector<std::string>& texts) {
    constexpr std::size_t most_named = 20;
    std::string names;
    for (std::size_t i = 0; i < std::min(texts.size(), most_named); ++i)
        if (const std::string name = first_name(texts[i]); !name.empty()) names += (names.empty() ? ": " : ", ") + name;
    if (!names.empty() && texts.size() > most_named) names += ", ...";
    return counted(texts.size(), "more note") + " of this kind" + names;
}

}  // namespace

void Listener::notes(std::span<const std::string> texts) {
    constexpr std::size_t most_of_kind = 5;
    std::vector<std::string> different;
    std::map<std::string, std::size_t> times;
    std::map<std::string, std::vector<std::string>> kinds;
    for (const std::string& text : texts)
        if (++times[text] == 1) {
            different.push_back(text);
            kinds[kind_of_note(text)].push_back(text);
        }
    for (const std::string& text : different) {
        const std::vector<std::string>& alike = kinds[kind_of_note(text)];
        const auto at = static_cast<std::size_t>(std::ranges::find(alike, text) - alike.begin());
        const bool is_cut = alike.size() > most_of_kind + 1;
        if (!is_cut || at < most_of_kind) {
            const std::size_t count = times[text];
            note(count == 1 ? text : text + " (" + counted(count, "time") + ")");
        } else if (at == most_of_kind) {
            note(rest_text({alike.begin() + most_of_kind, alike.end()}));
        }
    }
}

}  // namespace fairstream
