#pragma once
/// Writing of results. A failed write throws.

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

/// An output file of a command, and the option that names it.
struct OutputFile {
    std::string_view option;
    std::filesystem::path path;  ///< empty: not given
};

/// Throws `InvalidInput` when an output is an input file, another output, or a recording, whose contents would be lost.
/// Throws also when its folder does not exist or does not allow files to be written. Call it before any work.
void check_outputs(const std::vector<OutputFile>& outputs, const std::vector<std::filesystem::path>& inputs);

/// Returns whether an output goes to standard output.
[[nodiscard]] bool takes_stdout(const std::vector<OutputFile>& outputs);

/// Replaces the file as a whole, so that a reader sees the old file or the new one; or writes to stdout (`is_stdout`).
/// A terminal gets escaped text as from an `OutputStream`. Throws `std::system_error`, naming the file.
void write_file(const std::filesystem::path& path, std::string_view text);

/// Returns the text of a point's id; empty if ids are numbers.
using IdText = std::function<std::string_view(PointId)>;
/// Returns an id as a cell: its text, or the number.
[[nodiscard]] std::string id_cell(PointId id, std::string_view text);

/// Input columns that are copied to an output.
struct OtherColumns {
    std::span<const std::string> names = {};
    std::span<const std::string> cells = {};  ///< by row: the cells of all columns, as part of a CSV line
};
/// Throws `InvalidInput` (bad_option) if a file of labels would have two columns of one name: `names` repeats a name,
/// or contains "id" or "label".
void check_other_columns(std::span<const std::string> names);
/// Returns ",age,sex" for the heading of an output; empty without columns.
[[nodiscard]] std::string heading_of(std::span<const std::string> columns);
/// Writes rows "id,label" sorted by id; ids that are texts are sorted byte by byte. `heading` is the heading of the
/// labels; `others` come last.
void write_outputs(const std::filesystem::path& path, const std::vector<std::pair<PointId, ClusterId>>& labels,
                   const IdText& text, const std::string& heading = "label", const OtherColumns& others = {});
/// Writes rows "id,score", sorted by id as labels are. Each score has the shortest form that reads back equal.
void write_outputs(const std::filesystem::path& path, const std::vector<std::pair<PointId, Score>>& scores,
                   const IdText& text, const std::string& heading = "score");
/// Words for rows of numbers: the option for their file, the name of their columns, and the error text for a model
/// without them.
struct RowWords {
    const char *option, *column, *if_model_lacks_it;
};
/// A file of rows of numbers of one kind.
struct RowFile {
    std::filesystem::path path = {};  ///< empty: none
    RowKind kind = RowKind::memberships;
    [[nodiscard]] const RowWords& words() const;
    [[nodiscard]] std::string heading(std::size_t numbers) const;  ///< returns ",p0,p1,..."
    [[nodiscard]] bool empty() const noexcept { return path.empty(); }
};
/// Returns "0.25,0.75": each number in the shortest form that reads back equal as float32, the precision in which
/// labels are chosen.
[[nodiscard]] std::string row_cells(std::span<const float> row);
/// Writes rows "id,p0,p1,..." sorted by id; row i of `rows` belongs to `ids[i]`.
void write_rows(const RowFile& file, const std::vector<PointId>& ids, const Matrix& rows, const IdText& text);
/// Returns the indices of these ids in the order in which files have them.
[[nodiscard]] std::vector<std::size_t> order_by_id(const std::vector<PointId>& ids, const IdText& text);
/// Returns a score in the shortest form that reads back equal; empty for `no_score`.
[[nodiscard]] std::string score_text(Score score);

}  // namespace fairstream::files
