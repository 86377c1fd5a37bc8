#pragma once

#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include <string>
#include <string_view>
#include <vector>

#include <fairstream/files/rows/reader.hpp>
#include <support/temporary_directory.hpp>

namespace fairstream::files {

/// The bytes as one gzip member.
inline std::string gzip(std::string_view text) {
    z_stream stream{};
    EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
    std::string out(deflateBound(&stream, text.size()) + 64, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
}

/// The bytes as one zstd frame with a checksum.
inline std::string zstd(std::string_view text) {
    ZSTD_CCtx* const context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    std::string out(ZSTD_compressBound(text.size()), '\0');
    const std::size_t size = ZSTD_compress2(context, out.data(), out.size(), text.data(), text.size());
    ZSTD_freeCCtx(context);
    EXPECT_EQ(ZSTD_isError(size), 0U);
    out.resize(size);
    return out;
}

using Rows = std::vector<std::vector<std::string>>;

/// Header and rows as the reader sees them.
inline Rows rows_of(Reader reader) {
    Rows rows{reader.header()};
    while (reader.next()) {
        auto& row = rows.emplace_back();
        for (std::size_t i = 0; i < reader.header().size(); ++i) row.emplace_back(reader.cell(i));
    }
    return rows;
}
inline Rows all_rows(const std::filesystem::path& path) {
    return rows_of(Reader(path));
}

/// Returns the text of the `InvalidInput` that `action` throws; fails the test if it throws none.
template <class Action> std::string refusal(Action&& action) {
    try {
        action();
    } catch (const InvalidInput& error) {
        return std::string(to_string(error.reason())) + ": " + error.what();
    }
    ADD_FAILURE() << "nothing was refused";
    return {};
}

}  // namespace fairstream::files
