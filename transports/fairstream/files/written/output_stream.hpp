#pragma once
/// Results written piece by piece.

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>

#include <fairstream/files/written/partial_files.hpp>

namespace fairstream::files {

/// A file that appears under its name only when it is complete. Its pieces go to a temporary file beside it, which
/// replaces it at the end. If the end is not reached, the temporary file is removed, unless the process is killed. A
/// device, a pipe and standard output (`is_stdout`) are written directly. On a terminal, control characters in the text
/// appear as \xNN.
class OutputStream {
public:
    /// Throws `std::system_error`, naming the file, as all functions do.
    explicit OutputStream(std::filesystem::path path);
    ~OutputStream();
    OutputStream(const OutputStream&) = delete;
    OutputStream& operator=(const OutputStream&) = delete;

    void write(std::string_view bytes);
    /// Completes the file. Call it once, after the last piece.
    void close();

private:
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    void remove_part() const;
    [[noreturn]] void fail() const;

    std::filesystem::path path_, part_;
    std::optional<PartialFile> partial_;  // nothing: written directly
    std::unique_ptr<std::FILE, Close> file_;
    bool is_terminal_ = false;
    bool is_complete_ = false;
};

}  // namespace fairstream::files
