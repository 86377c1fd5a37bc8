#pragma once
/// Reading of fronts from reports of `fairstream front --report`, to draw them beside another front.

#include <filesystem>
#include <string>
#include <vector>

#include <fairstream/plots/front_plot.hpp>

namespace fairstream::plots {

/// Returns the file of an overlay "FILE" or "NAME=FILE".
[[nodiscard]] std::filesystem::path overlay_file(const std::string& overlay);
/// Reads fronts from reports, in which the figures have the names `measure` and `cost`; points are sorted by rising
/// cost. Throws `InvalidInput` for a file that cannot be read or is no front.
[[nodiscard]] std::vector<NamedFront> read_overlays(const std::vector<std::string>& overlays,
                                                    const std::string& measure, const std::string& cost);

}  // namespace fairstream::plots
