#include <fairstream/command/live/send_report.hpp>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include <fairstream/config/duration.hpp>
#include <fairstream/input/described_file.hpp>
#include <fairstream/text/numbers.hpp>
#include <fairstream/text/shell_word.hpp>

namespace fairstream::command {
namespace {

using nlohmann::ordered_json;

std::string grouped(std::uint64_t value) {
    return counted(static_cast<std::int64_t>(value));
}

std::string scaling_warning(const std::string& option, const files::Remarks& remarks) {
    const std::string text = option + " scales this file by statistics of this file";
    if (remarks.coarse.empty()) return text + "; [prepare] scale in the engine's configuration scales all files alike";
    std::string columns;
    for (const files::CoarseColumn& column : remarks.coarse)
        columns += (columns.empty() ? "" : ", ") + files::shown(column.column);
    return text + ", and other files differently; without it, values of " + columns +
           " are too large to be told apart as float32, and [prepare] scale does not help: subtract a number "
           "from them instead";
}

std::string coarse_warning(const files::CoarseColumn& coarse) {
    return "column " + files::shown(coarse.column) + ": values are sent as float32, so " + fixed(100 * coarse.lost, 0) +
           " % of the differences between one row and the next are lost; if they matter, subtract a number near " +
           fixed(coarse.value, 0) + " from all values, in every file for this engine";
}

std::string left_out_text(const files::Remarks& remarks) {
    std::string text;
    for (const std::string& line : files::rows_without_lines(remarks)) text += line + "\n";
    if (remarks.bad_rows == 0) return text;
    text += "left out " + counted(remarks.bad_rows, "row") + " that cannot be used; the first:\n";
    for (const std::string& what : remarks.first_bad) text += "  " + what + "\n";
    return text;
}

/// Returns "37 cells of column 'city' are not among its levels: 'Paris2' (30), 'Lyonn' (7)".
std::string unlisted_cells_text(const files::UnlistedCells& unlisted) {
    using Kind = files::UnlistedCells::Kind;
    const std::string are = unlisted.cells == 1 ? " is " : " are ";
    const std::string what = unlisted.kind == Kind::levels ? "not among its levels"
                             : unlisted.kind == Kind::groups
                                 ? "not among its groups, and counted as " + files::shown(unlisted.taken_for)
                                 : "not the text of --positive, and counted as 0";
    std::string text =
        counted(unlisted.cells, "cell") + " of column " + files::shown(unlisted.column) + are + what + ":";
    std::uint64_t named = 0;
    for (const auto& [cell, count] : unlisted.first) {
        text += (named > 0 ? ", " : " ") + files::shown(cell) + " (" + grouped(count) + ")";
        named += count;
    }
    return named < unlisted.cells ? text + ", ..." : text;
}

}  // namespace

std::string unlisted_lines(const std::vector<files::UnlistedCells>& unlisted, std::string_view of_groups) {
    using Kind = files::UnlistedCells::Kind;
    std::string text;
    for (const auto& [kind, what] :
         {std::pair(Kind::groups, of_groups),
          std::pair(Kind::levels,
                    std::string_view("such a cell counts as one more level; in an ordinal column, such as "
                                     "yes and no, it is filled in as missing\n")),
          std::pair(Kind::answers, std::string_view())}) {
        const std::size_t before = text.size();
        for (const files::UnlistedCells& cells : unlisted)
            if (cells.kind == kind) text += unlisted_cells_text(cells) + "\n";
        if (text.size() > before) text += what;
    }
    return text;
}

std::string missing_text(const std::vector<files::MissingCells>& missing) {
    constexpr std::size_t most_columns = 8;
    std::uint64_t all = 0;
    std::vector<std::string> columns;
    for (const files::MissingCells& of : missing) {
        all += of.cells;
        columns.push_back(files::shown(of.column) + " (" + grouped(of.cells) + ")");
    }
    if (all == 0) return "";
    return counted(all, "value") + (all == 1 ? " is" : " are") +
           " missing; the engine fills in: " + (missing.size() == 1 ? "column " : "columns ") +
           files::first_few(columns, most_columns) + "\n";
}

std::vector<InputWarning> input_warnings(const files::InputOptions& input, const std::vector<std::string>& by_position,
                                         const files::Remarks& remarks, const StreamFormat& format) {
    std::vector<InputWarning> warnings;
    if (auto note = files::shape_note(input, remarks)) warnings.push_back({"shape", std::move(*note)});
    for (const std::string& line : by_position) warnings.push_back({line, line});
    constexpr std::size_t most_named = 8;
    const std::vector<std::string>& others = remarks.ignored_columns;
    if (format.has_targets && input.target.empty() && !others.empty())
        warnings.push_back({"columns that are passed over",
                            "columns of the file that are not sent: " + files::first_shown(others, most_named) +
                                "; if one of them has the targets, add --target COL" +
                                (input.time.empty() ? "; if one of them has the times, add --time COL" : "")});
    if (const auto ids = std::ranges::find_if(others, files::may_name_ids); input.id.empty() && ids != others.end())
        warnings.push_back({"ids", "column " + files::shown(*ids) +
                                       " is not sent: points get their row numbers as ids, so points of another "
                                       "file replace them; if the column holds ids, add --id " +
                                       shell_word(*ids)});
    if (const std::string scaling = input.column_scaling(); !scaling.empty()) {
        warnings.push_back({scaling, scaling_warning(scaling, remarks)});
    } else {
        for (const files::CoarseColumn& coarse : remarks.coarse)
            warnings.push_back({"column " + coarse.column, coarse_warning(coarse)});
    }
    for (const std::string& column : remarks.absent_columns)
        warnings.push_back({"key " + column, files::absent_column_note(column)});
    if (!format.has_targets && !input.target.empty())
        warnings.push_back(
            {"--target", "--target " + input.target + ": not sent, as the engine's stream has no targets"});
    if (format.has_weights && input.weight.empty())
        warnings.push_back({"--weight",
                            "the engine's stream has weights, but each of these points has weight 1; to send other "
                            "weights, add --weight COL"});
    return warnings;
}

namespace {

/// Returns a duration in its largest unit, "59d".
std::string about(std::int64_t microseconds) {
    constexpr std::array<std::int64_t, 4> units{86'400'000'000, 3'600'000'000, 60'000'000, 1'000'000};
    const auto* const unit = std::ranges::find_if(units, [&](std::int64_t one) { return one <= microseconds; });
    return config::duration_text(unit == units.end() ? microseconds : microseconds - microseconds % *unit);
}

}  // namespace

std::optional<std::string> age_warning(const wire::WindowLimits& window, std::int64_t now) {
    if (window.max_age == 0 || window.latest_time == 0 || now - window.latest_time <= window.max_age)
        return std::nullopt;
    return "these points are sent with the present time, so the engine forgets all its retained points: it forgets "
           "points older than " +
           config::duration_text(window.max_age) + ", and its newest points are from " +
           files::time_text(window.latest_time) + "; to send the points' own times, add --time COL";
}

std::optional<std::string> span_warning(const wire::WindowLimits& window, const files::Remarks& remarks,
                                        const std::string& column) {
    constexpr std::uint64_t least_part = 8;  // a span above an eighth of the maximal age causes a warning
    if (window.max_age == 0 || remarks.span_of_batch <= static_cast<std::uint64_t>(window.max_age) / least_part)
        return std::nullopt;
    return "times in column " + files::shown(column) + " are up to " +
           about(static_cast<std::int64_t>(remarks.span_of_batch)) +
           " apart within one message; all its points get the latest time, and the window forgets points older than " +
           config::duration_text(window.max_age) +
           ": sort the file by time, or send fewer points in a message with --batch N";
}

std::string passed_text(const wire::WindowLimits& window, std::uint64_t points) {
    if (window.capacity == 0 || points <= window.capacity) return "";
    return "the engine retains at most " + grouped(window.capacity) + " points, the capacity of its window\n";
}

std::string losses_text(const zmq::ProducerStatistics& counts, std::uint64_t points, const files::Remarks& remarks,
                        bool by_row) {
    const auto of_points = [&](std::uint64_t some) {
        return (counts.resent > 0 ? "at least " : "") + grouped(some) + " of " + counted(points, "point");
    };
    const auto& [not_retained, replaced, outcomes_dropped] = counts.counts;
    std::string text;
    if (counts.late_points > 0)
        text += of_points(counts.late_points) + " came too late for the window and " +
                (counts.late_points == 1 ? "was" : "were") + " not retained: times before " +
                files::time_text(counts.late_before.value_or(0)) + " are older than its max_age\n";
    if (not_retained > 0)
        text += (counts.resent > 0 ? "at least " : "") + grouped(not_retained) + " of " + grouped(points) +
                " outcomes belong to no retained point: the point left the window, or was never sent\n";
    if (replaced > 0)
        text += of_points(replaced) + " replaced a retained point with the same id" +
                (by_row ? "; without --id the id is the row number" : "") + "\n";
    if (outcomes_dropped > 0)
        text += counted(outcomes_dropped, "outcome") + " dropped with the replaced points: send " +
                (outcomes_dropped == 1 ? "it" : "them") + " again, with --outcomes FILE\n";
    text += left_out_text(remarks) + missing_text(remarks.missing);
    text += unlisted_lines(remarks.unlisted,
                           "targets and fairness figures leave such points out; to include them, list their groups in "
                           "the configuration of a new recording\n");
    return text;
}

void add_losses(const zmq::ProducerStatistics& counts, const files::Remarks& remarks, ordered_json& json) {
    json["late_points"] = counts.late_points;
    json["late_before"] = counts.late_before ? ordered_json(files::time_text(*counts.late_before)) : ordered_json();
    json["not_retained"] = counts.counts.not_retained;
    json["replaced"] = counts.counts.replaced;
    json["outcomes_dropped"] = counts.counts.outcomes_dropped;
    add_remarks(remarks, json);
}

void add_remarks(const files::Remarks& remarks, ordered_json& json) {
    json["shape"] = remarks.shape.empty() ? ordered_json() : ordered_json(remarks.shape);
    json["unlisted"] = ordered_json::array();
    for (const files::UnlistedCells& cells : remarks.unlisted) {
        ordered_json first = ordered_json::object();
        for (const auto& [cell, count] : cells.first) first[cell] = count;
        ordered_json entry{{"column", cells.column}};
        if (!cells.taken_for.empty()) entry["taken_for"] = cells.taken_for;
        entry["cells"] = cells.cells;
        entry["first"] = std::move(first);
        json["unlisted"].push_back(std::move(entry));
    }
    json["missing_values"] = ordered_json::object();
    for (const files::MissingCells& cells : remarks.missing) json["missing_values"][cells.column] = cells.cells;
    json["rows_without"] = ordered_json::object();
    for (const files::RowsWithout& without : remarks.left_out) json["rows_without"][without.column] = without.rows;
    json["bad_rows"] = remarks.bad_rows;
}

}  // namespace fairstream::command
