#include <fairstream/csv/byte_source.hpp>

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <new>
#include <string>
#include <system_error>

#include <fairstream/base/types.hpp>

namespace fairstream::csv {
namespace {

constexpr std::size_t chunk_size = std::size_t{64} << 10;

/// An open file. Unlike stdio it returns the bytes that a pipe has now, so that rows sent one by one arrive one by one.
class File {
public:
    explicit File(int descriptor) : descriptor_(descriptor) {}
    ~File() {
        if (descriptor_ != STDIN_FILENO) ::close(descriptor_);
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

private:
    int descriptor_;
};

[[noreturn]] void refuse(const std::string& name, const std::string& what) {
    throw InvalidInput(Reason::malformed, name + ": " + what);
}

int open(const std::filesystem::path& path) {
    if (path == "-") return STDIN_FILENO;
    if (std::filesystem::is_directory(path)) refuse(path.string(), "is a directory");
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) refuse(path.string(), std::generic_category().message(errno));
    return descriptor;
}

}  // namespace

struct ByteSource::Impl {
    File file;
    std::string name;
    std::uintmax_t size = 0;   // of the file; 0: unknown
    std::uintmax_t taken = 0;  // bytes read from the file
    std::array<char, chunk_size> chunk;
    std::size_t first = 0, last = 0;  // bytes of `chunk` not yet used
    bool compressed = false;
    bool in_member = false;  // inside a gzip member, its checksum not yet seen
    z_stream stream{};

    explicit Impl(const std::filesystem::path& path)
        : file(open(path)), name(path == "-" ? "standard input" : path.string()) {
        std::error_code unknown;
        size = std::filesystem::file_size(path, unknown);
        if (unknown) size = 0;
        while (last < 2 && fill()) {
        }
        compressed = last >= 2 && chunk[0] == '\x1f' && chunk[1] == '\x8b';
        if (!compressed && last > 0 && path.extension() == ".gz")
            refuse(name, "is named .gz but is not gzip-compressed");
        if (compressed && inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) throw std::bad_alloc();
        in_member = compressed;
    }
    ~Impl() {
        if (compressed) inflateEnd(&stream);
    }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    /// Appends bytes to `chunk`; returns false at the end of the file.
    bool fill() {
        if (first == last) first = last = 0;
        ssize_t count = 0;
        do {
            count = ::read(file.descriptor(), chunk.data() + last, chunk.size() - last);
        } while (count < 0 && errno == EINTR);
        if (count < 0) throw std::system_error(errno, std::generic_category(), name);
        last += static_cast<std::size_t>(count);
        taken += static_cast<std::size_t>(count);
        return count > 0;
    }

    std::size_t copy(std::span<char> out) {
        if (first == last && !fill()) return 0;
        const std::size_t count = std::min(out.size(), last - first);
        std::memcpy(out.data(), chunk.data() + first, count);
        first += count;
        return count;
    }

    std::size_t inflate_some(std::span<char> out) {
        stream.next_out = reinterpret_cast<Bytef*>(out.data());
        stream.avail_out = static_cast<uInt>(std::min<std::size_t>(out.size(), 1U << 30));
        const uInt room = stream.avail_out;
        while (stream.avail_out == room) {
            if (first == last && !fill()) {
                if (in_member) refuse(name, "the compressed data is cut short");
                break;
            }
            inflate_chunk();
        }
        return room - stream.avail_out;
    }

    void inflate_chunk() {
        if (!in_member) {
            inflateReset(&stream);
            in_member = true;
        }
        stream.next_in = reinterpret_cast<Bytef*>(chunk.data() + first);
        stream.avail_in = static_cast<uInt>(last - first);
        const int result = inflate(&stream, Z_NO_FLUSH);
        first = last - stream.avail_in;
        if (result == Z_STREAM_END) {
            in_member = false;
        } else if (result != Z_OK && result != Z_BUF_ERROR) {
            refuse(name, std::string("the compressed data is damaged (") +
                             (stream.msg ? stream.msg : "not inflatable") + ")");
        }
    }
};

ByteSource::ByteSource(const std::filesystem::path& path) : impl_(std::make_unique<Impl>(path)) {}
ByteSource::~ByteSource() = default;
ByteSource::ByteSource(ByteSource&&) noexcept = default;
ByteSource& ByteSource::operator=(ByteSource&&) noexcept = default;

std::size_t ByteSource::read(std::span<char> out) {
    if (out.empty()) return 0;
    return impl_->compressed ? impl_->inflate_some(out) : impl_->copy(out);
}

double ByteSource::progress() const noexcept {
    return impl_->size == 0 ? 0.0 : std::min(1.0, static_cast<double>(impl_->taken) / static_cast<double>(impl_->size));
}

}  // namespace fairstream::csv
