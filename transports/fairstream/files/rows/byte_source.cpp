#include <fairstream/files/rows/byte_source.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fairstream/base/types.hpp>
#include <fairstream/files/rows/detail/decompressor.hpp>
#include <fairstream/files/rows/detail/file_format.hpp>

namespace fairstream::files {
namespace {

constexpr std::size_t chunk_size = std::size_t{64} << 10;

/// Throws if the name promises another compression than the bytes have.
void require_matching_extension(const InputFile& file, detail::FileFormat format) {
    const std::string extension = file.path().extension().string();
    const auto refuse_name = [&](const std::string& promised) {
        throw InvalidInput(Reason::malformed, file.name() + ": has the extension " + extension + ", but is not " +
                                                  promised + "-compressed");
    };
    if (extension == ".gz" && format != detail::FileFormat::gzip) refuse_name("gzip");
    if (extension == ".zst" && format != detail::FileFormat::zstd) refuse_name("zstd");
}

std::unique_ptr<detail::Decompressor> decompressor_for(detail::FileFormat format, const std::string& name) {
    if (format == detail::FileFormat::gzip) return detail::gzip_decompressor(name);
    if (format == detail::FileFormat::zstd) return detail::zstd_decompressor(name);
    return nullptr;
}

}  // namespace

struct ByteSource::Impl {
    std::string name;
    InputFile::Pass pass;
    std::array<char, chunk_size> chunk;
    std::size_t first = 0, last = 0;                     // bytes of `chunk` not yet used
    std::unique_ptr<detail::Decompressor> decompressor;  // null: the bytes are not compressed

    explicit Impl(const InputFile& file) : name(file.name()), pass(file.begin()) {
        std::optional<detail::FileFormat> format;
        for (bool more = true; !format;) {
            more = more && fill();
            format = detail::format_of({chunk.data(), last}, !more);
        }
        detail::require_readable(file.path(), {chunk.data(), last});
        if (last > 0) require_matching_extension(file, *format);
        decompressor = decompressor_for(*format, name);
    }

    /// Appends bytes to `chunk`; returns false at the end of the file.
    bool fill() {
        if (first == last) first = last = 0;
        const std::size_t count = pass.read(std::span(chunk).subspan(last));
        last += count;
        return count > 0;
    }

    std::size_t copy(std::span<char> out) {
        if (first == last && !fill()) return 0;
        const std::size_t count = std::min(out.size(), last - first);
        std::memcpy(out.data(), chunk.data() + first, count);
        first += count;
        return count;
    }

    std::size_t decompress(std::span<char> out) {
        while (true) {
            if (first == last && !decompressor->has_pending_output() && !fill()) {
                if (decompressor->is_inside())
                    throw InvalidInput(Reason::malformed, name + ": the compressed data is cut short");
                return 0;
            }
            std::span<char> in = std::span(chunk).subspan(first, last - first);
            const std::size_t count = decompressor->decompress(in, out);
            first = last - in.size();
            if (count > 0) return count;
        }
    }
};

ByteSource::ByteSource(const InputFile& file) : impl_(std::make_unique<Impl>(file)) {}
ByteSource::ByteSource(const std::filesystem::path& path) : ByteSource(InputFile(path)) {}
ByteSource::~ByteSource() = default;
ByteSource::ByteSource(ByteSource&&) noexcept = default;
ByteSource& ByteSource::operator=(ByteSource&&) noexcept = default;

std::size_t ByteSource::read(std::span<char> out) {
    if (out.empty()) return 0;
    return impl_->decompressor ? impl_->decompress(out) : impl_->copy(out);
}

bool ByteSource::wait(std::chrono::milliseconds most) const {
    return impl_->decompressor || impl_->first < impl_->last || impl_->pass.wait(most);
}

bool ByteSource::is_compressed() const noexcept {
    return impl_->decompressor != nullptr;
}

double ByteSource::progress() const noexcept {
    return impl_->pass.progress();
}

std::vector<TextLine> read_lines(const std::filesystem::path& path) {
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf", around = " \t\r";
    ByteSource source(path);
    std::string text, chunk(chunk_size, '\0');
    while (const std::size_t count = source.read(chunk)) text.append(chunk, 0, count);
    if (text.starts_with(byte_order_mark)) text.erase(0, byte_order_mark.size());
    std::vector<TextLine> lines;
    std::uint64_t number = 1;
    for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end + 1, ++number) {
        end = std::min(text.find('\n', begin), text.size());
        const std::string_view line = std::string_view(text).substr(begin, end - begin);
        const std::size_t first = line.find_first_not_of(around);
        if (first == std::string_view::npos) continue;
        lines.push_back({std::string(line.substr(first, line.find_last_not_of(around) + 1 - first)), number});
    }
    return lines;
}

void require_undamaged(const std::filesystem::path& path, const std::function<bool(double)>& on_progress) {
    if (is_read_once(path)) return;
    ByteSource source(path);
    if (!source.is_compressed()) return;
    std::vector<char> bytes(chunk_size);
    while (source.read(bytes) > 0 && on_progress(source.progress())) {
    }
}

}  // namespace fairstream::files
