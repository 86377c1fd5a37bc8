#include <fairstream/files/written/output_stream.hpp>

#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include <fairstream/files/written/output.hpp>
#include <fairstream/text/printable_lines.hpp>

namespace fairstream::files {

OutputStream::OutputStream(std::filesystem::path path) : path_(std::move(path)), part_(path_) {
    if (is_stdout(path_)) {
        file_.reset(::fdopen(::dup(STDOUT_FILENO), "wb"));
    } else {
        if (!std::filesystem::exists(path_) || std::filesystem::is_regular_file(path_)) part_ += ".part";
        if (part_ != path_) partial_.emplace(part_);
        file_.reset(std::fopen(part_.c_str(), "wb"));
    }
    if (!file_) fail();
    is_terminal_ = ::isatty(::fileno(file_.get())) == 1;
}

OutputStream::~OutputStream() {
    file_.reset();
    if (!is_complete_) remove_part();
}

void OutputStream::write(std::string_view bytes) {
    const std::string shown = is_terminal_ ? printable_lines(bytes) : std::string();
    if (is_terminal_) bytes = shown;
    if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size()) fail();
}

void OutputStream::close() {
    if (std::fclose(file_.release()) != 0) fail();
    if (part_ != path_) std::filesystem::rename(part_, path_);
    partial_.reset();
    is_complete_ = true;
}

void OutputStream::remove_part() const {
    std::error_code ignored;
    if (part_ != path_) std::filesystem::remove(part_, ignored);
}

void OutputStream::fail() const {
    throw std::system_error(errno, std::generic_category(), path_.string());
}

}  // namespace fairstream::files
