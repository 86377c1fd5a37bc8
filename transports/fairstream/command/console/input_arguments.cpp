#include <fairstream/command/console/input_arguments.hpp>

#include <cstdint>
#include <span>
#include <vector>

#include <fairstream/base/name_list.hpp>
#include <fairstream/command/console/help_text.hpp>
#include <fairstream/generate/graphs.hpp>

namespace fairstream::command {
namespace {

constexpr std::int64_t most_points = std::int64_t{1} << 40;
constexpr const char* values_group = "Missing values, text and dates";

/// Returns a line "NAME HELP [COUNT]" per kind.
template <class Kind> std::string kinds_help(std::span<const Kind> kinds, std::uint64_t (*count)(const Kind&)) {
    std::string text;
    for (const Kind& kind : kinds)
        text += help_line(kind.name, std::string(kind.help) + " [" + std::to_string(count(kind)) + "]");
    return text;
}

/// Adds an option that names columns of `file`.
CLI::Option* add_columns(CLI::App& app, const char* name, CLI::Option* file, std::vector<std::string>& out,
                         const char* help) {
    const auto read = [&out](const std::vector<std::string>& texts) {
        out.clear();
        for (const std::string& text : texts)
            for (std::string& each : read_names(text)) out.push_back(std::move(each));
    };
    return app.add_option_function<std::vector<std::string>>(name, read, help)
        ->type_name("COL,...")
        ->allow_extra_args(false)
        ->needs(file);
}

}  // namespace

namespace {

/// Adds the options that override the detected shape of a file.
void add_shape(CLI::App& app, files::ShapeOptions& shape) {
    constexpr const char* group = "Shape of the file";
    app.add_option_function<std::string>(
           "--separator",
           [&shape](const std::string& name) {
               shape.separator = files::find_separator(name);
               if (!shape.separator)
                   throw CLI::ValidationError("--separator",
                                              "'" + name + "' must be comma, semicolon, tab, blanks or a character");
           },
           "separator of cells: comma, semicolon, tab, blanks or a character [found in the file]")
        ->type_name("NAME")
        ->group(group);
    auto* header = app.add_flag_callback(
                          "--header", [&shape] { shape.has_header = true; },
                          "the first line has the names of the columns [found in the file]")
                       ->group(group);
    app.add_flag_callback(
           "--no-header", [&shape] { shape.has_header = false; },
           "the first line is a row; the columns are called 1, 2, 3, ... [found in the file]")
        ->excludes(header)
        ->group(group);
    app.add_option_function<std::vector<std::string>>(
           "--names",
           [&shape](const std::vector<std::string>& texts) {
               for (const std::string& text : texts) shape.names = read_names(text);
           },
           "names of all columns, instead of the names in the file")
        ->type_name("NAME,...")
        ->allow_extra_args(false)
        ->group(group);
    app.add_option_function<std::uint64_t>(
           "--skip-lines", [&shape](std::uint64_t lines) { shape.skipped_lines = lines; },
           "number of lines before the header or the first row [found in the file]")
        ->type_name("N")
        ->group(group);
}

}  // namespace

void add_input(CLI::App& app, files::InputOptions& input) {
    constexpr const char* group = "Points";
    constexpr const char* made_up = "Made-up points";
    auto* file = app.add_option("--input", input.input,
                                "file of points: CSV or other delimited text, ARFF or JSON lines, also compressed by "
                                "gzip or zstd; - for standard input")
                     ->type_name("FILE")
                     ->group(group);
    const auto list = [&](const char* name, std::vector<std::string>& out, const char* help) {
        add_columns(app, name, file, out, help)->group(group);
    };
    list("--group", input.groups, "columns of protected attributes, such as sex");
    list("--features", input.features, "feature columns, or all: every column that no other option names [all]");
    list("--leave-out", input.left_out, "columns that are no features");
    app.add_option("--id", input.id, "column of the points' ids [the row's number, from 0]")
        ->type_name("COL")
        ->needs(file)
        ->group(group);
    app.add_option("--target", input.target, "column of the target; it is no feature")
        ->type_name("COL")
        ->needs(file)
        ->group(group);
    app.add_option("--positive", input.positive,
                   "text of --target that means yes; --positive yes also accepts TRUE, y and 1")
        ->type_name("TEXT")
        ->needs("--target")
        ->group(group);
    app.add_option("--weight", input.weight, "column of the points' weights; weight 2 counts as two equal points [1]")
        ->type_name("COL")
        ->needs(file)
        ->group(group);
    CLI::Option* const standardise =
        app.add_flag("--standardise", input.standardise,
                     "scale features to mean 0 and standard deviation 1 over the whole file")
            ->needs(file)
            ->group(group);
    app.add_flag("--unit-range", input.unit_range,
                 "scale features to [0, 1], by their least and greatest value over the whole file")
        ->needs(file)
        ->excludes(standardise)
        ->group(group);
    app.add_flag("--unit-rows", input.unit_rows, "scale each point to length 1, after --standardise or --unit-range")
        ->needs(file)
        ->group(group);
    app.add_option("--rows", input.rows,
                   "file of row numbers to keep, one a line; the first row is 0. Rows are selected after all other "
                   "options took effect; - for standard input")
        ->type_name("FILE")
        ->needs(file)
        ->group(group);
    add_number(app, "--bad-rows", input.bad_rows, std::uint64_t{0}, no_upper_limit,
               "number of unusable rows that may be left out [0]")
        ->needs(file)
        ->group(group);
    app.add_option("--bad-rows-to", input.bad_rows_file,
                   "write the rows that --bad-rows leaves out: line, reason, cells")
        ->type_name("OUT.csv")
        ->needs(file)
        ->group(group);
    app.add_option("--missing", input.missing,
                   "what to do with missing values, in all columns or in some: drop (leave the row out), mean, "
                   "most_frequent, or indicator (add a column that marks them) [refused]")
        ->type_name("[COL,...=]HOW")
        ->allow_extra_args(false)
        ->needs(file)
        ->group(values_group);
    app.add_option("--missing-text", input.missing_texts,
                   "further text that means a missing value, in all columns or in one, such as -999, unknown or "
                   "age=0; repeatable. Empty cells, NA, N/A, NaN, null, ? and - always mean a missing value")
        ->type_name("[COL=]TEXT")
        ->allow_extra_args(false)
        ->needs(file)
        ->group(values_group);
    app.add_option("--date-order", input.date_order,
                   "order of dates such as 3/4/2026: day_first, month_first or year_first [found in the file]")
        ->type_name("ORDER")
        ->needs(file)
        ->group(values_group);
    app.add_option("--decimal-mark", input.decimal_mark,
                   "decimal mark of numbers: comma, as in 3,14, or point [found in the file]")
        ->type_name("MARK")
        ->needs(file)
        ->group(values_group);
    auto* generate = app.add_option("--generate", input.generate, "made-up points instead of --input, see below")
                         ->type_name("NAME")
                         ->group(made_up);
    add_number(app, "--points", input.points, std::int64_t{1}, most_points, "number of points to make [see below]")
        ->needs(generate)
        ->group(made_up);
    add_number(app, "--generate-seed", input.generate_seed, std::uint64_t{0}, no_upper_limit,
               "seed of the made-up points [1]")
        ->needs(generate)
        ->group(made_up);
    file->excludes(generate);
    add_shape(app, input.shape);
}

void add_with(CLI::App& app, files::InputOptions& input) {
    add_columns(app, "--with", app.get_option("--input"), input.with,
                "columns of the file that --labels repeats, unchanged, after the label");
}

void add_stream_input(CLI::App& app, files::InputOptions& input) {
    CLI::Option* const file = app.get_option("--input");
    app.add_option("--categorical", input.categorical,
                   "how text becomes numbers, in all columns of text or in some: onehot (a column for each value), "
                   "ordinal (the value's place in sorted order), hash or hash:N (64 or N columns), or an order such as "
                   "size=small<medium<large")
        ->type_name("[COL,...=]HOW")
        ->allow_extra_args(false)
        ->needs(file)
        ->group(values_group);
    app.add_option("--dates", input.dates,
                   "read dates and times of day as numbers: the time since 1970, or since midnight, in seconds, hours, "
                   "days or years")
        ->type_name("[COL,...=]UNIT")
        ->allow_extra_args(false)
        ->needs(file)
        ->group(values_group);
    app.add_option("--unknown-group", input.unknown_group,
                   "name for the group of points without a group; no target or figure counts it [refused]")
        ->type_name("NAME")
        ->needs(file)
        ->group(values_group);
    add_number(app, "--groups-at-most", input.groups_at_most, std::uint64_t{1}, std::uint64_t{1000},
               "number of different values allowed in a --group column [20 if they are numbers, otherwise 1000]")
        ->needs(file)
        ->group(values_group);
    app.add_option("--config", input.config,
                   "configuration of an engine; its [stream] and [prepare] say how to read and prepare the points")
        ->type_name("FILE")
        ->group("Points");
}

void add_graph_input(CLI::App& app, files::InputOptions& input, const std::vector<std::string>& node_columns) {
    constexpr const char* group = "Graph";
    CLI::Option* const file = app.get_option("--input");
    CLI::Option* const generate = app.get_option("--generate");
    auto* edges = app.add_option("--edges", input.edges, "CSV file of edges, u,v or u,v,weight, instead of points")
                      ->type_name("FILE")
                      ->excludes(file)
                      ->excludes(generate)
                      ->group(group);
    auto* nodes = app.add_option("--nodes", input.nodes,
                                 "CSV file of nodes: a column node (numbers from 0, or the names in u and v) and the "
                                 "columns that other options name")
                      ->type_name("FILE")
                      ->needs(edges)
                      ->group(group);
    edges->needs(nodes);
    std::vector<CLI::Option*> columns;
    for (const std::string& name : node_columns) {
        columns.push_back(app.get_option(name));
        columns.back()->remove_needs(file);
    }
    app.parse_complete_callback([file, columns, nodes] {
        if (file->count() > 0 || nodes->count() > 0) return;
        for (const CLI::Option* column : columns)
            if (column->count() > 0) throw CLI::RequiresError(column->get_name(), "--input or --nodes");
    });
}

std::string stream_help() {
    return "\nWith --config the file is read as fairstream send reads it for an engine of that configuration. Columns "
           "have the names of features and attributes in [stream] unless --features and --group name others. Names of "
           "the stream may be given in any order; other names are matched by position. --weight and --target name the "
           "columns of weights and targets. [prepare] scales values, fills in missing ones and splits categories. "
           "[window] and [[model]] have no effect.\n";
}

std::string generators_help() {
    return "\nMade-up points for --generate NAME, and their number [--points]:\n" +
           kinds_help<generate::GeneratorKind>(generate::generator_kinds(),
                                               [](const generate::GeneratorKind& kind) { return kind.points; });
}

std::string graphs_help() {
    return "\nMade-up graphs for --generate NAME with fair_spectral and fit lord, and their number of nodes "
           "[--points]:\n" +
           kinds_help<generate::GraphKind>(generate::graph_kinds(),
                                           [](const generate::GraphKind& kind) -> std::uint64_t { return kind.nodes; });
}

}  // namespace fairstream::command
