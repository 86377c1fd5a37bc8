#include <fairstream/log/open/open.hpp>

#include <fairstream/log/sqlite/recording.hpp>

namespace fairstream::log {

std::unique_ptr<Log> create(const std::filesystem::path& path, const std::string& config, const Settings& settings) {
    return std::make_unique<sqlite::Recording>(sqlite::Recording::create(path, config, {settings}));
}

std::unique_ptr<Log> open(const std::filesystem::path& path, const Settings& settings) {
    return std::make_unique<sqlite::Recording>(sqlite::Recording::open(path, {settings}));
}

std::unique_ptr<Log> open_read_only(const std::filesystem::path& path) {
    return std::make_unique<sqlite::Recording>(sqlite::Recording::open_read_only(path));
}

}  // namespace fairstream::log
