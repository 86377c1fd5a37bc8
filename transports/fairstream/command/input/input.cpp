#include <fairstream/command/input/input.hpp>

#include <algorithm>
#include <limits>
#include <utility>

#include <fairstream/command/console/terminal.hpp>
#include <fairstream/command/input/stream_columns.hpp>
#include <fairstream/csv/detail/split.hpp>
#include <fairstream/generate/graphs.hpp>

namespace fairstream::command {
namespace {

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

csv::Table generate_table(const InputOptions& options, const KnownStream* stream) {
    generate::Generator made = generator(options);
    if (stream != nullptr) require_format(made.format(), *stream);
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

KnownStream engines_stream(const StreamFormat& format) {
    return {format, "the engine's stream", "the engine's configuration"};
}

/// Reads a file as points of a stream.
csv::Table read_file(const InputOptions& options, const KnownStream& stream) {
    csv::Table table = read_file(options, columns_for(options, stream));
    require_features(table.format.dimensions, stream);
    table.format = stream.format;
    return table;
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

std::optional<config::StreamOptions> load_stream(const InputOptions& options, bool learns) {
    if (options.config.empty()) return std::nullopt;
    const auto refuse = [](const std::string& what) { throw InvalidInput(Reason::bad_option, what); };
    const std::string file = options.config.string();
    if (options.is_graph()) refuse("--config is for points: a graph has no features to prepare");
    config::StreamOptions stream = config::load_stream(options.config);
    for (const auto& [option, given] :
         {std::pair("--standardise", options.standardise), std::pair("--unit-rows", options.unit_rows)})
        if (given && stream.prepare.prepares())
            refuse(std::string(option) + " scales the features that [prepare] of " + file +
                   " prepares as they come: leave out the one or the other");
    if (learns && !stream.format.has_targets)
        refuse("the stream of " + file + " has no targets to learn from: set targets = true under [stream]");
    if (!options.generate.empty()) return stream;
    stream.format.has_targets = learns;
    stream.format.has_weights = stream.format.has_weights && !options.weight.empty();
    return stream;
}

csv::Table load_table(const InputOptions& options, const StreamFormat* format) {
    check_input(options);
    if (format == nullptr)
        return options.generate.empty() ? read_file(options, columns_of(options)) : generate_table(options, nullptr);
    const std::string file = options.config.string();
    const KnownStream stream{*format, "the stream of " + file, file};
    return options.generate.empty() ? read_file(options, stream) : generate_table(options, &stream);
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
        if (attribute.known_groups() > 1) continue;
        throw InvalidInput(Reason::bad_option, "group column '" + attribute.name + "' has one group only ('" +
                                                   attribute.groups[0] + "'): fairness needs at least two");
    }
}

PointSource::PointSource(const InputOptions& options, const StreamFormat& format)
    : from_([&]() -> decltype(from_) {
          const KnownStream stream = engines_stream(format);
          if (!options.generate.empty()) {
              generate::Generator made = generator(options);
              require_format(made.format(), stream);
              return made;
          }
          if (options.standardise || options.unit_rows || !options.rows.empty())
              return Rows{read_file(options, stream), 0};
          csv::PointReader reader(options.input, columns_for(options, stream));
          require_features(reader.features().size(), stream);
          return reader;
      }()),
      has_targets_(format.has_targets),
      targets_come_later_(format.targets_come_later),
      has_times_(options.generate.empty() && !options.time.empty()) {
    if (options.generate.empty()) by_position_ = taken_by_position(options, engines_stream(format));
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
    // Without a column of them, those that come later are not known of any point.
    if (targets_come_later_ && out.targets.empty())
        out.targets.assign(out.ids.size(), std::numeric_limits<float>::quiet_NaN());
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
