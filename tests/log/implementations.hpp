#pragma once
/// The implementations of a log, opened, closed and read in the same way, and their contents for comparison.

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <fairstream/log/log.hpp>
#include <fairstream/log/memory/recording.hpp>
#include <fairstream/log/open/open.hpp>

#include "support/temporary_directory.hpp"

namespace fairstream::log::test {

struct Limits {
    std::size_t refused_rows = 1000, refused_bytes = 64 << 10;
    Sequence keep_events = 0;
};

class InFile {
public:
    [[nodiscard]] std::unique_ptr<Log> create(const std::string& config, const Limits& limits) {
        settings_ = {.refused_rows = limits.refused_rows,
                     .refused_bytes = limits.refused_bytes,
                     .keep_events = limits.keep_events};
        return log::create(path_, config, settings_);
    }
    /// The earlier writer must be gone.
    [[nodiscard]] std::unique_ptr<Log> open() const { return log::open(path_, settings_); }
    [[nodiscard]] std::unique_ptr<Log> open_read_only() const { return log::open_read_only(path_); }
    /// Lets another process replace the working writer.
    void replace_writer() const { std::filesystem::rename(path_, directory_ / "elsewhere"); }

private:
    fairstream::test::TemporaryDirectory directory_;
    std::filesystem::path path_ = directory_ / "stream.fairstream";
    Settings settings_;
};

class InMemory {
public:
    [[nodiscard]] std::unique_ptr<Log> create(const std::string& config, const Limits& limits) {
        auto log = std::make_unique<memory::Recording>(
            memory::Recording::create(config, {.refused_rows = limits.refused_rows,
                                               .refused_bytes = limits.refused_bytes,
                                               .keep_events = limits.keep_events}));
        reader_ = std::make_unique<memory::Recording>(log->open_read_only());
        return log;
    }
    [[nodiscard]] std::unique_ptr<Log> open() const { return std::make_unique<memory::Recording>(reader_->open()); }
    [[nodiscard]] std::unique_ptr<Log> open_read_only() const {
        return std::make_unique<memory::Recording>(reader_->open_read_only());
    }
    void replace_writer() const { (void)reader_->open(); }

private:
    std::unique_ptr<memory::Recording> reader_;
};

/// Returns bytes determined by the seed.
[[nodiscard]] std::vector<std::byte> some_bytes(std::uint64_t seed, std::size_t size);

/// Returns everything readable in a log after a flush, one entry for each item, except its id, its name and what
/// depends on the implementation: positions and storage.
[[nodiscard]] std::vector<std::string> contents_of(const Log& log);

}  // namespace fairstream::log::test
