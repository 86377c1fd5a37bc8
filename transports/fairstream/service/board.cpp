#include <fairstream/service/board.hpp>

namespace fairstream::service {

wire::Health Board::health(double uptime_seconds) const {
    const std::scoped_lock lock(mutex_);
    return {true,
            standing_.sequence,
            standing_.retained,
            standing_.producers,
            standing_.refused,
            uptime_seconds,
            std::string(cpu_level()),
            FAIRSTREAM_VERSION,
            activity(),
            standing_.running_hash,
            standing_.condition};
}

std::string Board::activity() const {
    const std::string event = std::to_string(event_);
    switch (work_) {
        case Work::none:
            return {};
        case Work::batch:
            return "taking in the batch of event " + event;
        case Work::knob:
            return "changing an option of " + model_ + " in event " + event;
        case Work::refinement:
            return "refining " + model_ + " in event " + event;
        case Work::checkpoint:
            return "saving the state after event " + event;
    }
    return {};
}

}  // namespace fairstream::service
