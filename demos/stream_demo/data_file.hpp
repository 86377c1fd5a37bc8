#pragma once
/// The file that the demo streams, read as `fairstream fit` reads it.

#include <filesystem>
#include <string>
#include <vector>

#include <fairstream/engine.hpp>
#include <fairstream/files/points/table.hpp>
#include <fairstream/files/reader_settings.hpp>

namespace demo {

/// The points of a file, and how the file is sent to an engine.
struct DataFile {
    std::string name;
    std::vector<std::string> features;   ///< d names
    fairstream::PrepareOptions prepare;  ///< numbers are standardised
    fairstream::files::ReaderSettings reader;
    fairstream::files::Table table;   ///< of the engine's format
    std::vector<std::string> sender;  ///< arguments of `fairstream send`, except the endpoint
    bool is_standard_input = false;   ///< whether the sender reads standard input, which is now a file
};

/// Reads `path`; "-" is standard input. `options` are options of `fairstream fit` on how a file is read: {"--group",
/// "sex", "--missing", "mean"}. An input that comes once is copied to a file without a name, which becomes standard
/// input. Throws `InvalidInput` as `fit` does, and a `CLI::ParseError` for unknown options.
[[nodiscard]] DataFile read_data(const std::filesystem::path& path, const std::vector<std::string>& options);

}  // namespace demo
