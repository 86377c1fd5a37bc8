#pragma once
/// A file in memory, with a path by which any reader can open it.

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

namespace fairstream::fuzz {

class MemoryFile {
public:
    explicit MemoryFile(std::span<const std::byte> bytes) : file_(::memfd_create("input", MFD_CLOEXEC)) {
        while (file_ >= 0 && !bytes.empty()) {
            const ssize_t written = ::write(file_, bytes.data(), bytes.size());
            if (written <= 0) break;
            bytes = bytes.subspan(static_cast<std::size_t>(written));
        }
        if (file_ < 0 || !bytes.empty()) throw std::system_error(errno, std::generic_category(), "a file in memory");
    }
    explicit MemoryFile(std::string_view text) : MemoryFile(std::as_bytes(std::span(text))) {}
    ~MemoryFile() { ::close(file_); }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;

    [[nodiscard]] std::filesystem::path path() const { return "/proc/self/fd/" + std::to_string(file_); }

private:
    int file_;
};

}  // namespace fairstream::fuzz
