#pragma once
/// Results that are written piece by piece.

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>

#include <fairstream/files/written/partial_files.hpp>

namespace fairstream::files {

/// A file that is complete under its name, or not there: its pieces go to a file beside it, which takes its place at
/// the end, and is removed where that does not come, but for a process that is killed. A device or a pipe is written as
/// it is, and so is standard output (`is_stdout`); but a terminal gets text whose control characters, which points may
/// bring, are written as \xNN.
class OutputStream {
public:
    /// Throws `std::system_error` naming the file, as all functions do.
    explicit OutputStream(std::filesystem::path path);
    ~OutputStream();
    OutputStream(const OutputStream&) = delete;
    OutputStream& operator=(const OutputStream&) = delete;

    void write(std::string_view bytes);
    /// Ends the file. To be called once, after the last piece.
    void close();

private:
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    void remove_part() const;
    [[noreturn]] void fail() const;

    std::filesystem::path path_, part_;
    std::optional<PartialFile> partial_;  // nothing: written as it is
    std::unique_ptr<std::FILE, Close> file_;
    bool is_terminal_ = false;
    bool is_complete_ = false;
};

}  // namespace fairstream::files
