#include <fairstream/input/input.hpp>

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include <fairstream/base/nearest_name.hpp>
#include <fairstream/files/points/detail/split.hpp>
#include <fairstream/generate/graphs.hpp>
#include <fairstream/input/advice.hpp>
#include <fairstream/input/by_column.hpp>
#include <fairstream/input/described_file.hpp>
#include <fairstream/input/groups_of_points.hpp>
#include <fairstream/input/prepared_columns.hpp>
#include <fairstream/input/stream_columns.hpp>
#include <fairstream/text/numbers.hpp>
#include <fairstream/text/shell_word.hpp>

namespace fairstream::files {
namespace {

/// Splits the table by fractions. A split by column was read with the file.
void draw_split(const InputOptions& options, Table& table) {
    if (splits_by_fractions(options)) draw_parts(read_fractions(options.split), options.split_seed, table);
}

/// Treatment of rows whose id a later row has.
enum class RepeatedIds : bool { keep, drop };

/// Leaves out rows whose id a later row has, and notes their number.
void leave_out_repeated_ids(Table& table) {
    const std::size_t all = table.size();
    keep_last_of_ids(table);
    table.remarks.repeated_ids = all - table.size();
}

/// Scales the points of a file according to the options; keeps their unscaled features in `unscaled`, if needed.
void scale(const InputOptions& options, Table& table, FileFeatures* unscaled) {
    if (unscaled != nullptr && options.keeps_unscaled && options.scales()) *unscaled = {table.numbers, table.features};
    if (options.standardise) standardise(table);
    if (options.unit_range) unit_range(table);
    if (options.unit_rows) unit_rows(table);
}

std::string reading(const InputOptions& options) {
    return "reading " + options.name();
}

/// Reads a file; with `scale_points`, scales its points according to the options.
Table read_file(const InputOptions& options, const InputFile& file, const ColumnsOfOptions& columns_of_options,
                const std::function<void(Table&)>& scale_points, RepeatedIds repeats, Listener& listener,
                const std::function<std::string(const BadRow&)>& remedy = {}) {
    const FileColumns columns = columns_of_options(options);
    Table table;
    try {
        table = read_table(file, columns.roles, columns.formats, columns.bad_rows,
                           [&](double share) { listener.progress(reading(options), share, {}); });
    } catch (const BadRow& error) {
        refuse_row(error, options, file.is_rereadable() ? &file : nullptr, columns_of_options,
                   remedy ? remedy(error) : "");
    }
    const bool drops_repeats = repeats == RepeatedIds::drop && !options.id.empty(), selects = !options.rows.empty();
    // Replaced rows are dropped before the split and the scales, which they must not affect. Among selected rows, only
    // a selected row replaces another.
    if (drops_repeats && !selects) leave_out_repeated_ids(table);
    draw_split(options, table);
    scale_points(table);
    if (selects) select_rows_of_file(table, read_row_numbers(options.rows));
    if (drops_repeats && selects) leave_out_repeated_ids(table);
    require_resolution(table);
    return table;
}

/// Throws when two options name one input that can be read only once.
void refuse_shared_input(const char* option, const std::filesystem::path& path, const char* other_option,
                         const std::filesystem::path& other) {
    if (path != other || !is_read_once(path)) return;
    throw InvalidInput(Reason::bad_option, std::string(option) + " and " + other_option + ": both name " +
                                               input_name(path) + ", which can be read only once");
}

generate::Generator generator(const InputOptions& options) {
    if (options.is_graph()) {
        throw InvalidInput(
            Reason::bad_option,
            "'" + options.generate + "' makes a graph, not points: use it with fairstream fit fair_spectral");
    }
    return {options.generate, options.generate_seed, options.points};
}

Table generate_table(const InputOptions& options, const KnownStream* stream) {
    generate::Generator made = generator(options);
    if (stream != nullptr) require_format(made.format(), *stream);
    PointColumns points;
    (void)made.next(made.total(), points);
    Table table;
    table.format = made.format();
    table.feature_names = made.feature_names();
    table.ids = std::move(points.ids);
    table.features.assign(points.features.begin(), points.features.end());
    table.groups = std::move(points.groups);
    table.targets.assign(points.targets.begin(), points.targets.end());
    draw_split(options, table);
    return table;
}

KnownStream engines_stream(const StreamFormat& format, const ReaderSettings& reader) {
    return {format, reader, "the engine's stream", "the engine's configuration"};
}

/// Throws if the file has a column of events (`--event`), because its rows are read as one table in memory.
void refuse_events_of_rows(const InputOptions& options) {
    if (options.event.empty()) return;
    throw InvalidInput(Reason::bad_option, "--event " + options.event +
                                               ": events are sent in the order of the file: remove --standardise, "
                                               "--unit-range, --unit-rows and --rows");
}

/// Reads a file as points of a stream.
Table read_file(const InputOptions& options, const KnownStream& stream, RepeatedIds repeats, Listener& listener,
                FileFeatures* unscaled = nullptr) {
    const auto scale_points = [&](Table& read) { scale(options, read, unscaled); };
    Table table = read_file(
        options, InputFile(options.input, Passes::one, options.shape),
        [&](const InputOptions& by) { return columns_for(by, stream); }, scale_points, repeats, listener,
        [&](const BadRow& error) { return stream.remedy(error, options); });
    require_features(table.format.dimensions, stream);
    if (!stream.question_attributes) table.format = stream.format;
    return table;
}

}  // namespace

std::size_t most_bytes_of_point(const StreamFormat& format) noexcept {
    constexpr std::size_t id = 8, target = 4, weight = 8;
    return format.dimensions * sizeof(float) + format.attributes.size() * sizeof(GroupId) + id + target + weight;
}

std::vector<std::string> rows_without_lines(const Remarks& remarks) {
    std::vector<std::string> lines;
    for (const RowsWithout& without : remarks.left_out)
        lines.push_back("left out " + counted(without.rows, "row") + " without a value in column " +
                        shown(without.column));
    return lines;
}

namespace {

/// Returns "column 'c' is not used" or "columns 'c', 'd' are not used".
std::string unused_text(const std::vector<std::string>& columns) {
    constexpr std::size_t most_named = 5;
    const bool is_one = columns.size() == 1;
    return (is_one ? "column " : "columns ") + first_shown(columns, most_named) +
           (is_one ? " is not used" : " are not used");
}

}  // namespace

std::optional<std::string> shape_note(const InputOptions& options, const Remarks& remarks) {
    if (remarks.has_usual_shape) return std::nullopt;
    std::string text = options.name() + " is read as " + remarks.shape;
    if (!remarks.has_header && !remarks.ignored_columns.empty()) text += "; " + unused_text(remarks.ignored_columns);
    return text;
}

std::string absent_column_note(const std::string& column) {
    return "key " + shown(column) + ": no line so far has it; its cells count as missing";
}

void require_positive(const std::filesystem::path& file, const InputOptions& options, Listener& listener) {
    if (options.positive.empty() || is_read_once(file)) return;
    Reader reader(InputFile(file, Passes::one, options.shape));
    reader.expect(std::span(&options.target, 1));
    reader.set_missing_texts(options.missing_texts);
    const ColumnProfile profile = profile_columns(reader, {options.target}).columns.at(0);
    const std::vector<std::string> levels = profile.levels();
    const auto is_yes = [&](const std::string& level) { return is_same_answer(options.positive, level); };
    if (profile.has_more_values || levels.empty() || std::ranges::any_of(levels, is_yes)) return;
    const std::string what = "--positive " + options.positive + ": is not a value of column " + shown(options.target);
    const std::string meant = did_you_mean(options.positive, levels);
    if (!meant.empty()) throw InvalidInput(Reason::bad_option, what + ", which has " + with_commas(levels) + meant);
    listener.note(what + ", whose values all count as no: " + with_commas(levels));
}

namespace {

/// The search for a known group in a column of a file.
struct GroupSearch {
    std::size_t attribute;
    std::size_t column;
    std::uint64_t cells = 0;  ///< cells whose text is no group of the stream
    std::string text = {};    ///< text of one of these cells, if possible one that is not UTF-8
    bool has_group = false;   ///< whether a cell is a group of the stream
};

/// Adds the reader's current row, which has this group, to a search.
void search_row(const Reader& reader, const Attribute& attribute, GroupId group, GroupSearch& search) {
    const std::string cell(reader.trimmed_cell(search.column));
    search.has_group = group < attribute.known_groups() || cell == attribute.groups.back();
    if (search.has_group || reader.is_missing(search.column)) return;
    if (search.cells++ == 0 || (is_utf8(search.text) && !is_utf8(cell))) search.text = cell;
}

[[noreturn]] void refuse_groups(const Reader& reader, const Attribute& attribute, const GroupSearch& search) {
    constexpr std::size_t most_named = 6;
    const std::string& column = reader.header()[search.column];
    const std::vector<std::string> known(
        attribute.groups.begin(), attribute.groups.begin() + static_cast<std::ptrdiff_t>(attribute.known_groups()));
    throw InvalidInput(Reason::unknown_group,
                       reader.input().name() + ": no cell of group column " + shown(column) +
                           " is a known group of the engine's stream, " + first_shown(known, most_named) +
                           "; a cell is " + shown(search.text) +
                           (is_utf8(search.text) ? "" : std::string(", which is not UTF-8: ") + utf8_remedy) +
                           "; if the groups are in another column, name it with --group; if such a text means that "
                           "the group is unknown, add --missing-text " +
                           shell_word(column + "=" + search.text));
}

}  // namespace

void require_known_groups(const InputOptions& options, const StreamFormat& format, const ReaderSettings& settings,
                          Listener& listener) {
    constexpr std::uint64_t least_cells = 10;  // fewer may all be of new groups
    if (options.input.empty() || is_read_once(options.input)) return;
    const FileColumns columns = columns_for(options, engines_stream(format, settings));
    Reader reader = open_reader(InputFile(options.input, Passes::one, options.shape), columns.roles);
    reader.set_missing_texts(columns.formats.cells.missing_texts);
    GroupReader groups(reader, columns.roles.groups);
    std::vector<GroupSearch> searches;
    for (std::size_t i = 0; i < format.attributes.size(); ++i)
        if (format.attributes[i].has_unknown) searches.push_back({i, reader.column(columns.roles.groups[i].name)});
    std::vector<GroupId> found;
    for (std::uint64_t row = 1; !searches.empty(); ++row) {
        try {
            if (!reader.next()) break;
            groups.begin_row();
            groups.read(reader, found);
        } catch (const BadRow&) {
            continue;
        } catch (const InvalidInput&) {
            return;  // sending will end with the same error
        }
        for (GroupSearch& search : searches)
            search_row(reader, format.attributes[search.attribute], found[search.attribute], search);
        std::erase_if(searches, [](const GroupSearch& search) { return search.has_group; });
        if (row % rows_per_report == 0)
            listener.progress("looking for groups in " + options.name(), reader.progress(), {});
    }
    for (const GroupSearch& search : searches)
        if (search.cells >= least_cells) refuse_groups(reader, format.attributes[search.attribute], search);
}

namespace {

/// Reports how the file was read, and which rows were left out.
void report_remarks(const InputOptions& options, const std::vector<std::string>& hints, const Remarks& remarks,
                    Listener& listener) {
    if (const auto note = shape_note(options, remarks)) listener.note(*note);
    listener.notes(hints);
    listener.notes(rows_without_lines(remarks));
    if (remarks.repeated_ids > 0)
        listener.note(counted(remarks.repeated_ids, "row") + (remarks.repeated_ids == 1 ? " has" : " have") +
                      " an id that an earlier row has: the later row takes its place");
    if (remarks.bad_rows == 0) return;
    listener.note("left out " + counted(remarks.bad_rows, "row") + " that cannot be used, the first:",
                  remarks.first_bad);
}

/// Reads a file that describes its own stream.
Table read_described(const InputOptions& options, InputStream& stream, Listener& listener) {
    const InputStream described = stream;
    const auto scale_points = [&](Table& read) {
        if (!stream.prepare.prepares()) return scale(options, read, &stream.unscaled);
        if (options.standardise) set_scales(read, ScaleUnit::deviation, stream);
        if (options.unit_range) set_scales(read, ScaleUnit::range, stream);
        stream.prepare.unit_rows = options.unit_rows;
    };
    Table table = read_file(
        options, *stream.file, [&](const InputOptions& by) { return columns_of(by, described); }, scale_points,
        RepeatedIds::drop, listener);
    table.format = stream.format;
    const std::vector<Attribute> of_file = stream.format.attributes;
    for (std::string& note : leave_out_groups_without_points(table, stream)) stream.hints.push_back(std::move(note));
    // Groups of unselected rows stay listed, since these rows may come later. Groups of bad or replaced rows do not.
    stream.listed = options.rows.empty() ? stream.format.attributes : of_file;
    set_fills(table, stream);
    stream.remarks = table.remarks;
    report_remarks(options, stream.hints, stream.remarks, listener);
    return table;
}

}  // namespace

std::string InputOptions::name() const {
    return !generate.empty() ? generate : input_name(edges.empty() ? input : edges);
}

bool InputOptions::is_graph() const {
    return !edges.empty() || generate::find_graph_kind(generate) != nullptr;
}

std::string InputOptions::column_scaling() const {
    return standardise ? "--standardise" : unit_range ? "--unit-range" : "";
}

bool InputOptions::scales() const {
    return standardise || unit_range || unit_rows;
}

namespace {

/// Makes the checks of `check_input` that open no file.
void check_names(const InputOptions& options) {
    refuse_shared_input("--input", options.input, "--rows", options.rows);
    if (!options.time_unit.empty()) (void)time_unit(options);
    if (!options.generate.empty()) {
        (void)generator(options);
    } else if (options.input.empty()) {
        throw InvalidInput(Reason::bad_option,
                           "no points: name a file with --input, or make points with --generate, one of " +
                               generate::generator_names());
    }
}

}  // namespace

void check_input(const InputOptions& options) {
    check_names(options);
    if (!options.input.empty() && !is_read_once(options.input))
        const Reader reader(InputFile(options.input, Passes::one, options.shape));
}

bool splits_by_fractions(const InputOptions& options) {
    return options.split.find(',') != std::string::npos;
}

std::optional<InputStream> load_stream(const InputOptions& options, bool learns, Listener& listener) {
    const auto refuse = [](const std::string& what) { throw InvalidInput(Reason::bad_option, what); };
    if (options.config.empty()) {
        if (options.is_graph() || !options.generate.empty()) return std::nullopt;
        check_names(options);
        return describe_file(options, learns, listener);
    }
    const std::string file = options.config.string();
    if (options.is_graph()) refuse("--config: cannot be used for a graph, which has no features to prepare");
    InputStream stream{config::load_stream(options.config)};
    for (const auto& [option, given] :
         {std::pair("--categorical", !options.categorical.empty()), std::pair("--dates", !options.dates.empty()),
          std::pair("--unknown-group", !options.unknown_group.empty()),
          std::pair("--leave-out", !options.left_out.empty())})
        if (given)
            refuse(std::string(option) + ": [stream] and [prepare] of " + file +
                   " already say how columns are read: remove this option or --config");
    for (const auto& [option, given] : {std::pair(options.column_scaling(), !options.column_scaling().empty()),
                                        std::pair(std::string("--unit-rows"), options.unit_rows)})
        if (given && stream.prepare.prepares())
            refuse(option + ": [prepare] of " + file + " already scales the features: remove this option or --config");
    if (learns && !stream.format.has_targets)
        refuse(file + ": the stream has no targets to learn from: set targets = true under [stream]");
    if (!options.generate.empty()) return stream;
    stream.reader.add_missing_texts(options.missing_texts);
    if (!options.decimal_mark.empty()) stream.reader.decimal_mark = decimal_mark(options);
    stream.format.has_targets = learns;
    stream.format.targets_come_later = stream.format.targets_come_later && learns;
    stream.format.has_weights = stream.format.has_weights && !options.weight.empty();
    return stream;
}

Table load_table(const InputOptions& options, std::optional<InputStream>& stream, Listener& listener) {
    if (!stream) {
        check_input(options);
        return generate_table(options, nullptr);
    }
    if (stream->file) return read_described(options, *stream, listener);
    check_input(options);
    const std::string file = options.config.string();
    const KnownStream known{stream->format, stream->reader, "the stream of " + file, file};
    if (!options.generate.empty()) return generate_table(options, &known);
    if (stream->format.has_targets) require_positive(options.input, options, listener);
    Table table = read_file(options, known, RepeatedIds::drop, listener, &stream->unscaled);
    stream->remarks = table.remarks;
    std::vector<std::string> notes;
    for (const std::string& column : stream->remarks.absent_columns) notes.push_back(absent_column_note(column));
    report_remarks(options, notes, stream->remarks, listener);
    return table;
}

void undo_scaling(FileFeatures& unscaled, Table& table) {
    const FileFeatures of_file = std::exchange(unscaled, {});
    if (of_file.features.empty()) return;
    const auto d = static_cast<std::ptrdiff_t>(table.format.dimensions);
    for (std::size_t row = 0; row < table.size(); ++row) {
        const auto at = std::ranges::lower_bound(of_file.numbers, table.numbers[row]) - of_file.numbers.begin();
        std::copy_n(of_file.features.begin() + at * d, d,
                    table.features.begin() + static_cast<std::ptrdiff_t>(row) * d);
    }
}

GraphTable load_graph(const InputOptions& options, Listener& listener) {
    if (options.edges.empty()) {
        generate::PlantedGraph made = generate::make_graph(options.generate, options.generate_seed, options.points);
        return {std::move(made.graph), std::move(made.attributes), std::move(made.groups)};
    }
    refuse_shared_input("--edges", options.edges, "--nodes", options.nodes);
    GraphTable table = read_graph(options.edges, options.nodes, options.groups, options.classes, options.shape,
                                  [&](double share) { listener.progress(reading(options), share, {}); });
    if (!table.shape_of_edges.has_header && table.has_weights)
        listener.note(options.name() + ": the third column is read as the weights of edges");
    if (!table.unused_of_edges.empty())
        listener.note(options.name() + ": " + unused_text(table.unused_of_edges) +
                      (table.has_weights ? "" : ": weights of edges must be in a column named weight"));
    if (!table.shape_of_edges.is_usual())
        listener.note(options.name() + " is read as " + to_string(table.shape_of_edges));
    for (const auto& [edges, what] : {std::pair(table.left_out.repeated, " between the nodes of an earlier edge"),
                                      std::pair(table.left_out.loops, " from a node to itself"),
                                      std::pair(table.left_out.without_weight, " of weight 0")})
        if (edges > 0) listener.note(options.name() + ": left out " + counted(edges, "edge") + what);
    return table;
}

std::vector<Attribute> attribute_columns(const InputOptions& options) {
    if (!options.config.empty()) return config::load_stream(options.config).format.attributes;
    std::vector<Attribute> attributes;
    if (options.generate.empty())
        for (const std::string& column : options.groups) attributes.push_back({column, {}});
    else if (generate::find_graph_kind(options.generate) == nullptr)
        attributes = generator(options).format().attributes;
    return attributes;
}

void require_groups(const std::vector<Attribute>& attributes) {
    if (attributes.empty())
        throw InvalidInput(Reason::bad_option, "no --group: name the columns whose groups must be treated alike");
    for (const Attribute& attribute : attributes) {
        if (attribute.known_groups() > 1) continue;
        throw InvalidInput(Reason::bad_option, "group column '" + attribute.name + "' has one group only ('" +
                                                   attribute.groups[0] + "'): fairness needs at least two");
    }
}

PointSource::PointSource(const InputOptions& options, const StreamFormat& format, const ReaderSettings& reader,
                         Listener& listener)
    : PointSource(options, engines_stream(format, reader), listener) {}

PointSource::PointSource(const InputOptions& options, const KnownStream& stream, Listener& listener)
    : options_(options),
      columns_of_options_([stream](const InputOptions& by) { return columns_for(by, stream); }),
      remedy_([stream, options](const BadRow& error) { return stream.remedy(error, options); }),
      from_([&]() -> decltype(from_) {
          if (!options.generate.empty()) {
              generate::Generator made = generator(options);
              require_format(made.format(), stream);
              return made;
          }
          if (options.scales() || !options.rows.empty()) {
              refuse_events_of_rows(options);
              return Rows{read_file(options, stream, RepeatedIds::keep, listener)};
          }
          const FileColumns columns = columns_for(options, stream);
          PointReader reader(InputFile(options.input, passes_for(columns.roles.groups), options.shape), columns.roles,
                             columns.formats, columns.bad_rows);
          require_features(reader.features().size(), stream);
          return reader;
      }()),
      attributes_(stream.format.attributes.size()),
      question_attributes_(stream.question_attributes),
      has_targets_(stream.format.has_targets && !stream.question_attributes),
      targets_come_later_(stream.format.targets_come_later && !stream.question_attributes),
      has_times_(options.generate.empty() && !options.time.empty()),
      is_endless_(files::is_read_once(options.input)) {
    if (options.generate.empty()) by_position_ = position_notes(options, stream);
}

/// Keeps only the groups that the questions need; generated points have the groups of all attributes.
void PointSource::keep_question_groups(PointColumns& points) const {
    std::vector<GroupId> groups;
    for (std::size_t i = 0; i < points.ids.size(); ++i)
        for (const int attribute : *question_attributes_)
            groups.push_back(points.groups[i * attributes_ + static_cast<std::size_t>(attribute)]);
    points.groups = std::move(groups);
}

std::size_t PointSource::take(std::size_t count, PointColumns& out) {
    std::size_t taken = 0;
    if (auto* rows = std::get_if<Rows>(&from_)) {
        taken = different_ids(rows->table, rows->next, std::min(count, rows->table.size() - rows->next));
        copy_points(rows->table, rows->next, taken, out);
        rows->next += taken;
        rows->taken = taken;
    } else if (auto* reader = std::get_if<PointReader>(&from_)) {
        taken = reader->read(count, out);
    } else {
        taken = std::get<generate::Generator>(from_).next(count, out);
        if (question_attributes_) keep_question_groups(out);
    }
    // Without a target column, targets that come later are unknown for every point.
    if (targets_come_later_ && out.targets.empty())
        out.targets.assign(out.ids.size(), std::numeric_limits<float>::quiet_NaN());
    if (!has_targets_) out.targets.clear();  // a target column that was named only so that it is no feature
    return taken;
}

std::span<const std::string> PointSource::kept() const {
    if (const auto* reader = std::get_if<PointReader>(&from_)) return reader->kept();
    const auto* rows = std::get_if<Rows>(&from_);
    if (rows == nullptr || rows->table.kept.empty()) return {};
    return std::span(rows->table.kept).subspan(rows->next - rows->taken, rows->taken);
}

void PointSource::set_stop(std::function<bool()> stops) {
    if (auto* reader = std::get_if<PointReader>(&from_); reader != nullptr && is_endless_)
        reader->set_stop(std::move(stops));
}

Remarks PointSource::remarks() const {
    if (const auto* rows = std::get_if<Rows>(&from_)) return rows->table.remarks;
    if (const auto* reader = std::get_if<PointReader>(&from_)) return reader->remarks();
    return {};
}

std::size_t PointSource::read(std::size_t count, PointColumns& out) {
    try {
        return take(count, out);
    } catch (const BadRow& error) {
        std::optional<InputFile> file;
        if (!is_endless_) file.emplace(options_.input, Passes::one, options_.shape);
        refuse_row(error, options_, file ? &*file : nullptr, columns_of_options_, remedy_(error));
    }
}

double PointSource::progress() const {
    if (const auto* rows = std::get_if<Rows>(&from_))
        return static_cast<double>(rows->next) / static_cast<double>(rows->table.size());
    if (const auto* reader = std::get_if<PointReader>(&from_)) return reader->progress();
    const auto& made = std::get<generate::Generator>(from_);
    return 1.0 - static_cast<double>(made.left()) / static_cast<double>(made.total());
}

}  // namespace fairstream::files
