#include <fairstream/fit/stages/preparation_report.hpp>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include <fairstream/files/cells/shown.hpp>
#include <fairstream/input/prepared_columns.hpp>
#include <fairstream/text/numbers.hpp>
#include <fairstream/text/table.hpp>

namespace fairstream::fit {
namespace {

using nlohmann::ordered_json;

/// Indexed by `Missing`.
constexpr std::array<const char*, 3> fills = {"mean", "most_frequent", "indicator"};

std::string name_of(const StreamFormat& format, std::size_t column) {
    return format.columns.empty() ? std::to_string(column) : format.columns[column].name;
}

void add_numbers(const ColumnPreparation& preparation, ordered_json& json) {
    const auto bound = [](double value) { return std::isfinite(value) ? ordered_json(value) : ordered_json(); };
    json["clip"] = {bound(preparation.at_least), bound(preparation.at_most)};
    json["log"] = preparation.log;
    json["scale"] = config::scale_name(preparation);
    if (preparation.scale != Scale::fixed) return;
    if (preparation.unit == ScaleUnit::range) {
        json["range"] = {preparation.low, preparation.high};
        return;
    }
    json["mean"] = preparation.mean;
    json["deviation"] = preparation.deviation;
}

ordered_json column_json(const config::StreamOptions& stream, std::size_t column) {
    const ColumnPreparation& preparation = stream.prepare.columns[column];
    const FeatureColumn about = stream.format.columns.empty() ? FeatureColumn{} : stream.format.columns[column];
    ordered_json json = {{"column", name_of(stream.format, column)}};
    if (!about.levels.empty()) {
        json["levels"] = about.levels;
        json["encoding"] = preparation.encoding == Encoding::ordinal ? "ordinal" : "onehot";
    }
    if (about.buckets > 0) json["hash"] = about.buckets;
    if (about.dates != DateUnit::none) {
        json["dates"] = to_string(about.dates);
        json["date_order"] = to_string(stream.reader.date_order(column));
    }
    if (!about.is_category() || preparation.encoding == Encoding::ordinal) add_numbers(preparation, json);
    json["missing"] = about.may_be_missing ? fills[static_cast<std::size_t>(preparation.missing)] : "refuse";
    if (!preparation.fill) return json;
    if (about.levels.empty())
        json["fill"] = *preparation.fill;
    else
        json["fill"] = about.levels.at(static_cast<std::size_t>(*preparation.fill));
    return json;
}

/// Returns ", 12 cells of 'city' are not listed", if there are unlisted cells.
std::string unlisted_text(const files::Remarks& remarks) {
    std::string text;
    for (const files::UnlistedCells& cells : remarks.unlisted)
        text += ", " + counted(cells.cells, "cell") + " of " + files::shown(cells.column) +
                (cells.cells == 1 ? " is not listed" : " are not listed");
    return text;
}

/// Returns rows as a table; if there are many, the first rows and the number of the others.
std::string first_rows(std::vector<std::vector<std::string>> rows) {
    constexpr std::size_t most = 60, first = 40;
    const std::size_t all = rows.size();
    if (all > most) rows.resize(first);
    return table(rows, "llll") +
           (all > most ? "  ... and " + counted(all - first, "column") + " more: --report lists all\n" : "");
}

}  // namespace

void add_preparation(const std::optional<files::InputStream>& stream, const PreparationFigures& figures,
                     ordered_json& json) {
    if (stream) {
        json["shape"] = stream->remarks.shape.empty() ? ordered_json() : ordered_json(stream->remarks.shape);
        ordered_json left_out = ordered_json::object();
        for (const files::RowsWithout& without : stream->remarks.left_out) left_out[without.column] = without.rows;
        json["rows_without"] = std::move(left_out);
        json["bad_rows"] = stream->remarks.bad_rows;
    }
    if (!stream || !stream->prepare.prepares()) return;
    ordered_json columns = ordered_json::array();
    for (std::size_t column = 0; column < stream->prepare.columns.size(); ++column)
        columns.push_back(column_json(*stream, column));
    json["prepare"] = {
        {"columns", std::move(columns)},
        {"unit_rows", stream->prepare.unit_rows},
        {"renew_every", stream->prepare.renew_every},
        {"scale_renewals", figures.renewals},
        {"drift", figures.drift},
        {"drift_column", figures.drift == 0 ? ordered_json() : ordered_json(name_of(stream->format, figures.column))}};
}

std::string preparation_line(const std::optional<files::InputStream>& stream, const PreparationFigures& figures) {
    if (!stream || !stream->prepare.prepares()) return {};
    const bool unit_rows = stream->prepare.unit_rows;
    if (!stream->notes.empty())
        return "\n" + first_rows(files::column_rows(*stream)) +
               (unit_rows ? "  each point is then scaled to length 1\n" : "");
    std::uint64_t filled = 0;
    for (const files::MissingCells& missing : stream->remarks.missing) filled += missing.cells;
    return "features prepared, " + std::string(unit_rows ? "points scaled to length 1, " : "") +
           (filled == 0 ? "" : counted(filled, "missing value") + " filled in, ") +
           counted(figures.renewals, "renewal") + " of a scale, drift " + fixed(figures.drift) +
           (figures.drift > 0 ? " of '" + name_of(stream->format, figures.column) + "'" : "") +
           unlisted_text(stream->remarks) + "\n";
}

}  // namespace fairstream::fit
