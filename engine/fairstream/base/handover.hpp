#pragma once
/// Tells the thread sanitizer in which order libraries pass results between threads. Debian's TBB and ZeroMQ are not
/// built for that sanitizer. Without these notes it reports every task's result as a race; if told to ignore the
/// libraries, it checks no task at all. In builds without the sanitizer the functions are empty.

#include <cstddef>

#ifdef __SANITIZE_THREAD__
extern "C" {
void __tsan_acquire(void* place);  // as in sanitizer/tsan_interface.h, which is missing without the sanitizer
void __tsan_release(void* place);
}
#endif

namespace fairstream {

/// Notes that what the caller has done happens before anything that follows a `note_acquire` of the same place. Many
/// threads may release and acquire one place. This does not order the releasing threads among each other, nor the
/// acquiring threads.
inline void note_release([[maybe_unused]] const void* place) noexcept {
#ifdef __SANITIZE_THREAD__
    __tsan_release(const_cast<void*>(place));
#endif
}
inline void note_acquire([[maybe_unused]] const void* place) noexcept {
#ifdef __SANITIZE_THREAD__
    __tsan_acquire(const_cast<void*>(place));
#endif
}

/// The body of a parallel loop, constructed before the loop and destroyed after it. The code before the loop happens
/// before each call, and each call happens before the code after the loop. The calls have no order among each other.
template <class Body> class OrderedBody {
public:
    explicit OrderedBody(const Body& body) noexcept : body_(body) { note_release(this); }
    ~OrderedBody() { note_acquire(&end_); }
    OrderedBody(const OrderedBody&) = delete;
    OrderedBody& operator=(const OrderedBody&) = delete;

    void operator()(std::size_t i) const {
        note_acquire(this);  // before the first access to a member
        const AtEnd at_end{&end_};
        body_(i);
    }

private:
    struct AtEnd {  // runs also when the body throws
        ~AtEnd() { note_release(place); }
        const void* place;
    };

    const Body& body_;
    char end_ = 0;  // only its address is used
};

}  // namespace fairstream
