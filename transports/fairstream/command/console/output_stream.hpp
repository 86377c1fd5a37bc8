#pragma once
/// A file of results that is written piece by piece.

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string_view>

namespace fairstream::command {

/// Complete under its name once it is closed, or not there. "-" is standard output. Failures throw `std::system_error`
/// naming the file.
class OutputStream {
public:
    explicit OutputStream(std::filesystem::path path);
    /// Removes what was written, unless it was closed.
    ~OutputStream();
    OutputStream(const OutputStream&) = delete;
    OutputStream& operator=(const OutputStream&) = delete;

    void write(std::string_view text);
    void close();

private:
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    [[noreturn]] void fail() const;

    std::filesystem::path path_, part_;
    std::unique_ptr<std::FILE, Close> file_;  // null for standard output, and once closed
};

}  // namespace fairstream::command
