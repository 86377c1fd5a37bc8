#pragma once
/// Notes on values of a column that were perhaps meant otherwise than they are read.

#include <optional>
#include <string>
#include <vector>

#include <fairstream/csv/profile.hpp>
#include <fairstream/csv/remarks.hpp>

namespace fairstream::command {

/// Return notes on texts, `what` of a column of `file`, that are probably one text, or are in another encoding than
/// reports.
[[nodiscard]] std::vector<std::string> text_notes(const std::string& column, const std::string& what,
                                                  const std::vector<std::string>& texts, const std::string& file);

/// Says whether a column is called as those of ids are.
[[nodiscard]] bool may_name_ids(const std::string& column);
/// Returns a note on a feature that is probably an id, by its name and since no value comes twice. `has_ids`: another
/// column holds the ids of the points.
[[nodiscard]] std::optional<std::string> id_note(const csv::ColumnProfile& profile, bool has_ids);

/// Return a note on cells such as -999 that probably stand for a missing value.
[[nodiscard]] std::optional<std::string> stand_in_note(const csv::ColumnProfile& profile);
[[nodiscard]] std::string stand_in_note(const csv::StandInCells& cells, const std::string& what_else = "");

/// Returns a note on a column that no line of a pipe has had.
[[nodiscard]] std::string unmet_note(const std::string& column);

/// Return a note on a last row that is probably the sum of those before it.
[[nodiscard]] std::optional<std::string> total_note(const std::vector<csv::ColumnProfile>& profiles,
                                                    const std::string& file);
[[nodiscard]] std::string total_note(const csv::TotalCell& last, const std::string& file);

/// Returns a note on a column of text that seems to be one of ids. `has_ids`: another column holds those of the points.
[[nodiscard]] std::optional<std::string> text_id_note(const csv::ColumnProfile& profile, bool has_ids);

/// Returns a note on a column of words for no and yes in several spellings, and on what they are: "they are taken for
/// two values".
[[nodiscard]] std::optional<std::string> spellings_note(const csv::ColumnProfile& profile, const std::string& what);

/// Returns a note on a target with more than one value besides the `positive` one: all of them count as no.
[[nodiscard]] std::optional<std::string> negatives_note(const csv::ColumnProfile& profile, const std::string& positive);

/// Returns a note on a header that seems to be a row: some of its names are numbers, and some are values of their own
/// columns.
[[nodiscard]] std::optional<std::string> first_row_note(const std::vector<csv::ColumnProfile>& profiles,
                                                        const std::vector<std::string>& names, const std::string& file);

/// Returns a note on a header that is probably a row: all names are numbers, and do not count the columns.
[[nodiscard]] std::optional<std::string> header_note(const std::vector<std::string>& names, const std::string& file);

/// Returns a note on a date with a year of two digits that is ahead of the clock.
[[nodiscard]] std::string date_ahead_note(const csv::DateAhead& date);

/// Return a note on marks that are read as decimal ones and may separate thousands, or the other way round: all have
/// three digits after them.
[[nodiscard]] std::optional<std::string> decimal_mark_note(const csv::ColumnProfile& profile);
[[nodiscard]] std::string decimal_mark_note(const csv::LikeThousands& column);

}  // namespace fairstream::command
