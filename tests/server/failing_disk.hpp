#pragma once
/// Simulates a full disk.

#include <sys/resource.h>

#include <csignal>

namespace fairstream::test {

/// While this object lives, no file of this process can grow beyond a size: such writes fail.
class FailingDisk {
public:
    explicit FailingDisk(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
        ::getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit limit{bytes, before_.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~FailingDisk() {
        ::setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, handler_);
    }
    FailingDisk(const FailingDisk&) = delete;
    FailingDisk& operator=(const FailingDisk&) = delete;

private:
    rlimit before_{};
    void (*handler_)(int);
};

}  // namespace fairstream::test
