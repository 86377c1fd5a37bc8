#pragma once
/// The names in reports: every JSON key of every command, with one type and one meaning everywhere. Schemas, help and
/// the list of names are generated from this table.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fairstream::figures {

/// A JSON key and its type, which is one of the following, with `?` behind it if the value may be null.
/// - `number`, `integer`, `text`, `yes/no`;
/// - `unbounded`: a number, or the text "Infinity";
/// - `share`: a number in [0, 1];
/// - `object NAME`: an object of the shape of that name;
/// - `[TYPE]`: a list;
/// - `{TYPE}`: an object whose keys are names of options or names in the data;
/// - `any`: a value whose type another key decides.
struct Word {
    std::string name;
    std::string type;
    std::string meaning;  ///< a line for people
};

/// The keys of an object, separated by blanks. A `?` behind a key means that it may be missing.
struct Shape {
    std::string_view name;
    std::string_view keys;
};

/// A report that a command prints or writes; a command may have several kinds of reports.
struct Report {
    std::string_view command;
    std::string_view shape;
    std::string_view when;  ///< what the report covers, for people
};

/// Returns all words, sorted by name: those of the table, and the engine's figures of models, scores, predictions and
/// groups.
[[nodiscard]] const std::vector<Word>& words();
/// Returns null for an unknown word.
[[nodiscard]] const Word* find_word(std::string_view name);

/// One of the keys in `Shape::keys`.
struct ShapeKey {
    std::string name;
    bool may_be_missing = false;
};
/// Returns the keys of a shape. Throws `std::logic_error` for an unknown shape.
[[nodiscard]] std::vector<ShapeKey> keys_of(std::string_view shape);
[[nodiscard]] std::span<const Report> reports();

}  // namespace fairstream::figures
