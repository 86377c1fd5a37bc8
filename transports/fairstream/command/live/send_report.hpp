#pragma once
/// What `fairstream send` says of points that may not have become what was meant.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <fairstream/files/input/input.hpp>
#include <fairstream/zmq/producer_window.hpp>

namespace fairstream::command {

/// A line about the input, and what it is about: of each thing one line is enough.
struct InputWarning {
    std::string about;
    std::string text;
};

/// Returns warnings of scaling by which files that are alike come to differ, of columns taken by position
/// (`PointSource::by_position`), of columns that are passed over, where targets of the stream, of this format, may be
/// among them, of targets and weights that one of the two lacks, of times in another unit, and of values that float32
/// does not keep apart.
[[nodiscard]] std::vector<InputWarning> input_warnings(const files::InputOptions& input,
                                                       const std::vector<std::string>& by_position,
                                                       const files::Remarks& remarks, const StreamFormat& format);

/// Returns a warning of points that leave the window since those to be sent have the time `now`, in microseconds;
/// nothing for none.
[[nodiscard]] std::optional<std::string> age_warning(const wire::WindowLimits& window, std::int64_t now);
/// Returns a warning of points of one message whose times are further apart than a window by age should blur; nothing
/// where they are not.
[[nodiscard]] std::optional<std::string> span_warning(const wire::WindowLimits& window, const files::Remarks& remarks,
                                                      const std::string& column);

/// Returns "38 values are missing, and filled in by the engine: column 'age' (37), 'work' (1)" as a line; nothing for
/// none.
[[nodiscard]] std::string missing_text(const std::vector<files::MissingCells>& missing);

/// Returns lines such as "37 cells of column 'city' are none of its levels: 'Paris2' (30), 'Lyonn' (7)", and what
/// becomes of such cells, after those of groups `of_groups`.
[[nodiscard]] std::string unlisted_lines(const std::vector<files::UnlistedCells>& unlisted,
                                         std::string_view of_groups = {});

/// Returns a line where more points were sent than the engine retains; nothing otherwise.
[[nodiscard]] std::string passed_text(const wire::WindowLimits& window, std::uint64_t points);

/// Returns the lines about points that came too late, of the `points` sent, rows that were left out, values that are
/// missing, and cells that are no group or level. `by_row`: ids are the numbers of rows.
[[nodiscard]] std::string losses_text(const zmq::ProducerStatistics& counts, std::uint64_t points,
                                      const files::Remarks& remarks, bool by_row);
/// Adds the same: `late_points`, `late_before` (null: none was late), `not_retained`, `unlisted`, `missing_values`,
/// `rows_without` and `bad_rows`.
void add_losses(const zmq::ProducerStatistics& counts, const files::Remarks& remarks, nlohmann::ordered_json& json);
/// Adds what became of a file's rows and cells: `unlisted`, `missing_values`, `rows_without` and `bad_rows`.
void add_remarks(const files::Remarks& remarks, nlohmann::ordered_json& json);

}  // namespace fairstream::command
