#pragma once
/// Warnings and losses in the report of `fairstream send`.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <fairstream/input/input.hpp>
#include <fairstream/zmq/producer_window.hpp>

namespace fairstream::command {

/// A warning about the input, and its topic. Each topic is warned about once.
struct InputWarning {
    std::string about;
    std::string text;
};

/// Returns warnings about:
/// - scaling that makes similar files differ,
/// - columns taken by position (`PointSource::by_position`),
/// - skipped columns that may hold the targets of the stream, whose format is `format`,
/// - targets or weights that only the file or only the stream has,
/// - times in another unit,
/// - values that float32 does not tell apart.
[[nodiscard]] std::vector<InputWarning> input_warnings(const files::InputOptions& input,
                                                       const std::vector<std::string>& by_position,
                                                       const files::Remarks& remarks, const StreamFormat& format);

/// Returns a warning about retained points that leave the window because the points to send have the time `now`, in
/// microseconds; nothing when none leaves.
[[nodiscard]] std::optional<std::string> age_warning(const wire::WindowLimits& window, std::int64_t now);
/// Returns a warning when points of one message lie far apart in time compared with the window's `max_age`, since all
/// of them get the latest time; nothing otherwise.
[[nodiscard]] std::optional<std::string> span_warning(const wire::WindowLimits& window, const files::Remarks& remarks,
                                                      const std::string& column);

/// Returns the line "38 values are missing, and filled in by the engine: column 'age' (37), 'work' (1)"; empty when
/// none is missing.
[[nodiscard]] std::string missing_text(const std::vector<files::MissingCells>& missing);

/// Returns lines such as "37 cells of column 'city' are not among its levels: 'Paris2' (30), 'Lyonn' (7)", and the
/// consequence for such cells. `of_groups` is the consequence that follows the lines about groups.
[[nodiscard]] std::string unlisted_lines(const std::vector<files::UnlistedCells>& unlisted,
                                         std::string_view of_groups = {});

/// Returns a line when more points were sent than the engine retains; empty otherwise.
[[nodiscard]] std::string passed_text(const wire::WindowLimits& window, std::uint64_t points);

/// Returns the lines about losses among `points` sent points: late points, rows left out, missing values, and cells
/// that are no group or level. `by_row`: ids are row numbers.
[[nodiscard]] std::string losses_text(const zmq::ProducerStatistics& counts, std::uint64_t points,
                                      const files::Remarks& remarks, bool by_row);
/// Adds the losses: `late_points`, `late_before` (null: none was late), `not_retained`, `unlisted`, `missing_values`,
/// `rows_without` and `bad_rows`.
void add_losses(const zmq::ProducerStatistics& counts, const files::Remarks& remarks, nlohmann::ordered_json& json);
/// Adds the losses of a file's rows and cells: `unlisted`, `missing_values`, `rows_without` and `bad_rows`.
void add_remarks(const files::Remarks& remarks, nlohmann::ordered_json& json);

}  // namespace fairstream::command
