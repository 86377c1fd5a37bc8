#pragma once
/// Input of the commands: points from a CSV file or a generator; for `fit` also a graph.

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <fairstream/config/config.hpp>
#include <fairstream/files/points/graph.hpp>
#include <fairstream/files/points/table.hpp>
#include <fairstream/generate/generator.hpp>
#include <fairstream/text/listener.hpp>

namespace fairstream::files {

struct KnownStream;

/// The source of points, or of a graph.
struct SourceOptions {
    std::filesystem::path input;  ///< file of points, may be compressed; empty: `generate`
    ShapeOptions shape;           ///< shape of `input`, or of `edges`
    std::filesystem::path edges;  ///< file of a graph's edges, instead of `input`; with `nodes`
    std::filesystem::path nodes;
    std::filesystem::path config;         ///< configuration of the points' stream; empty: the file describes it
    std::string generate;                 ///< name of a generator; empty: `input`
    std::optional<std::uint64_t> points;  ///< number of points or nodes to generate; nothing: the default of `generate`
    std::uint64_t generate_seed = 1;
};

/// The roles of a file's columns, by name.
struct ColumnOptions {
    std::vector<std::string> features;  ///< empty or "all": all columns without another role
    std::vector<std::string> groups;
    std::vector<std::string> left_out;  ///< columns that are not features, if `features` is empty
    std::string target;                 ///< empty: none, also below unless stated
    std::string classes;                ///< true classes
    std::string weight;                 ///< empty: all points weigh 1
    std::string time;
    std::string event;              ///< column; rows with the same text in it form an event
    std::string id;                 ///< empty: the number of the row
    std::string split;              ///< a column, or fractions if it contains a comma
    std::string prediction;         ///< numbers, or words for no and yes, to be measured
    std::vector<std::string> with;  ///< columns to copy beside the labels, besides any other role
};

/// The format of cells, and what they become.
struct FormatOptions {
    std::vector<std::string> categorical;         ///< conversion of text to numbers, by column (`ByColumn`)
    std::vector<std::string> missing;             ///< treatment of missing values, by column
    std::vector<std::string> missing_texts;       ///< further texts of missing values, "TEXT" or "COLUMN=TEXT"
    std::vector<std::string> dates;               ///< the unit of dates, by column
    std::string date_order;                       ///< for dates and times; empty: found in the file
    std::string decimal_mark;                     ///< point or comma; empty: found in the file
    std::string time_unit;                        ///< symbol of the unit of times that are numbers; empty: not given
    std::string positive;                         ///< the target's text that means 1; empty: the target is a number
    std::string unknown_group;                    ///< group of points whose group is missing; empty: none
    std::optional<std::uint64_t> groups_at_most;  ///< limit on different values of a group column; nothing: default
    bool targets_come_later = false;              ///< whether a file's targets may be missing
};

/// Selection of rows, their split, and scaling.
struct RowOptions {
    std::uint64_t bad_rows = 0;           ///< largest number of unusable rows to leave out
    std::filesystem::path bad_rows_file;  ///< CSV file of these rows to write; empty: none
    std::filesystem::path rows;           ///< file of the row numbers to keep, after scaling; empty: all
    std::uint64_t split_seed = 1;         ///< for the random split by fractions
    bool standardise = false;
    bool unit_range = false;  ///< not with `standardise`
    bool unit_rows = false;
    bool keeps_unscaled = false;  ///< whether the unscaled features are needed, too
};

struct InputOptions : SourceOptions, ColumnOptions, FormatOptions, RowOptions {
    /// How far times may be ahead of this machine's clock; nothing: no limit.
    std::optional<std::chrono::microseconds> time_ahead = {};
    bool describes = false;  ///< whether the stream is saved, so that it describes plain numbers, too

    /// Returns the name of the input in reports.
    [[nodiscard]] std::string name() const;
    /// Returns whether the input is a graph, from files or a generator.
    [[nodiscard]] bool is_graph() const;
    /// Returns the option that scales columns, "--standardise" or "--unit-range"; empty: none does.
    [[nodiscard]] std::string column_scaling() const;
    /// Returns whether columns or rows are scaled.
    [[nodiscard]] bool scales() const;
};

/// How a file's columns are read, and how unusable rows are treated.
struct FileColumns {
    Roles roles;
    Formats formats;
    BadRowPolicy bad_rows;
};
/// Returns the columns that the options define for a file.
using ColumnsOfOptions = std::function<FileColumns(const InputOptions&)>;

/// The contents of a column of a file.
struct ColumnNote {
    std::string column;
    std::string contents = {};           ///< in words: "text, 9 values"
    bool has_only_times_of_day = false;  ///< whether its dates are only times of day
    std::uint64_t missing = 0;           ///< number of missing cells
    std::uint64_t cells = 0;
};

/// Unscaled features of a file's rows.
struct FileFeatures {
    std::vector<std::uint64_t> numbers = {};  ///< numbers of the rows, rising
    std::vector<double> features = {};        ///< by row; empty: not kept
};

/// The stream of an input's points. A file describes its own stream unless a configuration does.
struct InputStream : config::StreamOptions {
    std::optional<InputFile> file = {};      ///< the file that describes the stream; nothing: a configuration
    std::vector<std::string> features = {};  ///< d columns of the file
    std::vector<std::string> needed = {};    ///< as in `Roles`
    std::optional<std::string> positive = {};
    std::vector<std::string> target_levels = {};  ///< in the file's spelling, if they are few
    std::vector<std::string> hints = {};          ///< for people, on how the file was read
    std::vector<ColumnNote> notes = {};           ///< by feature; empty if all are plain numbers
    std::vector<double> fills = {};               ///< by feature, from `set_fills`
    Remarks remarks = {};                         ///< about the file, once it was read
    FileFeatures unscaled = {};                   ///< if scaled in memory and asked for
    /// The attributes with all groups that later points of a described stream may have; set once the file was read. A
    /// fit that selects rows, or retains only some points, may use fewer groups.
    std::vector<Attribute> listed = {};
};

/// Throws `InvalidInput` for a missing file or header, an unknown generator or unit of time, and a graph. Does not open
/// an input that can be read only once.
void check_input(const InputOptions& options);

/// Returns whether the split is drawn by fractions instead of read from a column.
[[nodiscard]] bool splits_by_fractions(const InputOptions& options);

/// Returns the stream of `options.config`; without a configuration, the stream that a file describes (the file is read
/// once for that); nothing for generated points and for a graph. `learns`: a model is to learn targets. A file's points
/// then have targets; they have weights if a column of weights is named. Throws `InvalidInput` for a stream without
/// targets to learn, for options that contradict the preparation, and as `describe_file`.
[[nodiscard]] std::optional<InputStream> load_stream(const InputOptions& options, bool learns, Listener& listener);
/// Loads all points into memory; splits, scales and selects them according to `options`. Among rows with the same id,
/// only the last becomes a point; if rows are selected, the last selected one. The points belong to `stream`, if there
/// is one. If `options` scale the columns of a described stream, its scales are set.
[[nodiscard]] Table load_table(const InputOptions& options, std::optional<InputStream>& stream, Listener& listener);

/// Restores the file's features in a table that was loaded with `unscaled`, and empties `unscaled`; does nothing if
/// `unscaled` is empty.
void undo_scaling(FileFeatures& unscaled, Table& table);

/// Loads or generates the graph that `options` name. Throws `InvalidInput`.
[[nodiscard]] GraphTable load_graph(const InputOptions& options, Listener& listener);

/// Throws `InvalidInput` (bad_option) if no cell of a file's target is the text that `options` call positive, but a
/// cell is similar to it. If no cell is similar, a note says that all cells count as no. Reads the file, unless it can
/// be read only once.
void require_positive(const std::filesystem::path& file, const InputOptions& options, Listener& listener);

/// For a stream that counts all other groups as unknown, throws `InvalidInput` (unknown_group) if a group column of a
/// file has at least 10 cells with a text, and none of them is a group of the stream. Reads the file as far as the
/// first group, unless the file can be read only once. `format` and `settings` belong to the engine's stream.
void require_known_groups(const InputOptions& options, const StreamFormat& format, const ReaderSettings& settings,
                          Listener& listener);

/// Returns an upper bound on the bytes of a point in a message, without the text of its id.
[[nodiscard]] std::size_t most_bytes_of_point(const StreamFormat& format) noexcept;

/// Returns a line, without its end, for each column whose missing values caused rows to be left out.
[[nodiscard]] std::vector<std::string> rows_without_lines(const Remarks& remarks);

/// Returns a line on the shape of a file, if it is unusual; otherwise nothing.
[[nodiscard]] std::optional<std::string> shape_note(const InputOptions& options, const Remarks& remarks);

/// Returns a line on a column that no JSON line has had.
[[nodiscard]] std::string absent_column_note(const std::string& column);

/// Returns the protected attributes of the points, by name; their groups may still be unknown.
[[nodiscard]] std::vector<Attribute> attribute_columns(const InputOptions& options);

/// Throws `InvalidInput` (bad_option) unless there is an attribute and each has at least two groups.
void require_groups(const std::vector<Attribute>& attributes);

/// Reads points batch by batch; holds a file in memory only if scaling needs it.
class PointSource {
public:
    /// `format` and `reader` belong to the engine's stream; columns get its roles (`columns_for`). Throws
    /// `InvalidInput` when the columns do not fit.
    PointSource(const InputOptions& options, const StreamFormat& format, const ReaderSettings& reader,
                Listener& listener);
    PointSource(const InputOptions& options, const KnownStream& stream, Listener& listener);

    /// Puts up to `count` points into `out` and returns how many; 0 at the end.
    [[nodiscard]] std::size_t read(std::size_t count, PointColumns& out);
    /// Returns the cells of `InputOptions::with` for the points of the last `read` (`PointRow::kept`).
    [[nodiscard]] std::span<const std::string> kept() const;
    /// Makes `read` return early when it waits for a pipe (`PointReader::set_stop`).
    void set_stop(std::function<bool()> stops);
    /// Returns whether the input cannot be read again.
    [[nodiscard]] bool is_read_once() const noexcept { return is_endless_; }
    [[nodiscard]] double progress() const;
    /// Returns whether points have the times of their events.
    [[nodiscard]] bool has_times() const noexcept { return has_times_; }
    /// Returns the remarks on the file so far; none for a generator.
    [[nodiscard]] Remarks remarks() const;
    /// Returns lines such as "--group gender is taken for the engine's sex": one for each option whose columns were
    /// taken by position.
    [[nodiscard]] const std::vector<std::string>& by_position() const noexcept { return by_position_; }

private:
    struct Rows {
        Table table;
        std::size_t next = 0, taken = 0;  // the points of the last `read` end before `next`
    };
    void keep_question_groups(PointColumns& points) const;

    [[nodiscard]] std::size_t take(std::size_t count, PointColumns& out);

    InputOptions options_;
    ColumnsOfOptions columns_of_options_;
    std::function<std::string(const BadRow&)> remedy_;  // help that is not an option
    std::variant<Rows, PointReader, generate::Generator> from_;
    std::size_t attributes_;
    std::optional<std::vector<int>> question_attributes_;
    bool has_targets_;
    bool targets_come_later_;
    bool has_times_;
    bool is_endless_;  // whether the file may never end
    std::vector<std::string> by_position_;
};

}  // namespace fairstream::files
