#pragma once
/// Where commands get their points from: a CSV file or a generator; and `fit` a graph.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <fairstream/csv/graph.hpp>
#include <fairstream/csv/table.hpp>
#include <fairstream/generate/detail/generator.hpp>

namespace fairstream::command {

class Progress;

struct InputOptions {
    std::filesystem::path input;        ///< CSV file, possibly gzip-compressed; empty: `generate`
    std::vector<std::string> features;  ///< column names; empty or "all": all columns without another meaning
    std::vector<std::string> groups;    ///< column names
    std::string target;                 ///< column name; empty: none
    std::string id;                     ///< column name; empty: the row's number
    std::string split;                  ///< column name, or fractions if there is a comma in it; empty: no parts
    std::uint64_t split_seed = 1;       ///< of what fractions draw
    bool standardise = false;
    bool unit_rows = false;
    std::filesystem::path edges;          ///< CSV file of a graph's edges, in place of `input`, with `nodes`
    std::filesystem::path nodes;          ///< CSV file of a graph's nodes
    std::filesystem::path rows;           ///< file of row numbers to keep, after the scaling; empty: all
    std::string generate;                 ///< name of a generator; empty: `input`
    std::optional<std::uint64_t> points;  ///< to generate, or nodes; empty: as many as is usual for `generate`
    std::uint64_t generate_seed = 1;

    /// What the points are called in reports.
    [[nodiscard]] std::string name() const;
    /// Whether it is a graph, from files or a generator.
    [[nodiscard]] bool is_graph() const;
};

/// Throws `InvalidInput` for input that cannot be there, no file, no header, no such generator, and for a graph.
void check_input(const InputOptions& options);

/// Whether the split of `options` is drawn by fractions, and not read from a column.
[[nodiscard]] bool splits_by_fractions(const InputOptions& options);

/// All points in memory, put into parts, scaled and selected as asked for.
[[nodiscard]] csv::Table load_table(const InputOptions& options);

/// All of a graph; `options` say that it is one. Throws `InvalidInput`.
[[nodiscard]] csv::GraphTable load_graph(const InputOptions& options);

/// Throws `InvalidInput` (bad_option) unless there is an attribute, and every one has two groups or more.
void require_groups(const std::vector<Attribute>& attributes);

/// Points one batch after another, from a file without holding it in memory where no scaling needs it.
class PointSource {
public:
    /// The stream's format decides the groups: cells of the i-th group column are names of the i-th attribute's groups,
    /// and group columns that are not named have the attributes' names. Throws `InvalidInput` when the columns do not
    /// fit.
    PointSource(const InputOptions& options, const StreamFormat& format);

    /// Puts up to `count` points into `out` and returns how many; 0 at the end.
    [[nodiscard]] std::size_t read(std::size_t count, PointColumns& out);
    [[nodiscard]] double progress() const;

private:
    struct Rows {
        csv::Table table;
        std::size_t next = 0;
    };
    std::variant<Rows, csv::PointReader, generate::Generator> from_;
    bool has_targets_;
};

}  // namespace fairstream::command
