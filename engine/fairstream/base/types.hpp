#pragma once
/// Types that every part of the engine shares: identifiers, limits, and the error for invalid input.

#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace fairstream {

using PointId = std::uint64_t;   ///< chosen by the producer, unique among the retained points; any value but `no_point`
using Slot = std::uint32_t;      ///< a row of the window, in [0, capacity)
using GroupId = std::uint16_t;   ///< in [0, group count of its attribute)
using ClusterId = std::int32_t;  ///< in [0, k), or `no_cluster`
using Score = double;            ///< finite, larger is more positive; or `no_score`
using Sequence = std::uint64_t;  ///< number of an event; the first event is 1
using ConstRows = std::span<const float>;  ///< n x d, row-major

inline constexpr PointId no_point = std::numeric_limits<PointId>::max();
inline constexpr ClusterId no_cluster = -1;
/// Score of a point without one; not NaN, so that states compare equal.
inline constexpr Score no_score = -std::numeric_limits<Score>::infinity();

/// Largest magnitude of a feature. Squared distances of such values still fit a float32 (d * 4e30 < 3.4e38).
inline constexpr float feature_limit = 1e15F;

/// The rule that an input breaks. The numbers are part of the protocol and of recordings: never renumber, only append.
enum class Reason : std::uint16_t {
    wrong_shape = 1,    ///< column lengths do not agree with the stream's format
    bad_feature = 2,    ///< a feature or target is not finite, or above `feature_limit`
    unknown_group = 3,  ///< the attribute has no such group
    repeated_id = 4,    ///< an id twice in one batch
    reserved_id = 5,    ///< the id `no_point`
    unknown_model = 6,
    unknown_option = 7,
    bad_option = 8,  ///< a value outside its range, or an option that cannot change while running
    not_ready = 9,   ///< the model is still warming, or too many requests wait at the engine
    bad_state = 10,  ///< saved bytes are damaged, or belong to another configuration
    malformed = 11,  ///< a message that cannot be read
    oversized = 12,
    sequence_gap = 13,
    stale_epoch = 14,
    unknown_request = 15,
    not_allowed = 16,     ///< the client's key does not permit it
    lost_events = 17,     ///< events that the client was told of are missing from the recording
    bad_weight = 18,      ///< a weight is out of range, or the stream has no weights
    id_collision = 19,    ///< a retained point has this id with another text id
    ahead_of_clock = 20,  ///< a time, or a producer's epoch, is too far ahead of the engine's clock
};

/// Returns the name of `reason` in logs and reports, e.g. "unknown_group".
[[nodiscard]] std::string_view to_string(Reason reason) noexcept;

/// The caller's input breaks a rule. Thrown before anything is modified. `what()` names the value and the rule; where
/// the quoted input is long, the middle of the text is left out (`shortened`).
class InvalidInput : public std::invalid_argument {
public:
    InvalidInput(Reason reason, const std::string& what);
    [[nodiscard]] Reason reason() const noexcept { return reason_; }

private:
    Reason reason_;
};

/// Work was ended from outside before it was complete (`Engine::interrupt`).
class Interrupted : public std::runtime_error {
public:
    Interrupted() : std::runtime_error("interrupted") {}
};

}  // namespace fairstream
