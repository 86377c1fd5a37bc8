#pragma once
/// The names in reports: every JSON key of every command, with one type and one meaning wherever it stands. Schemas,
/// help and the list of names are made from this table.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fairstream::figures {

/// A JSON key. `type` is one of
/// - `number`, `unbounded` (a number, or the text "Infinity"), `share` (a number in [0, 1]), `integer`, `text`,
///   `yes/no`;
/// - `object NAME`: that shape; `[TYPE]`: a list; `{TYPE}`: an object whose keys are names of the data, or of options;
///   `any`: a value whose type such a key decides;
/// with `?` behind it where it may be null.
struct Word {
    std::string name;
    std::string type;
    std::string meaning;  ///< a line for people
};

/// The keys of an object, one after another with blanks between; `?` behind a key: it may be missing.
struct Shape {
    std::string_view name;
    std::string_view keys;
};

/// A report that a command prints or writes; a command may have several kinds of reports.
struct Report {
    std::string_view command;
    std::string_view shape;
    std::string_view when;  ///< what is reported, for people
};

/// Returns all words, in the order of their names: those of the table, and those that the engine has for the figures of
/// models, scores, predictions and groups.
[[nodiscard]] const std::vector<Word>& words();
/// Returns null where there is no such word.
[[nodiscard]] const Word* find_word(std::string_view name);

/// A key of a shape.
struct ShapeKey {
    std::string name;
    bool may_be_missing = false;
};
/// Returns the keys of a shape. Throws `std::logic_error` for a name that no shape has.
[[nodiscard]] std::vector<ShapeKey> keys_of(std::string_view shape);
[[nodiscard]] std::span<const Report> reports();

}  // namespace fairstream::figures
