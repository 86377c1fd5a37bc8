#pragma once
/// A file, a pipe or standard input, which can be read more than once where that is asked for.

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

/// How often an input is read. What a pipe brings is kept for `many` passes, on disk, and for no others.
enum class Passes : std::uint8_t { one, many };

/// An open input. A regular file is read where it lies by every pass. Anything else (a pipe, a socket, a terminal)
/// comes once: with `Passes::many` the first pass that gets to a byte copies it to a temporary file without a name, in
/// the folder TMPDIR or else /tmp, and later ones read the copy; passes may overlap. With `Passes::one` bytes go to the
/// one reader as they come. Copies share the input; one thread uses all of them.
class InputFile {
public:
    /// Opens `path`; "-" is standard input, read from where it stands. Throws `InvalidInput` (malformed) when there is
    /// no such file or it cannot be opened.
    explicit InputFile(const std::filesystem::path& path, Passes passes = Passes::one, ShapeOptions shape = {});

    [[nodiscard]] const std::filesystem::path& path() const noexcept;
    [[nodiscard]] const std::string& name() const noexcept;  ///< for messages: the path, or "standard input"
    /// Returns the shape of the file's contents; `judge` is called for it once, in the first pass.
    [[nodiscard]] const Shape& shape(const std::function<Shape(const ShapeOptions&)>& judge) const;
    /// Returns whether more than one pass can be made.
    [[nodiscard]] bool is_rereadable() const noexcept;

    /// Reads the input from its start.
    class Pass {
    public:
        /// Puts up to `out.size()` bytes into `out` and returns how many; 0 only at the end. Of a pipe it waits for
        /// some bytes, not for all. Throws `std::system_error` for a failed read or copy.
        [[nodiscard]] std::size_t read(std::span<char> out);
        /// Waits until a pipe has brought bytes or has ended, but no longer than `most`; returns false where it has
        /// not. Returns true at once for what need not be waited for.
        [[nodiscard]] bool wait(std::chrono::milliseconds most) const;
        /// Returns the share of the input read so far, in [0, 1]; 0 where the size is unknown.
        [[nodiscard]] double progress() const noexcept;

    private:
        friend class InputFile;
        struct Access;
        explicit Pass(std::shared_ptr<Access> access) : access_(std::move(access)) {}

        std::shared_ptr<Access> access_;
        std::uintmax_t taken_ = 0;  // bytes
    };
    /// Begins a pass. Throws `InvalidInput` (malformed) for a second one where only one can be made.
    [[nodiscard]] Pass begin() const;

private:
    std::shared_ptr<Pass::Access> access_;
};

/// Returns the name of an input in messages: "standard input" for "-", otherwise the path.
[[nodiscard]] std::string input_name(const std::filesystem::path& path);

/// Returns whether a path is that of an input that comes once, such as "-", a FIFO or a process substitution: then
/// opening it to look at it would lose its bytes. False where there is no such file.
[[nodiscard]] bool comes_once(const std::filesystem::path& path);

}  // namespace fairstream::files
