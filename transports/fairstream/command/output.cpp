#include <fairstream/command/output.hpp>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <string>
#include <system_error>

namespace fairstream::command {
namespace {

[[noreturn]] void fail(const std::string& what) {
    throw std::system_error(errno, std::generic_category(), what);
}

}  // namespace

void write_file(const std::filesystem::path& path, std::string_view text) {
    // A device or a pipe cannot be replaced.
    const bool replace = !std::filesystem::exists(path) || std::filesystem::is_regular_file(path);
    const std::filesystem::path target = replace ? path.string() + ".part" : path.string();
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(target.c_str(), "wb"), std::fclose);
    if (!file) fail(path.string());
    if (std::fwrite(text.data(), 1, text.size(), file.get()) != text.size()) fail(path.string());
    if (std::fclose(file.release()) != 0) fail(path.string());
    if (replace) std::filesystem::rename(target, path);
}

void print(std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
        fail("standard output");
}

}  // namespace fairstream::command
