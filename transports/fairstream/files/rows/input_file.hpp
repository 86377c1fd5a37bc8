#pragma once
/// A file, a pipe or standard input, which can be read several times on demand.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include <fairstream/files/rows/shape.hpp>

namespace fairstream::files {

/// How often an input is read. With `many`, the bytes of a pipe are kept on disk.
enum class Passes : std::uint8_t { one, many };

/// An open input. Each pass reads a regular file in place. Any other input (a pipe, a socket, a terminal) comes once:
/// its bytes cannot be read again. With `Passes::many`, bytes read for the first time are copied to a temporary file
/// without a name, in the folder TMPDIR or else /tmp, and later passes read the copy; passes may overlap. With
/// `Passes::one`, bytes go directly to the only reader. Copies of this object share the input; one thread uses all of
/// them.
class InputFile {
public:
    /// Opens `path`; "-" is standard input, read from its current position. Throws `InvalidInput` (malformed) when the
    /// file does not exist or cannot be opened.
    explicit InputFile(const std::filesystem::path& path, Passes passes = Passes::one, ShapeOptions shape = {});

    [[nodiscard]] const std::filesystem::path& path() const noexcept;
    [[nodiscard]] const std::string& name() const noexcept;  ///< for messages: the path, or "standard input"
    /// Returns the shape of the file's contents; calls `detect` once, in the first pass.
    [[nodiscard]] const Shape& shape(const std::function<Shape(const ShapeOptions&)>& detect) const;
    /// Returns whether more than one pass can be made.
    [[nodiscard]] bool is_rereadable() const noexcept;

    /// Reads the input from its start.
    class Pass {
    public:
        /// Puts up to `out.size()` bytes into `out` and returns their number; 0 only at the end. For a pipe, waits for
        /// some bytes, not for all. Throws `std::system_error` for a failed read or copy.
        [[nodiscard]] std::size_t read(std::span<char> out);
        /// Waits until a pipe has bytes or has ended, but no longer than `most`; returns false if neither happened.
        /// Returns true at once if no wait is needed.
        [[nodiscard]] bool wait(std::chrono::milliseconds most) const;
        /// Returns the share of the input read so far, in [0, 1]; 0 if the size is unknown.
        [[nodiscard]] double progress() const noexcept;

    private:
        friend class InputFile;
        struct Access;
        explicit Pass(std::shared_ptr<Access> access) : access_(std::move(access)) {}

        std::shared_ptr<Access> access_;
        std::uintmax_t bytes_read_ = 0;
    };
    /// Begins a pass. Throws `InvalidInput` (malformed) for a second pass where only one is possible.
    [[nodiscard]] Pass begin() const;

private:
    std::shared_ptr<Pass::Access> access_;
};

/// Returns the name of an input in messages: "standard input" for "-", otherwise the path.
[[nodiscard]] std::string input_name(const std::filesystem::path& path);

/// Returns whether a path names an input that can be read only once, such as "-", a FIFO or a process substitution;
/// opening it to look at it would lose bytes. False if the file does not exist.
[[nodiscard]] bool is_read_once(const std::filesystem::path& path);

}  // namespace fairstream::files
