#include <fairstream/files/detail/file_text.hpp>

#include <array>
#include <cerrno>
#include <fstream>
#include <system_error>

#include <fairstream/base/types.hpp>

namespace fairstream::files {

std::string file_text(const std::filesystem::path& path, std::size_t most_mebibytes) {
    if (std::filesystem::is_directory(path)) throw InvalidInput(Reason::malformed, path.string() + ": is a directory");
    std::ifstream file(path, std::ios::binary);
    if (!file) throw InvalidInput(Reason::malformed, path.string() + ": " + std::generic_category().message(errno));
    std::string text;
    for (std::array<char, 65536> part; file.read(part.data(), part.size()), file.gcount() > 0;) {
        text.append(part.data(), static_cast<std::size_t>(file.gcount()));
        if (text.size() > most_mebibytes << 20)
            throw InvalidInput(Reason::malformed, path.string() + ": is too long: must be at most " +
                                                      std::to_string(most_mebibytes) + " MiB");
    }
    if (file.bad()) throw InvalidInput(Reason::malformed, path.string() + ": cannot be read");
    return text;
}

}  // namespace fairstream::files
