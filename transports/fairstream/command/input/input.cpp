#include <fairstream/command/input/input.hpp>

#include <algorithm>
#include <utility>

#include <fairstream/command/console/terminal.hpp>
#include <fairstream/csv/detail/split.hpp>
#include <fairstream/generate/graphs.hpp>

namespace fairstream::command {
namespace {

csv::TimeUnit time_unit(const InputOptions& options) {
    if (const auto unit = csv::find_time_unit(options.time_unit)) return *unit;
    throw InvalidInput(Reason::bad_option, "--time-unit " + options.time_unit + ": must be s, ms, us or ns");
}

csv::Columns columns(const InputOptions& options) {
    csv::Columns result{.features = options.features,
                        .groups = {},
                        .target = options.target,
                        .id = options.id,
                        .weight = options.weight,
                        .time = options.time};
    result.classes = options.classes;
    if (!options.time_unit.empty()) result.time_unit = time_unit(options);
    if (!splits_by_fractions(options)) result.part = options.split;
    if (result.features == std::vector<std::string>{"all"}) result.features.clear();
    for (const std::string& name : options.groups) result.groups.push_back({name, {}});
    return result;
}

/// Splits the table by fractions; a split by column was made when it was read.
void draw_split(const InputOptions& options, csv::Table& table) {
    if (splits_by_fractions(options)) csv::draw_parts(csv::read_fractions(options.split), options.split_seed, table);
}

csv::Table read_file(const InputOptions& options, const csv::Columns& meaning) {
    Progress progress("reading " + options.name());
    csv::Table table = csv::read_table(options.input, meaning, [&](double share) { progress.show(share); });
    draw_split(options, table);
    if (options.standardise) csv::standardise(table);
    if (options.unit_rows) csv::unit_rows(table);
    if (!options.rows.empty()) csv::select_rows(table, csv::read_row_numbers(options.rows));
    csv::require_resolution(table);
    return table;
}

generate::Generator generator(const InputOptions& options) {
    if (options.is_graph()) {
        throw InvalidInput(
            Reason::bad_option,
            "'" + options.generate + "' is a graph, and not points: fairstream fit fair_spectral takes it");
    }
    return {options.generate, options.generate_seed, options.points};
}

csv::Table generate_table(const InputOptions& options) {
    generate::Generator made = generator(options);
    PointColumns points;
    (void)made.next(made.total(), points);
    csv::Table table;
    table.format = made.format();
    table.feature_names = made.feature_names();
    table.ids = std::move(points.ids);
    table.features.assign(points.features.begin(), points.features.end());
    table.groups = std::move(points.groups);
    table.targets.assign(points.targets.begin(), points.targets.end());
    draw_split(options, table);
    return table;
}

/// Returns "6 features; sex: female, male; ...; without targets".
std::string described(const StreamFormat& format) {
    std::string text = std::to_string(format.dimensions) + " features";
    for (const Attribute& attribute : format.attributes) {
        std::string groups;
        for (const std::string& group : attribute.groups) groups += (groups.empty() ? "" : ", ") + group;
        text += "; " + attribute.name + ": " + groups;
    }
    return text + (format.has_targets ? "; with targets" : "; without targets");
}

void require_equal(std::size_t have, std::size_t need, const std::string& what) {
    if (have == need) return;
    throw InvalidInput(Reason::wrong_shape, "the input has " + std::to_string(have) + " " + what +
                                                ", the engine's stream has " + std::to_string(need));
}

std::vector<std::string> attribute_names(const StreamFormat& format) {
    std::vector<std::string> names;
    for (const Attribute& attribute : format.attributes) names.push_back(attribute.name);
    return names;
}

/// Returns the names of the stream's columns; none where not all of them have one.
std::vector<std::string> column_names(const StreamFormat& format) {
    std::vector<std::string> names;
    for (const FeatureColumn& column : format.columns) names.push_back(column.name);
    return std::ranges::count(names, "") > 0 ? std::vector<std::string>() : names;
}

std::string listed(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
}

/// Says whether none of the names is the stream's, so that their columns are taken by position.
bool are_foreign(const std::vector<std::string>& names, const std::vector<std::string>& of_stream) {
    return std::ranges::none_of(names, [&](const auto& name) { return std::ranges::count(of_stream, name) > 0; });
}

/// Puts the names of columns in the stream's order, where they are the stream's.
void arrange(std::vector<std::string>& names, const std::vector<std::string>& of_stream, const std::string& option) {
    if (are_foreign(names, of_stream)) return;
    if (!std::ranges::is_permutation(names, of_stream))
        throw InvalidInput(Reason::bad_option, option +
                                                   " names some of the engine's columns, and others: name all of " +
                                                   listed(of_stream) + ", or none of them");
    names = of_stream;
}

/// Adds the line that says which columns of the file were taken for which of the stream's.
void add_by_position(const std::vector<std::string>& names, const std::vector<std::string>& of_stream,
                     const std::string& option, std::vector<std::string>& lines) {
    if (names.empty() || names.size() != of_stream.size() || !are_foreign(names, of_stream)) return;
    constexpr std::size_t most_told = 8;
    std::string text = option + ":";
    for (std::size_t i = 0; i < std::min(names.size(), most_told); ++i)
        text += (i > 0 ? ", " : " ") + names[i] + " is taken for the engine's " + of_stream[i];
    if (names.size() > most_told) text += ", and so on by position";
    lines.push_back(text);
}

/// Returns the options with "all" features as none, and names in the order of the stream's where they are its own.
InputOptions arranged(InputOptions options, const StreamFormat& format) {
    if (options.features == std::vector<std::string>{"all"}) options.features.clear();
    arrange(options.groups, attribute_names(format), "--group");
    arrange(options.features, column_names(format), "--features");
    return options;
}

csv::Columns columns_for(const InputOptions& options, const StreamFormat& format) {
    csv::Columns result = columns(arranged(options, format));
    if (result.groups.empty()) {
        for (const Attribute& attribute : format.attributes) result.groups.push_back({attribute.name, {}});
    }
    require_equal(result.groups.size(), format.attributes.size(), "group columns");
    for (std::size_t i = 0; i < result.groups.size(); ++i) {
        result.groups[i].groups = format.attributes[i].groups;
        result.groups[i].has_unknown = format.attributes[i].has_unknown;
    }
    if (result.features.empty())
        for (const FeatureColumn& column : format.columns) result.features.push_back(column.name);
    result.described = format.columns;
    if (!format.has_weights && !result.weight.empty())
        throw InvalidInput(Reason::wrong_shape, "the engine's stream has no weights: it takes no --weight");
    if (format.has_targets && result.target.empty())
        throw InvalidInput(Reason::wrong_shape, "the engine's stream has targets: name their column with --target");
    return result;
}

}  // namespace

std::string InputOptions::name() const {
    return !generate.empty() ? generate : (edges.empty() ? input : edges).string();
}

bool InputOptions::is_graph() const {
    return !edges.empty() || generate::find_graph_kind(generate) != nullptr;
}

void check_input(const InputOptions& options) {
    if (!options.time_unit.empty()) (void)time_unit(options);
    if (!options.generate.empty()) {
        (void)generator(options);
    } else if (options.input.empty()) {
        throw InvalidInput(
            Reason::bad_option,
            "no points: name a file with --input, or make some with --generate, one of " + generate::generator_names());
    } else if (options.input != "-") {
        const csv::Reader reader(options.input);
    }
}

bool splits_by_fractions(const InputOptions& options) {
    return options.split.find(',') != std::string::npos;
}

csv::Table load_table(const InputOptions& options) {
    check_input(options);
    return options.generate.empty() ? read_file(options, columns(options)) : generate_table(options);
}

csv::GraphTable load_graph(const InputOptions& options) {
    if (options.edges.empty()) {
        generate::PlantedGraph made = generate::make_graph(options.generate, options.generate_seed, options.points);
        return {std::move(made.graph), std::move(made.attributes), std::move(made.groups)};
    }
    Progress progress("reading " + options.name());
    return csv::read_graph(options.edges, options.nodes, options.groups, options.classes,
                           [&](double share) { progress.show(share); });
}

void require_groups(const std::vector<Attribute>& attributes) {
    if (attributes.empty())
        throw InvalidInput(Reason::bad_option, "no --group: name the columns whose groups shall be treated alike");
    for (const Attribute& attribute : attributes) {
        if (attribute.groups.size() > 1) continue;
        throw InvalidInput(Reason::bad_option, "group column '" + attribute.name + "' has one group only ('" +
                                                   attribute.groups[0] + "'): fairness needs at least two");
    }
}

PointSource::PointSource(const InputOptions& options, const StreamFormat& format)
    : from_([&]() -> decltype(from_) {
          if (!options.generate.empty()) return generator(options);
          const csv::Columns meaning = columns_for(options, format);
          const bool in_memory = options.standardise || options.unit_rows || !options.rows.empty();
          if (in_memory) return Rows{read_file(options, meaning), 0};
          return csv::PointReader(options.input, meaning);
      }()),
      has_targets_(format.has_targets),
      has_times_(options.generate.empty() && !options.time.empty()) {
    if (const auto* rows = std::get_if<Rows>(&from_))
        require_equal(rows->table.format.dimensions, format.dimensions, "features");
    if (const auto* reader = std::get_if<csv::PointReader>(&from_))
        require_equal(reader->features().size(), format.dimensions, "features");
    const auto* made = std::get_if<generate::Generator>(&from_);
    if (made != nullptr && format != made->format()) {
        throw InvalidInput(Reason::wrong_shape,
                           "the engine's stream is not of the generator's format (" + described(made->format()) + ")");
    }
    const InputOptions names = made == nullptr ? arranged(options, format) : InputOptions();
    add_by_position(names.groups, attribute_names(format), "--group", by_position_);
    add_by_position(names.features, column_names(format), "--features", by_position_);
}

std::size_t PointSource::read(std::size_t count, PointColumns& out) {
    std::size_t taken = 0;
    if (auto* rows = std::get_if<Rows>(&from_)) {
        taken = std::min(count, rows->table.size() - rows->next);
        csv::copy_points(rows->table, rows->next, taken, out);
        rows->next += taken;
    } else if (auto* reader = std::get_if<csv::PointReader>(&from_)) {
        taken = reader->read(count, out);
    } else {
        taken = std::get<generate::Generator>(from_).next(count, out);
    }
    if (!has_targets_) out.targets.clear();  // of a target column that was only named to exclude it from the features
    return taken;
}

csv::Remarks PointSource::remarks() const {
    if (const auto* rows = std::get_if<Rows>(&from_)) return rows->table.remarks;
    if (const auto* reader = std::get_if<csv::PointReader>(&from_)) return reader->remarks();
    return {};
}

double PointSource::progress() const {
    if (const auto* rows = std::get_if<Rows>(&from_))
        return static_cast<double>(rows->next) / static_cast<double>(rows->table.size());
    if (const auto* reader = std::get_if<csv::PointReader>(&from_)) return reader->progress();
    const auto& made = std::get<generate::Generator>(from_);
    return 1.0 - static_cast<double>(made.left()) / static_cast<double>(made.total());
}

}  // namespace fairstream::command
