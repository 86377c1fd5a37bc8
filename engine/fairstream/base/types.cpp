#include <fairstream/base/types.hpp>

#include <fairstream/base/printable.hpp>

namespace fairstream {

InvalidInput::InvalidInput(Reason reason, const std::string& what)
    : std::invalid_argument(shortened(what)), reason_(reason) {}

std::string_view to_string(Reason reason) noexcept {
    switch (reason) {
        case Reason::wrong_shape:
            return "wrong_shape";
        case Reason::bad_feature:
            return "bad_feature";
        case Reason::unknown_group:
            return "unknown_group";
        case Reason::repeated_id:
            return "repeated_id";
        case Reason::reserved_id:
            return "reserved_id";
        case Reason::unknown_model:
            return "unknown_model";
        case Reason::unknown_option:
            return "unknown_option";
        case Reason::bad_option:
            return "bad_option";
        case Reason::not_ready:
            return "not_ready";
        case Reason::bad_state:
            return "bad_state";
        case Reason::malformed:
            return "malformed";
        case Reason::oversized:
            return "oversized";
        case Reason::sequence_gap:
            return "sequence_gap";
        case Reason::stale_epoch:
            return "stale_epoch";
        case Reason::unknown_request:
            return "unknown_request";
        case Reason::not_allowed:
            return "not_allowed";
        case Reason::lost_events:
            return "lost_events";
        case Reason::bad_weight:
            return "bad_weight";
        case Reason::id_collision:
            return "id_collision";
        case Reason::ahead_of_clock:
            return "ahead_of_clock";
    }
    return "unknown_reason";
}

}  // namespace fairstream
