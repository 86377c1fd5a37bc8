#pragma once
/// Helpers of the tests of progress lines and of signals during work.

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <stdexcept>
#include <string>

namespace fairstream::command {

/// A terminal for the progress line of another process.
class Terminal {
public:
    explicit Terminal(unsigned short columns = 160) : master_(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)) {
        constexpr unsigned short rows = 50;
        const winsize size{.ws_row = rows, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
        if (master_ < 0 || ::grantpt(master_) != 0 || ::unlockpt(master_) != 0 ||
            ::ioctl(master_, TIOCSWINSZ, &size) != 0)
            throw std::runtime_error("no pseudo terminal");
    }
    ~Terminal() { ::close(master_); }
    Terminal(const Terminal&) = delete;
    Terminal& operator=(const Terminal&) = delete;
    [[nodiscard]] std::string name() const { return ::ptsname(master_); }
    /// Returns whether `text` appears before the other end is closed.
    [[nodiscard]] bool shows(const std::string& text) const {
        std::string seen;
        std::array<char, 256> buffer;
        while (seen.find(text) == seen.npos) {
            const ssize_t size = ::read(master_, buffer.data(), buffer.size());
            if (size <= 0) return false;
            seen.append(buffer.data(), static_cast<std::size_t>(size));
        }
        return true;
    }

private:
    int master_;
};

}  // namespace fairstream::command
