#pragma once
/// Writing results where a failure to write them is noticed.

#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include <fairstream/base/types.hpp>

namespace fairstream::command {

/// A file that a command is asked to write, and the option that asks.
struct OutputFile {
    std::string_view option;
    std::filesystem::path path;  ///< empty: not asked for
};
/// Throws `InvalidInput` when an output is one of the files that are read, another output, or a recording: what is
/// there would be lost; and when its folder does not exist. To be called before anything is done.
void check_outputs(const std::vector<OutputFile>& outputs, const std::vector<std::filesystem::path>& inputs);

/// Replaces the file as a whole: a reader sees the old one or the new one. Throws `std::system_error` naming it.
void write_file(const std::filesystem::path& path, std::string_view text);

/// Rows "id,label" under that heading, by rising id.
void write_labels(const std::filesystem::path& path, std::vector<std::pair<PointId, ClusterId>> labels);
/// The same of scores, "id,score", each in the shortest form that reads back equal.
void write_scores(const std::filesystem::path& path, std::vector<std::pair<PointId, Score>> scores);
/// A score in that form; empty for `no_score`.
[[nodiscard]] std::string score_text(Score score);

/// To stdout, at once. Throws `std::system_error`.
void print(std::string_view text);

}  // namespace fairstream::command
