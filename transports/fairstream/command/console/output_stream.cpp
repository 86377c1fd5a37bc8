#include <fairstream/command/console/output_stream.hpp>

#include <cerrno>
#include <system_error>
#include <utility>

#include <fairstream/command/console/output.hpp>

namespace fairstream::command {

OutputStream::OutputStream(std::filesystem::path path) : path_(std::move(path)) {
    if (is_stdout(path_)) return;
    // A device or a pipe cannot be replaced.
    const bool replace = !std::filesystem::exists(path_) || std::filesystem::is_regular_file(path_);
    part_ = replace ? path_.string() + ".part" : path_.string();
    file_.reset(std::fopen(part_.c_str(), "wb"));
    if (!file_) fail();
}

OutputStream::~OutputStream() {
    if (!file_) return;
    file_.reset();
    std::error_code ignored;
    if (part_ != path_) std::filesystem::remove(part_, ignored);
}

void OutputStream::write(std::string_view text) {
    if (is_stdout(path_)) return print(text);
    if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size()) fail();
}

void OutputStream::close() {
    if (is_stdout(path_)) return;
    if (std::fclose(file_.release()) != 0) fail();
    if (part_ != path_) std::filesystem::rename(part_, path_);
}

void OutputStream::fail() const {
    throw std::system_error(errno, std::generic_category(), path_.string());
}

}  // namespace fairstream::command
