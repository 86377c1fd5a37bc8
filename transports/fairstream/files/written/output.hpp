#pragma once
/// Writing of results; failures to write throw.

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fairstream/base/types.hpp>
#include <fairstream/files/rows/standard_output.hpp>
#include <fairstream/models/point_rows.hpp>
#include <fairstream/numeric/matrix.hpp>

namespace fairstream::files {

/// A file that a command is to write, and the option that names it.
struct OutputFile {
    std::string_view option;
    std::filesystem::path path;  ///< empty: not given
};

/// Throws `InvalidInput` when an output is an input file, another output, or a recording, whose contents would be lost;
/// and when its folder does not exist, or no file can be written there. Call it before any work.
void check_outputs(const std::vector<OutputFile>& outputs, const std::vector<std::filesystem::path>& inputs);

/// Returns whether an output is standard output.
[[nodiscard]] bool takes_stdout(const std::vector<OutputFile>& outputs);

/// Replaces the file as a whole, or writes to stdout (`is_stdout`): a reader sees the old one or the new one; a
/// terminal gets text as it does from an `OutputStream`. Throws `std::system_error` naming it.
void write_file(const std::filesystem::path& path, std::string_view text);

/// Returns the text that the id of a point stands for; empty where ids are numbers.
using IdText = std::function<std::string_view(PointId)>;
/// Returns an id as a cell of a file: the text it stands for, or the number.
[[nodiscard]] std::string id_cell(PointId id, std::string_view text);

/// Columns of a file that an output has beside its own.
struct OtherColumns {
    std::span<const std::string> names = {};
    std::span<const std::string> cells = {};  ///< of each row those of all columns, as a line of CSV has them
};
/// Throws `InvalidInput` (bad_option) for columns of labels that would have one name: named twice, or the file's own.
void check_other_columns(std::span<const std::string> names);
/// Returns ",age,sex" for the heading of an output; empty without columns.
[[nodiscard]] std::string heading_of(std::span<const std::string> columns);
/// Writes rows "id,label" by rising id, texts byte by byte; `heading` is that of the labels, and `others` come last.
void write_outputs(const std::filesystem::path& path, const std::vector<std::pair<PointId, ClusterId>>& labels,
                   const IdText& text, const std::string& heading = "label", const OtherColumns& others = {});
/// Writes rows "id,score" likewise, each score in the shortest form that reads back equal.
void write_outputs(const std::filesystem::path& path, const std::vector<std::pair<PointId, Score>>& scores,
                   const IdText& text, const std::string& heading = "score");
/// Words for rows of numbers: the option for their file, the names of its columns, what is said of a model without
/// such.
struct RowWords {
    const char *option, *column, *lack;
};
/// A file of rows of numbers of one kind.
struct RowFile {
    std::filesystem::path path = {};  ///< empty: none
    RowKind kind = RowKind::memberships;
    [[nodiscard]] const RowWords& words() const;
    [[nodiscard]] std::string heading(std::size_t numbers) const;  ///< ",p0,p1,..."
    [[nodiscard]] bool empty() const noexcept { return path.empty(); }
};
/// Returns "0.25,0.75": each number in the shortest form that reads back equal as float32, which is what labels are
/// chosen by.
[[nodiscard]] std::string row_cells(std::span<const float> row);
/// Writes rows "id,p0,p1,...", row i of `rows` being that of `ids[i]`, by rising id.
void write_rows(const RowFile& file, const std::vector<PointId>& ids, const Matrix& rows, const IdText& text);
/// Returns the rows of these ids in the order in which they are written.
[[nodiscard]] std::vector<std::size_t> in_order(const std::vector<PointId>& ids, const IdText& text);
/// Returns a score in the shortest form that reads back equal; empty for `no_score`.
[[nodiscard]] std::string score_text(Score score);

}  // namespace fairstream::files
