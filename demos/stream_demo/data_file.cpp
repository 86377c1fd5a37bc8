#include "data_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <optional>
#include <system_error>
#include <utility>

#include <fairstream/command/console/cli.hpp>
#include <fairstream/command/console/console_listener.hpp>
#include <fairstream/command/console/input_arguments.hpp>
#include <fairstream/input/saved_stream.hpp>

namespace demo {
namespace {

using namespace fairstream;

struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
};

/// Copies an input that comes once to a file, which becomes standard input.
void keep_as_standard_input(const std::filesystem::path& path) {
    const auto fail = [] {
        throw std::system_error(errno, std::generic_category(), "cannot copy the input to a temporary file");
    };
    files::InputFile::Pass input = files::InputFile(path).begin();
    const std::unique_ptr<std::FILE, CloseFile> copy(std::tmpfile());
    if (!copy) fail();
    std::array<char, 65536> bytes;
    while (const std::size_t count = input.read(bytes))
        if (std::fwrite(bytes.data(), 1, count, copy.get()) != count) fail();
    if (std::fflush(copy.get()) != 0 || ::lseek(::fileno(copy.get()), 0, SEEK_SET) != 0) fail();
    if (::dup2(::fileno(copy.get()), STDIN_FILENO) < 0) fail();
}

files::InputOptions read_options(const std::filesystem::path& path, const std::vector<std::string>& options) {
    files::InputOptions input;
    CLI::App app("How a file is read.", "./dev demo");
    command::add_input(app, input);
    command::add_stream_input(app, input);
    std::vector<std::string> arguments{"--input", path.string()};
    arguments.insert(arguments.end(), options.begin(), options.end());
    std::ranges::reverse(arguments);  // CLI11 takes a vector in reverse order
    app.parse(std::move(arguments));
    if (!input.config.empty())
        throw InvalidInput(Reason::bad_option, "--config: leave it out; the demo writes the configuration itself");
    input.classes = std::exchange(input.target, {});  // unused by the demo's models
    input.standardise = true;
    input.describes = true;
    return input;
}

}  // namespace

DataFile read_data(const std::filesystem::path& path, const std::vector<std::string>& options) {
    DataFile data;
    data.is_standard_input = files::is_read_once(path);
    if (data.is_standard_input) keep_as_standard_input(path);
    const files::InputOptions input = read_options(data.is_standard_input ? "-" : path, options);
    if (input.groups.empty())
        throw InvalidInput(Reason::bad_option, "--data needs --group COL, the column whose groups are balanced");
    command::ConsoleListener listener;
    std::optional<files::InputStream> stream = files::load_stream(input, false, listener);
    data.table = files::load_table(input, stream, listener);
    data.name = data.is_standard_input ? input.name() : path.filename().string();
    data.features = stream->features;
    data.prepare = stream->prepare;
    data.reader = stream->reader;
    data.sender = files::send_arguments(input, *stream);
    return data;
}

}  // namespace demo
