#pragma once
/// Fronts that `fairstream front --output` wrote, for drawing beside another.

#include <filesystem>
#include <string>
#include <vector>

#include <fairstream/command/front/front_plot.hpp>

namespace fairstream::command {

/// The file of an overlay "FILE" or "NAME=FILE".
[[nodiscard]] std::filesystem::path overlay_file(const std::string& overlay);
/// By rising cost. Throws `InvalidInput` for a file that cannot be read or is no front.
[[nodiscard]] std::vector<NamedFront> read_overlays(const std::vector<std::string>& overlays,
                                                    const std::string& measure);

}  // namespace fairstream::command
