/// A thread that does one task at a time, and reports when the next may be given.

#include <fairstream/server/detail/idle_thread.hpp>

#include <gtest/gtest.h>

#include <latch>
#include <semaphore>

namespace fairstream::zmq {
namespace {

TEST(IdleThread, ReadyAfterRest) {
    std::counting_semaphore<> notified(0);
    IdleThread thread([&] { notified.release(); });
    EXPECT_TRUE(thread.ready());
    EXPECT_EQ(thread.running(), IdleThread::Time(0));
    for (int task = 0; task < 3; ++task) {
        std::latch begun(1), go_on(1);
        thread.run([&] {
            begun.count_down();
            go_on.wait();
        });
        begun.wait();
        EXPECT_FALSE(thread.ready());
        go_on.count_down();
        notified.acquire();  // the task is done
        EXPECT_EQ(thread.running(), IdleThread::Time(0));
        EXPECT_GT(thread.take_time_used(), IdleThread::Time(0));
        EXPECT_EQ(thread.take_time_used(), IdleThread::Time(0)) << "told once";
        notified.acquire();  // it has rested
        EXPECT_TRUE(thread.ready());
    }
}

TEST(IdleThread, FinishesTaskBeforeEnd) {
    bool done = false;
    IdleThread thread([] {});
    thread.run([&] { done = true; });
    thread.end();
    EXPECT_TRUE(done);
}

}  // namespace
}  // namespace fairstream::zmq
