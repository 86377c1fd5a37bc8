#pragma once
/// Tells the thread sanitizer in which order libraries hand on what they are given. Debian's TBB and ZeroMQ are not
/// built for that sanitizer, which would otherwise take every result of a task for a race, or, told to overlook the
/// libraries, would judge no task at all. Without the sanitizer all of this is empty.

#include <cstddef>

#ifdef __SANITIZE_THREAD__
extern "C" {
void __tsan_acquire(void* place);  // of sanitizer/tsan_interface.h, which only the sanitizer's users have
void __tsan_release(void* place);
}
#endif

namespace fairstream {

/// Tells that what the caller has done comes before what follows a `note_taken` of the same place. Many may give and
/// take there; givers are not ordered among each other, and neither are takers.
inline void note_given([[maybe_unused]] const void* place) noexcept {
#ifdef __SANITIZE_THREAD__
    __tsan_release(const_cast<void*>(place));
#endif
}
inline void note_taken([[maybe_unused]] const void* place) noexcept {
#ifdef __SANITIZE_THREAD__
    __tsan_acquire(const_cast<void*>(place));
#endif
}

/// The body of a parallel loop, made before the loop and gone after it: its calls come after what made it and before
/// what follows it, in no order among each other.
template <class Body> class OrderedBody {
public:
    explicit OrderedBody(const Body& body) noexcept : body_(body) { note_given(this); }
    ~OrderedBody() { note_taken(&end_); }
    OrderedBody(const OrderedBody&) = delete;
    OrderedBody& operator=(const OrderedBody&) = delete;

    void operator()(std::size_t i) const {
        note_taken(this);  // before the first look at a member
        const AtEnd at_end{&end_};
        body_(i);
    }

private:
    struct AtEnd {  // also when the body throws
        ~AtEnd() { note_given(place); }
        const void* place;
    };

    const Body& body_;
    char end_ = 0;  // only its address counts
};

}  // namespace fairstream
