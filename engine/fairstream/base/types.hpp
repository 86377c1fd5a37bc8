#pragma once
/// The words every part of the engine shares: identifiers, limits, and the error for bad input.

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
using Score = double;            ///< finite, the higher the more positive; or `no_score`
using Sequence = std::uint64_t;  ///< number of an event; the first event is 1
using ConstRows = std::span<const float>;  ///< n x d, row-major

inline constexpr PointId no_point = std::numeric_limits<PointId>::max();
inline constexpr ClusterId no_cluster = -1;
/// Score of a point without one; not NaN, so that states compare equal.
inline constexpr Score no_score = -std::numeric_limits<Score>::infinity();

/// Largest magnitude of a feature. Squared distances of such values still fit a float32 (d * 4e30 < 3.4e38).
inline constexpr float feature_limit = 1e15F;

/// Which rule an input breaks. The numbers go on the wire and into recordings: never renumber, only append.
enum class Reason : std::uint16_t {
    wrong_shape = 1,    ///< column lengths do not agree with the stream's format
    bad_feature = 2,    ///< a feature or target is not finite, or above `feature_limit`
    unknown_group = 3,  ///< a group that its attribute does not have
    repeated_id = 4,    ///< an id twice in one batch
    reserved_id = 5,    ///< the id `no_point`
    unknown_model = 6,
    unknown_option = 7,
    bad_option = 8,  ///< a value outside its range, or an option that cannot change while running
    not_ready = 9,   ///< asked of a model that is still warming, or of an engine with too many requests waiting
    bad_state = 10,  ///< saved bytes that are damaged, or belong to another configuration
    malformed = 11,  ///< a message that cannot be read
    oversized = 12,
    sequence_gap = 13,
    stale_epoch = 14,
    unknown_request = 15,
    not_allowed = 16,     ///< the client's key has no right to it
    lost_events = 17,     ///< the client was told of events that the recording lacks
    bad_weight = 18,      ///< a weight is out of range, or given where points have none
    id_collision = 19,    ///< an id is that of a retained point whose id stands for another text
    ahead_of_clock = 20,  ///< a time, or a producer's epoch, is too far ahead of the engine's clock
};

/// A name for `reason` as logs and reports print it, e.g. "unknown_group".
[[nodiscard]] std::string_view to_string(Reason reason) noexcept;

/// The caller's input breaks a rule. Thrown before anything is modified; `what()` names the value and the rule, and
/// lacks its middle where input that it quotes is long (`shortened`).
class InvalidInput : public std::invalid_argument {
public:
    InvalidInput(Reason reason, const std::string& what);
    [[nodiscard]] Reason reason() const noexcept { return reason_; }

private:
    Reason reason_;
};

/// Work was ended from outside before it was done (`Engine::interrupt`).
class Interrupted : public std::runtime_error {
public:
    Interrupted() : std::runtime_error("interrupted") {}
};

}  // namespace fairstream
