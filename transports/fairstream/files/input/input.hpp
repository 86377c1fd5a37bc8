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
    std::filesystem::path input;  ///< file of points, possibly compressed; empty: `generate`
    ShapeOptions shape;           ///< of that file, or of `edges`
    std::filesystem::path edges;  ///< file of a graph's edges, in place of `input`, with `nodes`
    std::filesystem::path nodes;
    std::filesystem::path config;         ///< configuration of the points' stream; empty: the file says what they are
    std::string generate;                 ///< name of a generator; empty: `input`
    std::optional<std::uint64_t> points;  ///< to generate, or nodes; empty: as many as is usual for `generate`
    std::uint64_t generate_seed = 1;
};

/// The roles of a file's columns, by name.
struct ColumnOptions {
    std::vector<std::string> features;  ///< empty or "all": all columns without another meaning
    std::vector<std::string> groups;
    std::vector<std::string> left_out;  ///< no features, where `features` names none
    std::string target;                 ///< empty: none, as those below
    std::string classes;                ///< the true classes
    std::string weight;                 ///< empty: all points weigh 1
    std::string time;
    std::string event;              ///< of which rows are
    std::string id;                 ///< empty: the row's number
    std::string split;              ///< or fractions if there is a comma in it
    std::string prediction;         ///< numbers, or words for no and yes, that a model measures
    std::vector<std::string> with;  ///< whose cells labels come with, whatever else they are
};

/// How cells are written, and what they become.
struct FormatOptions {
    std::vector<std::string> categorical;         ///< how text becomes numbers, by column (`ByColumn`)
    std::vector<std::string> missing;             ///< what becomes of missing values, by column
    std::vector<std::string> missing_texts;       ///< further texts of missing values, "TEXT" or "COLUMN=TEXT"
    std::vector<std::string> dates;               ///< the unit of dates, by column
    std::string date_order;                       ///< of dates and times; empty: found in the file
    std::string decimal_mark;                     ///< point or comma; empty: found in the file
    std::string time_unit;                        ///< symbol of the unit of times that are numbers; empty: not given
    std::string positive;                         ///< the target's text that means 1; empty: the target is a number
    std::string unknown_group;                    ///< name of the group of points whose group is missing; empty: none
    std::optional<std::uint64_t> groups_at_most;  ///< different values of a group column; empty: what is usual
    bool targets_come_later = false;              ///< whether a file's targets may be missing
};

/// Which rows are points, and of which part, and how they are scaled.
struct RowOptions {
    std::uint64_t bad_rows = 0;           ///< so many rows that cannot be used are left out
    std::filesystem::path bad_rows_file;  ///< CSV file of such rows to write; empty: none
    std::filesystem::path rows;           ///< file of row numbers to keep, after the scaling; empty: all
    std::uint64_t split_seed = 1;         ///< of the random split by fractions
    bool standardise = false;
    bool unit_rows = false;
    bool keeps_unscaled = false;  ///< whether features are of use as a file has them, too
};

struct InputOptions : SourceOptions, ColumnOptions, FormatOptions, RowOptions {
    /// How far times may be ahead of this machine's clock; empty: as far as they are.
    std::optional<std::chrono::microseconds> time_ahead = {};
    bool describes = false;  ///< whether plain numbers, too, are prepared by an engine

    /// Returns the name of the input in reports.
    [[nodiscard]] std::string name() const;
    /// Returns whether the input is a graph, from files or a generator.
    [[nodiscard]] bool is_graph() const;
};

/// A file's columns as they are read, and what becomes of rows that cannot be used.
struct FileColumns {
    Roles roles;
    Formats formats;
    BadRowPolicy bad_rows;
};
/// The columns that options make of a file.
using ColumnsBy = std::function<FileColumns(const InputOptions&)>;

/// What a column of a file holds.
struct ColumnNote {
    std::string column;
    std::string holds = {};      ///< in words: "text, 9 values"
    bool is_within_day = false;  ///< whether its dates are times of day alone
    std::uint64_t missing = 0;   ///< of its cells
    std::uint64_t cells = 0;
};

/// Features of a file's rows as it has them.
struct FileFeatures {
    std::vector<std::uint64_t> numbers = {};  ///< of the rows, rising
    std::vector<double> features = {};        ///< by row; empty: not kept
};

/// The stream that the points of an input are of. A file describes its own unless a configuration does.
struct InputStream : config::StreamOptions {
    std::optional<InputFile> file = {};      ///< the file that describes the stream; nothing: a configuration does
    std::vector<std::string> features = {};  ///< the file's columns, d; those below are the file's, too
    std::vector<std::string> needed = {};    ///< as `Roles` has it
    std::optional<std::string> positive = {};
    std::vector<std::string> target_levels = {};  ///< as the file writes them, where they are few
    std::vector<std::string> hints = {};          ///< for people, on what was made of the file
    std::vector<ColumnNote> notes = {};           ///< one for each feature, or empty where all are plain numbers
    std::vector<double> fills = {};               ///< what `fill_by` found for each feature
    Remarks remarks = {};                         ///< of the file, once it was read
    FileFeatures unscaled = {};                   ///< where they were scaled in memory, and asked for
    /// The attributes with all groups that later points of a described stream may be of, once the file was read: a fit
    /// that selects rows, or retains some of the points, may have fewer.
    std::vector<Attribute> listed = {};
};

/// Throws `InvalidInput` for a missing file or header, an unknown generator or unit of time, and a graph. Does not open
/// an input that comes once.
void check_input(const InputOptions& options);

/// Returns whether the split is drawn by fractions instead of read from a column.
[[nodiscard]] bool splits_by_fractions(const InputOptions& options);

/// Returns the stream of `options.config`, and without one that which a file describes, which is looked through once;
/// nothing for made-up points and for a graph. `learns`: whether a model is to learn targets. A file's points have
/// targets where it is, and weights where a column of them is named. Throws `InvalidInput` for a stream without targets
/// to learn, for options that a preparation contradicts, and as `describe_file` does.
[[nodiscard]] std::optional<InputStream> load_stream(const InputOptions& options, bool learns, Listener& listener);
/// Loads all points into memory; splits, scales and selects them as `options` specify. Of rows with one id the last
/// alone is a point, of those that are selected if some are. They are of `stream`, where there is one; of a described
/// one that `options` standardise it sets the scales.
[[nodiscard]] Table load_table(const InputOptions& options, std::optional<InputStream>& stream, Listener& listener);

/// Gives the points of a table that was loaded with `unscaled` the features of the file again, and leaves that empty;
/// does nothing where it is.
void undo_scaling(FileFeatures& unscaled, Table& table);

/// Loads or generates the graph that `options` name. Throws `InvalidInput`.
[[nodiscard]] GraphTable load_graph(const InputOptions& options, Listener& listener);

/// Throws `InvalidInput` (bad_option) where no cell of a file's target is the text that `options` call positive, and
/// one is nearly so; where none is near, a note says that all count as no. Looks through the file, unless it comes
/// once.
void require_positive(const std::filesystem::path& file, const InputOptions& options, Listener& listener);

/// Returns an upper bound on the bytes of a point in a message, but for the text of its id.
[[nodiscard]] std::size_t most_bytes_of_point(const StreamFormat& format) noexcept;

/// Returns a line for each column of which rows were left out, as they lack a value of it, without its end.
[[nodiscard]] std::vector<std::string> rows_without_lines(const Remarks& remarks);

/// Returns a line on the shape of a file where people may want to know it; nothing where it is usual.
[[nodiscard]] std::optional<std::string> shape_note(const InputOptions& options, const Remarks& remarks);

/// Returns a line on a column that no line of JSON lines has had.
[[nodiscard]] std::string unmet_note(const std::string& column);

/// Returns the protected attributes that the points will have, by name; their groups may be unknown yet.
[[nodiscard]] std::vector<Attribute> attribute_columns(const InputOptions& options);

/// Throws `InvalidInput` (bad_option) unless there is an attribute, and every one has two groups or more.
void require_groups(const std::vector<Attribute>& attributes);

/// Reads points batch by batch; holds a file in memory only where scaling needs it.
class PointSource {
public:
    /// `format` and `reader` are those of the engine's stream, whose roles the columns have (`columns_for`). Throws
    /// `InvalidInput` when the columns do not fit.
    PointSource(const InputOptions& options, const StreamFormat& format, const ReaderSettings& reader,
                Listener& listener);
    PointSource(const InputOptions& options, const KnownStream& stream, Listener& listener);

    /// Puts up to `count` points into `out` and returns how many; 0 at the end.
    [[nodiscard]] std::size_t read(std::size_t count, PointColumns& out);
    /// Returns the cells of `InputOptions::with` of the points that were read last (`PointRow::kept`).
    [[nodiscard]] std::span<const std::string> kept() const;
    /// Makes `read` of a pipe end its wait as `PointReader::set_stop` does.
    void set_stop(std::function<bool()> stops);
    /// Says whether what was read cannot be read again.
    [[nodiscard]] bool comes_once() const noexcept { return is_endless_; }
    [[nodiscard]] double progress() const;
    /// Says whether points come with the times of their events.
    [[nodiscard]] bool has_times() const noexcept { return has_times_; }
    /// Returns what was noticed of the file so far; nothing of a generator.
    [[nodiscard]] Remarks remarks() const;
    /// Returns "--group gender is taken for the engine's sex" for columns that were taken by position, a line for each
    /// option.
    [[nodiscard]] const std::vector<std::string>& by_position() const noexcept { return by_position_; }

private:
    struct Rows {
        Table table;
        std::size_t next = 0, taken = 0;  // the points that were read last end before `next`
    };
    void keep_asked(PointColumns& points) const;

    [[nodiscard]] std::size_t take(std::size_t count, PointColumns& out);

    InputOptions options_;
    ColumnsBy columns_by_;
    std::function<std::string(const BadRow&)> remedy_;  // that no option is
    std::variant<Rows, PointReader, generate::Generator> from_;
    std::size_t attributes_;
    std::optional<std::vector<int>> asked_with_;
    bool has_targets_;
    bool targets_come_later_;
    bool has_times_;
    bool is_endless_;  // whether the end of the file may never come
    std::vector<std::string> by_position_;
};

}  // namespace fairstream::files
