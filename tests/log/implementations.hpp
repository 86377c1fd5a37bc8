#pragma once
/// The implementations of a log, opened, closed and read in the same way, and the contents of any of them to compare.

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <fairstream/log/log.hpp>
#include <fairstream/log/memory/recording.hpp>
#include <fairstream/log/sqlite/recording.hpp>

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
        return std::make_unique<sqlite::Recording>(sqlite::Recording::create(path_, config, settings_));
    }
    /// The writer before must be gone.
    [[nodiscard]] std::unique_ptr<Log> open() const {
        return std::make_unique<sqlite::Recording>(sqlite::Recording::open(path_, settings_));
    }
    [[nodiscard]] std::unique_ptr<Log> open_read_only() const {
        return std::make_unique<sqlite::Recording>(sqlite::Recording::open_read_only(path_));
    }
    /// Lets another process take the place of the writer at work.
    void replace_writer() const { std::filesystem::rename(path_, directory_ / "elsewhere"); }

private:
    fairstream::test::TemporaryDirectory directory_;
    std::filesystem::path path_ = directory_ / "stream.fairstream";
    sqlite::Settings settings_;
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

/// Returns bytes that follow from the seed alone.
[[nodiscard]] std::vector<std::byte> some_bytes(std::uint64_t seed, std::size_t size);

/// Returns all that can be read of a log after a flush, one entry for each thing, but for its id, its name and what
/// belongs to the implementation: positions, and the room taken.
[[nodiscard]] std::vector<std::string> contents_of(const Log& log);

}  // namespace fairstream::log::test
