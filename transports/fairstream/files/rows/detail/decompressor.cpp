#include <fairstream/files/rows/detail/decompressor.hpp>

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <new>

#include <fairstream/base/types.hpp>

namespace fairstream::files::detail {
namespace {

class Gzip final : public Decompressor {
public:
    explicit Gzip(const std::string& name) : name_(name) {
        if (inflateInit2(&stream_, 16 + MAX_WBITS) != Z_OK) throw std::bad_alloc();
    }
    ~Gzip() override { inflateEnd(&stream_); }
    Gzip(const Gzip&) = delete;
    Gzip& operator=(const Gzip&) = delete;

    std::size_t decompress(std::span<char>& in, std::span<char> out) override {
        constexpr std::size_t most = std::size_t{1} << 30;  // zlib's lengths have 32 bits
        if (!inside_) inflateReset(&stream_);
        inside_ = true;
        stream_.next_in = reinterpret_cast<Bytef*>(in.data());
        stream_.avail_in = static_cast<uInt>(std::min(in.size(), most));
        stream_.next_out = reinterpret_cast<Bytef*>(out.data());
        stream_.avail_out = static_cast<uInt>(std::min(out.size(), most));
        const uInt given = stream_.avail_in, room = stream_.avail_out;
        const int result = inflate(&stream_, Z_NO_FLUSH);
        in = in.subspan(given - stream_.avail_in);
        if (result == Z_STREAM_END) {
            inside_ = false;
        } else if (result != Z_OK && result != Z_BUF_ERROR) {
            refuse_damaged(name_, stream_.msg ? stream_.msg : "not inflatable");
        }
        return room - stream_.avail_out;
    }
    bool is_inside() const noexcept override { return inside_; }
    /// zlib holds back no output: it leaves the checksum at a member's end in the input until all output is taken.
    bool has_pending_output() const noexcept override { return false; }

private:
    std::string name_;
    z_stream stream_{};
    bool inside_ = true;
};

class Zstd final : public Decompressor {
public:
    explicit Zstd(const std::string& name) : name_(name), stream_(ZSTD_createDStream()) {
        if (stream_ == nullptr) throw std::bad_alloc();
    }
    ~Zstd() override { ZSTD_freeDStream(stream_); }
    Zstd(const Zstd&) = delete;
    Zstd& operator=(const Zstd&) = delete;

    std::size_t decompress(std::span<char>& in, std::span<char> out) override {
        ZSTD_inBuffer from{in.data(), in.size(), 0};
        ZSTD_outBuffer to{out.data(), out.size(), 0};
        const std::size_t left = ZSTD_decompressStream(stream_, &to, &from);
        if (ZSTD_isError(left) != 0) refuse_damaged(name_, ZSTD_getErrorName(left));
        in = in.subspan(from.pos);
        inside_ = left != 0;
        has_pending_output_ = inside_ && to.pos == to.size;
        return to.pos;
    }
    bool is_inside() const noexcept override { return inside_; }
    bool has_pending_output() const noexcept override { return has_pending_output_; }

private:
    std::string name_;
    ZSTD_DStream* stream_;
    bool inside_ = true;
    bool has_pending_output_ = false;
};

}  // namespace

std::unique_ptr<Decompressor> gzip_decompressor(const std::string& name) {
    return std::make_unique<Gzip>(name);
}

std::unique_ptr<Decompressor> zstd_decompressor(const std::string& name) {
    return std::make_unique<Zstd>(name);
}

void refuse_damaged(const std::string& name, const std::string& why) {
    throw InvalidInput(Reason::malformed, name + ": the compressed data is damaged (" + why + ")");
}

}  // namespace fairstream::files::detail
