#pragma once
/// What errors on cells say that a user can do about them.

#include <cstddef>
#include <string>
#include <string_view>

namespace fairstream::csv {

/// What to do about a cell that is refused, each a clause without an end mark; empty: the error does not say.
struct Remedies {
    std::string text = {};      ///< a feature that is no number
    std::string missing = {};   ///< a feature whose value is missing
    std::string no_group = {};  ///< a cell that is none of the groups
    std::string date = {};      ///< a date in another order: the option, which orders that read it follow
    std::string bad_row = {};   ///< any row that cannot be used, after the remedies above
    std::string marks = {};     ///< a number with marks of thousands, or a comma
    std::string large = {};     ///< a feature of too large a magnitude
    std::string future = {};    ///< a time that is ahead of the clock
};

/// Returns the program that writes the text of a file of this name, which may be compressed.
[[nodiscard]] inline std::string unpacker_of(std::string_view file) {
    return file.ends_with(".gz") ? "zcat" : file.ends_with(".zst") ? "zstdcat" : "cat";
}
/// Returns how a program is given that text: "zcat FILE | sed 1d".
[[nodiscard]] inline std::string given_to(const std::string& program, std::string_view file) {
    const std::string unpacker = unpacker_of(file);
    return unpacker == "cat" ? program + " FILE" : unpacker + " FILE | " + program;
}
/// Returns how fairstream reads what a program makes of a file of this name.
[[nodiscard]] inline std::string edited_by(const std::string& program, std::string_view file) {
    return given_to(program, file) + " | fairstream ... --input -";
}

/// Returns what makes columns of all that is nested in JSON lines, "person.age" and "scores.0".
[[nodiscard]] inline std::string flattened(std::string_view file) {
    return edited_by(
        "jq -c '[paths(type != \"object\" and type != \"array\") as $p | {($p | map(tostring) | "
        "join(\".\")): getpath($p)}] | add // {}'",
        file);
}

/// Returns a remedy for a column: with the name in place of COL, where a shell takes it as it is.
[[nodiscard]] inline std::string for_column(std::string remedy, std::string_view name) {
    constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
    constexpr std::string_view place = "COL";
    if (name.empty() || name.find_first_not_of(letters) != std::string_view::npos) return remedy;
    for (std::size_t at = remedy.find(place); at != std::string::npos; at = remedy.find(place, at + name.size()))
        remedy.replace(at, place.size(), name);
    return remedy;
}

/// Returns a rule that a cell breaks, and the remedy after it.
[[nodiscard]] inline std::string with_remedy(const std::string& rule, const std::string& remedy) {
    return remedy.empty() ? rule : rule + ": " + remedy;
}

}  // namespace fairstream::csv
