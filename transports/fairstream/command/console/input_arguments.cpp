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
                   throw CLI::ValidationError("--separator", "must be comma, semicolon, tab, blanks or a character");
           },
           "of cells: comma, semicolon, tab, blanks or a character [judged]")
        ->type_name("NAME")
        ->group(group);
    auto* header =
        app.add_flag_callback(
               "--header", [&shape] { shape.has_header = true; }, "the first line has names of columns [judged]")
            ->group(group);
    app.add_flag_callback(
           "--no-header", [&shape] { shape.has_header = false; },
           "the first line is a row, and columns are called 1, 2, 3, ... [judged]")
        ->excludes(header)
        ->group(group);
    app.add_option_function<std::vector<std::string>>(
           "--names",
           [&shape](const std::vector<std::string>& texts) {
               for (const std::string& text : texts) shape.names = read_names(text);
           },
           "names of all columns, in place of those of the file")
        ->type_name("NAME,...")
        ->allow_extra_args(false)
        ->group(group);
    app.add_option_function<std::uint64_t>(
           "--skip-lines", [&shape](std::uint64_t lines) { shape.skipped_lines = lines; },
           "lines before the header, or before the first row [judged]")
        ->type_name("N")
        ->group(group);
}

}  // namespace

void add_input(CLI::App& app, files::InputOptions& input) {
    constexpr const char* group = "Points";
    auto* file = app.add_option("--input", input.input,
                                "file of points: delimited text, whose shape is judged from its first lines, ARFF or "
                                "JSON lines; gzip or zstd too; - for standard input")
                     ->type_name("FILE")
                     ->group(group);
    auto* generate = app.add_option("--generate", input.generate, "made-up points instead, see below")
                         ->type_name("NAME")
                         ->group(group);
    add_number(app, "--points", input.points, std::int64_t{1}, most_points, "points to generate [see below]")
        ->needs(generate)
        ->group(group);
    add_number(app, "--generate-seed", input.generate_seed, std::uint64_t{0}, many, "seed of the generator [1]")
        ->needs(generate)
        ->group(group);
    const auto list = [&](const char* name, std::vector<std::string>& out, const char* help) {
        add_columns(app, name, file, out, help)->group(group);
    };
    list("--features", input.features, "feature columns, or all: every column that no other option names [all]");
    list("--group", input.groups, "columns of protected attributes, such as sex");
    app.add_option("--target", input.target, "column of the target, no feature")
        ->type_name("COL")
        ->needs(file)
        ->group(group);
    app.add_option("--weight", input.weight, "column of the points' weights, 2 being the same as two equal points [1]")
        ->type_name("COL")
        ->needs(file)
        ->group(group);
    app.add_option("--id", input.id, "column of the points' ids [the row's number, from 0]")
        ->type_name("COL")
        ->needs(file)
        ->group(group);
    list("--leave-out", input.left_out, "columns that are no features, of all the others");
    app.add_option("--positive", input.positive, "the text of --target that means yes; yes takes TRUE, y and 1 too")
        ->type_name("TEXT")
        ->needs("--target")
        ->group(group);
    app.add_option("--missing", input.missing,
                   "what becomes of missing values, of all columns or of some: drop, which leaves such rows out, mean, "
                   "most_frequent, or indicator, which adds a column that says so [refused]")
        ->type_name("[COL,...=]HOW")
        ->allow_extra_args(false)
        ->needs(file)
        ->group(group);
    app.add_option(
           "--missing-text", input.missing_texts,
           "a text that means a missing value, in one column or in all, beside empty, NA, N/A, NaN, null, ? and "
           "-, such as -999, unknown or age=0; repeatable")
        ->type_name("[COL=]TEXT")
        ->allow_extra_args(false)
        ->needs(file)
        ->group(group);
    app.add_option("--date-order", input.date_order,
                   "of dates such as 3/4/2026: day_first, month_first or year_first [found in the file]")
        ->type_name("ORDER")
        ->needs(file)
        ->group(group);
    app.add_option("--decimal-mark", input.decimal_mark, "of numbers: comma, as in 3,14, or point [found in the file]")
        ->type_name("MARK")
        ->needs(file)
        ->group(group);
    add_number(app, "--bad-rows", input.bad_rows, std::uint64_t{0}, many,
               "leave out up to so many rows that cannot be used [0]")
        ->needs(file)
        ->group(group);
    app.add_option("--bad-rows-to", input.bad_rows_file, "write them: line, reason, and their cells")
        ->type_name("OUT.csv")
        ->needs(file)
        ->group(group);
    app.add_flag("--standardise", input.standardise, "scale features to mean 0 and deviation 1 over the whole file")
        ->needs(file)
        ->group(group);
    app.add_flag("--unit-rows", input.unit_rows, "then scale each point to length 1")->needs(file)->group(group);
    app.add_option("--rows", input.rows,
                   "then keep the rows that have these numbers in the file, one per line, from 0; - for standard "
                   "input")
        ->type_name("FILE")
        ->needs(file)
        ->group(group);
    file->excludes(generate);
    add_shape(app, input.shape);
}

void add_with(CLI::App& app, files::InputOptions& input) {
    add_columns(app, "--with", app.get_option("--input"), input.with,
                "columns of the file that --labels has after the label, as the file has them");
}

void add_stream_input(CLI::App& app, files::InputOptions& input) {
    constexpr const char* group = "Columns that are no numbers";
    CLI::Option* const file = app.get_option("--input");
    app.add_option("--categorical", input.categorical,
                   "how text becomes numbers, of all columns of text or of some: onehot, a column for each value; "
                   "ordinal, its place in the order of the texts; hash or hash:N, 64 or N columns; or an order, "
                   "size=small<medium<large")
        ->type_name("[COL,...=]HOW")
        ->allow_extra_args(false)
        ->needs(file)
        ->group(group);
    app.add_option("--dates", input.dates,
                   "the unit of dates, which become the time since 1970, and of times of day, since midnight: seconds, "
                   "hours, days or "
                   "years")
        ->type_name("[COL,...=]UNIT")
        ->allow_extra_args(false)
        ->needs(file)
        ->group(group);
    app.add_option("--unknown-group", input.unknown_group,
                   "name of the group of points whose group is missing, which no target or figure is about [refused]")
        ->type_name("NAME")
        ->needs(file)
        ->group(group);
    add_number(app, "--groups-at-most", input.groups_at_most, std::uint64_t{1}, std::uint64_t{1000},
               "different values of a --group column [20 if they are numbers, otherwise 1000]")
        ->needs(file)
        ->group(group);
    app.add_option("--config", input.config,
                   "configuration of an engine process: read and prepare the points as its [stream] and [prepare] say")
        ->type_name("FILE")
        ->group("Points");
}

void add_graph_input(CLI::App& app, files::InputOptions& input, const std::vector<std::string>& node_columns) {
    constexpr const char* group = "Graph";
    CLI::Option* const file = app.get_option("--input");
    CLI::Option* const generate = app.get_option("--generate");
    auto* edges = app.add_option("--edges", input.edges, "instead of points: CSV file of edges u,v or u,v,weight")
                      ->type_name("FILE")
                      ->excludes(file)
                      ->excludes(generate)
                      ->group(group);
    auto* nodes =
        app.add_option("--nodes", input.nodes,
                       "CSV file of the nodes: node, numbers from 0 or names, as u and v have them, and columns that "
                       "other options name")
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
    return "\nWith --config a file is read as fairstream send reads it for an engine of that configuration: columns "
           "have the names that [stream] gives features and attributes unless --features and --group name others. "
           "Names that are the stream's are put in its order, others are taken by position. --weight and --target name "
           "the columns of weights and targets. [prepare] scales the values, fills in missing ones and splits "
           "categories. Nothing else is taken of the configuration: neither [window] nor a [[model]].\n";
}

std::string generators_help() {
    return "\nMade-up points, for --generate NAME, and how many [--points]:\n" +
           kinds_help<generate::GeneratorKind>(generate::generator_kinds(),
                                               [](const generate::GeneratorKind& kind) { return kind.points; });
}

std::string graphs_help() {
    return "\nMade-up graphs, for --generate NAME with fair_spectral and fit lord, and how many nodes [--points]:\n" +
           kinds_help<generate::GraphKind>(generate::graph_kinds(),
                                           [](const generate::GraphKind& kind) -> std::uint64_t { return kind.nodes; });
}

}  // namespace fairstream::command
