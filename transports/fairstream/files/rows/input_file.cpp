#include <fairstream/files/rows/input_file.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <optional>
#include <system_error>
#include <utility>

#include <fairstream/base/types.hpp>

namespace fairstream::files {
namespace {

/// Owns a descriptor, except that of standard input.
class Descriptor {
public:
    explicit Descriptor(int number) : number_(number) {}
    ~Descriptor() {
        if (number_ > STDIN_FILENO) ::close(number_);
    }
    Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Descriptor& operator=(Descriptor&&) = delete;
    [[nodiscard]] int number() const noexcept { return number_; }

private:
    int number_;
};

/// Returns whether a path means standard input. "/dev/stdin" cannot be opened if standard input is a socket.
bool is_standard_input(const std::filesystem::path& path) {
    return path == "-" || path == "/dev/stdin";
}

int open_input(const std::filesystem::path& path) {
    if (is_standard_input(path)) return STDIN_FILENO;
    const auto refuse_path = [&](const std::string& why) {
        throw InvalidInput(Reason::malformed, path.string() + ": " + why);
    };
    if (std::filesystem::is_directory(path)) refuse_path("is a directory");
    const int number = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (number < 0) refuse_path(std::generic_category().message(errno));
    return number;
}

/// Opens a file that vanishes with its descriptor. On a file system without O_TMPFILE its name is removed at once.
Descriptor open_unnamed() {
    const char* const given = std::getenv("TMPDIR");
    const std::string folder = given != nullptr && *given != '\0' ? given : "/tmp";
    int number = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (number < 0) {
        std::string name = folder + "/fairstream-XXXXXX";
        number = ::mkostemp(name.data(), O_CLOEXEC);
        if (number >= 0) ::unlink(name.c_str());
    }
    if (number < 0) throw std::system_error(errno, std::generic_category(), "a temporary file in " + folder);
    return Descriptor(number);
}

template <class Call> std::size_t completed(const std::string& what, Call&& call) {
    ssize_t count = 0;
    do {
        count = call();
    } while (count < 0 && errno == EINTR);
    if (count < 0) throw std::system_error(errno, std::generic_category(), what);
    return static_cast<std::size_t>(count);
}

}  // namespace

/// The input, and the copied part of it.
struct InputFile::Pass::Access {
    std::filesystem::path path;
    std::string name;
    Descriptor file;
    Passes passes;
    bool is_regular = false;
    std::uintmax_t start = 0;  // offset of the input in a regular file
    std::uintmax_t size = 0;   // 0: unknown
    bool begun = false;
    std::optional<Descriptor> copy;
    std::uintmax_t copied = 0;  // bytes
    bool ended = false;         // everything is copied
    ShapeOptions shape_options;
    std::optional<Shape> shape;  // nothing: not detected yet

    Access(const std::filesystem::path& of, Passes number, ShapeOptions given)
        : path(of), name(input_name(of)), file(open_input(of)), passes(number), shape_options(std::move(given)) {
        struct stat status {};
        if (::fstat(file.number(), &status) != 0) throw std::system_error(errno, std::generic_category(), name);
        is_regular = S_ISREG(status.st_mode);
        if (!is_regular) return;
        const off_t at = ::lseek(file.number(), 0, SEEK_CUR);
        start = at > 0 ? static_cast<std::uintmax_t>(at) : 0;
        const auto end = static_cast<std::uintmax_t>(status.st_size);
        size = end > start ? end - start : 0;
    }

    std::size_t read(std::uintmax_t offset, std::span<char> out) {
        if (is_regular) return read_from(file, start + offset, out);
        if (passes == Passes::one) return read_next(out);
        if (offset < copied)
            return read_from(
                *copy, offset,
                out.first(static_cast<std::size_t>(std::min<std::uintmax_t>(out.size(), copied - offset))));
        return ended ? 0 : copy_next(out);
    }

    std::size_t read_from(const Descriptor& from, std::uintmax_t offset, std::span<char> out) const {
        return completed(name,
                         [&] { return ::pread(from.number(), out.data(), out.size(), static_cast<off_t>(offset)); });
    }
    std::size_t read_next(std::span<char> out) const {
        return completed(name, [&] { return ::read(file.number(), out.data(), out.size()); });
    }
    std::size_t copy_next(std::span<char> out) {
        if (!copy) copy.emplace(open_unnamed());
        const std::size_t count = read_next(out);
        for (std::size_t written = 0; written < count;) {
            const std::span<char> rest = out.subspan(written, count - written);
            written += completed("the temporary copy of " + name,
                                 [&] { return ::write(copy->number(), rest.data(), rest.size()); });
        }
        copied += count;
        ended = count == 0;
        if (ended) size = copied;
        return count;
    }
};

InputFile::InputFile(const std::filesystem::path& path, Passes passes, ShapeOptions shape)
    : access_(std::make_shared<Pass::Access>(path, passes, std::move(shape))) {}

const std::filesystem::path& InputFile::path() const noexcept {
    return access_->path;
}

const std::string& InputFile::name() const noexcept {
    return access_->name;
}

const Shape& InputFile::shape(const std::function<Shape(const ShapeOptions&)>& detect) const {
    if (!access_->shape) access_->shape = detect(access_->shape_options);
    return *access_->shape;
}

bool InputFile::is_rereadable() const noexcept {
    return access_->is_regular || access_->passes == Passes::many;
}

InputFile::Pass InputFile::begin() const {
    if (std::exchange(access_->begun, true) && !is_rereadable())
        throw InvalidInput(Reason::malformed, name() + ": can be read only once");
    return Pass(access_);
}

std::size_t InputFile::Pass::read(std::span<char> out) {
    const std::size_t count = access_->read(bytes_read_, out);
    bytes_read_ += count;
    return count;
}

bool InputFile::Pass::wait(std::chrono::milliseconds most) const {
    const bool is_copied = access_->passes == Passes::many && (bytes_read_ < access_->copied || access_->ended);
    if (access_->is_regular || is_copied) return true;
    pollfd item{.fd = access_->file.number(), .events = POLLIN, .revents = 0};
    // An input that cannot be polled counts as ready, so that the read reports its error. A wait interrupted by a
    // signal counts as not ready.
    const int ready = ::poll(&item, 1, static_cast<int>(most.count()));
    return ready > 0 || (ready < 0 && errno != EINTR);
}

double InputFile::Pass::progress() const noexcept {
    const std::uintmax_t size = access_->size;
    return size == 0 ? 0.0 : std::min(1.0, static_cast<double>(bytes_read_) / static_cast<double>(size));
}

std::string input_name(const std::filesystem::path& path) {
    return path == "-" ? "standard input" : path.string();
}

bool is_read_once(const std::filesystem::path& path) {
    if (is_standard_input(path)) return true;
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

}  // namespace fairstream::files
