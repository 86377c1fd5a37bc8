#pragma once
/// The format of a stream's points, and a borrowed view of points that arrive together.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <fairstream/base/types.hpp>

namespace fairstream {

/// A protected attribute, such as sex, with the names of its groups. `GroupId` g is `groups[g]`.
struct Attribute {
    std::string name;
    std::vector<std::string> groups;
    bool operator==(const Attribute&) const = default;
};

/// The shape of every point of a stream, fixed for the life of an engine.
struct StreamFormat {
    std::uint32_t dimensions = 0;       ///< d, in [1, 65536]
    std::vector<Attribute> attributes;  ///< a of them, each with 1 to 65535 groups
    bool has_targets = false;           ///< whether each point carries one target value
    bool operator==(const StreamFormat&) const = default;
};

/// Throws `InvalidInput` when a range above is broken, or two attributes, or two groups of one, share a name.
void check(const StreamFormat& format);

/// Points that arrived together. Borrowed: valid only for the call that receives it.
struct PointBatch {
    std::span<const PointId> ids = {};     ///< n, no two alike
    ConstRows features = {};               ///< n x d, row-major, finite
    std::span<const GroupId> groups = {};  ///< n x a, row-major, one column per protected attribute
    std::span<const float> targets = {};   ///< n for streams with targets, otherwise empty
    std::int64_t event_time =
        0;  ///< microseconds since the Unix epoch, as the producer says; carried, never decided on

    [[nodiscard]] std::size_t size() const noexcept { return ids.size(); }
    /// The points [first, first + count), all columns.
    [[nodiscard]] PointBatch slice(std::size_t first, std::size_t count) const;
};

/// Points that arrived together, in columns of its own; readers and tests fill it.
struct PointColumns {
    std::vector<PointId> ids;
    std::vector<float> features;
    std::vector<GroupId> groups;
    std::vector<float> targets;
    std::int64_t event_time = 0;

    [[nodiscard]] PointBatch view() const noexcept { return {ids, features, groups, targets, event_time}; }
    void clear() noexcept;
    /// Adds points of the same format at the end.
    void append(const PointBatch& points);
    bool operator==(const PointColumns&) const = default;
};

}  // namespace fairstream
