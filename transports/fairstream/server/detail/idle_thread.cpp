#include <fairstream/server/detail/idle_thread.hpp>

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <ctime>
#include <utility>

namespace fairstream::zmq {

namespace {

// On Linux a nice value applies to one thread.
constexpr int nice_value = 10;

}  // namespace

IdleThread::IdleThread(std::function<void()> notify) : notify_(std::move(notify)), thread_([this] { work(); }) {}

IdleThread::~IdleThread() {
    end();
}

bool IdleThread::ready() const {
    const std::scoped_lock lock(mutex_);
    return ready_;
}

void IdleThread::run(std::function<void()> task) {
    const std::scoped_lock lock(mutex_);
    task_ = std::move(task);
    ready_ = false;
    changed_.notify_one();
}

IdleThread::Time IdleThread::running() const {
    const std::scoped_lock lock(mutex_);
    return running_ ? processor_time() - begun_ : Time(0);
}

IdleThread::Time IdleThread::take_time_used() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(used_, Time(0));
}

void IdleThread::end() noexcept {
    {
        const std::scoped_lock lock(mutex_);
        ending_ = true;
        changed_.notify_one();
    }
    if (thread_.joinable()) thread_.join();
}

// Returns the processor time of this object's thread, which is still running.
IdleThread::Time IdleThread::processor_time() const {
    clockid_t clock{};
    timespec time{};
    if (pthread_getcpuclockid(handle_, &clock) != 0 || clock_gettime(clock, &time) != 0) return Time(0);
    return std::chrono::seconds(time.tv_sec) + Time(time.tv_nsec);
}

void IdleThread::work() {
    (void)setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), nice_value);
    std::unique_lock lock(mutex_);
    handle_ = pthread_self();
    while (true) {
        changed_.wait(lock, [&] { return ending_ || task_; });
        if (!task_) return;
        std::function<void()> task = std::exchange(task_, {});
        running_ = true;
        begun_ = processor_time();
        lock.unlock();
        task();
        task = {};
        lock.lock();
        running_ = false;
        const Time rest = used_ = processor_time() - begun_;
        lock.unlock();
        notify_();
        lock.lock();
        if (changed_.wait_for(lock, rest, [&] { return ending_; })) return;
        ready_ = true;
        lock.unlock();
        notify_();
        lock.lock();
    }
}

}  // namespace fairstream::zmq
