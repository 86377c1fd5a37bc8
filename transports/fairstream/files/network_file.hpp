#pragma once
/// Files of networks, as JSON, the first layer first:
///
///     {"layers": [{"weights": [[0.5, -1], [0, 2]], "bias": [0, 0.25], "activation": "relu"},
///                 {"weights": [[1, 1]], "bias": [0], "activation": "identity"}]}
///
/// `weights` has a row for each output of the layer, with a number for each input; `activation` is identity, relu, tanh
/// or sigmoid. Numbers are rounded to float32, and written in the shortest form that reads back equal.

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include <fairstream/models/model_options.hpp>
#include <fairstream/network/network_option.hpp>

namespace fairstream::files {

/// Largest file that is read: some five million weights.
inline constexpr std::size_t most_network_mebibytes = 64;

/// Reads a network. Throws `InvalidInput` (malformed), naming the file, the layer (counted from 1) and what is expected
/// there: for a file that is not such JSON, other keys, rows or layers that do not fit each other, more than 1000
/// layers, or a number above 1e15 in magnitude.
[[nodiscard]] NetworkOption read_network(const std::filesystem::path& path);
/// Returns the text of the file of a network that passes `check`.
[[nodiscard]] std::string network_text(const Network& network);

/// Returns the text of an option's value. If the option is given by a file (`OptionText::from_file`), "@FILE" stands
/// for the file's contents; any other text stands for itself. A relative path starts at the current directory. Throws
/// `InvalidInput` as `read_network` does, naming the option.
[[nodiscard]] std::string option_value(const ModelOptions& options, std::string_view name, std::string_view value);

}  // namespace fairstream::files
