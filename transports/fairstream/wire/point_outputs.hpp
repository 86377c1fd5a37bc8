#pragma once
/// The kinds of output of points, each described once: messages, topics, views of subscribers and commands iterate over
/// `PointOutputs`. A new kind of numbers needs an entry in it, a member of the same name in the unions `OutputUpdate`
/// and `Outputs` of schemas/fairstream.capnp, and a row of the table in service/topics.cpp, which defines what is
/// published.

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include <fairstream/base/types.hpp>
#include <fairstream/data/point_batch.hpp>
#include <fairstream/models/point_rows.hpp>

namespace fairstream::wire {

/// The probability of a cluster for a point.
struct Membership {
    ClusterId cluster = 0;
    float probability = 0;
    bool operator==(const Membership&) const = default;
};
/// The memberships of one point, by rising cluster. Clusters that are not listed have a probability below half a per
/// cent.
using Memberships = std::vector<Membership>;

/// The description of outputs `T`. `name`: of their topics and columns. `meaning`: for people. `Column`: the outputs of
/// several points in an update. `Answer`: the element of an answer about new points, which has one or k of them for
/// each point. `is_valid`: whether an engine can have given an output. For rows of numbers: `rows`, their kind in the
/// engine; `of`, which makes an output from a row; `spread`, which writes an output to a row.
template <class T> struct PointOutput;

template <> struct PointOutput<ClusterId> {
    static constexpr const char* name = "labels";
    static constexpr const char* meaning = "cluster of each point whose cluster changed";
    using Column = std::span<const ClusterId>;
    using Answer = ClusterId;
    [[nodiscard]] static bool is_valid(ClusterId label) noexcept { return label >= 0; }
};

template <> struct PointOutput<Score> {
    static constexpr const char* name = "scores";
    static constexpr const char* meaning = "score or prediction of each point whose score or prediction changed";
    using Column = std::span<const Score>;
    using Answer = Score;
    [[nodiscard]] static bool is_valid(Score score) noexcept { return std::isfinite(score); }
};

/// Updates have the clusters that changed; snapshots have all clusters of each point.
template <> struct PointOutput<Memberships> {
    static constexpr const char* name = "memberships";
    static constexpr const char* meaning = "probability of every cluster, for each point where a probability changed";
    using Column = std::vector<Memberships>;
    using Answer = float;
    static constexpr RowKind rows = RowKind::memberships;
    /// Returns the memberships in a row with a number for each cluster. An update leaves out probabilities that round
    /// to 0 in whole per cent. This bounds its size: a point has at most 200 other probabilities.
    [[nodiscard]] static Memberships of(std::span<const float> row, bool of_update) {
        Memberships memberships;
        for (std::size_t l = 0; l < row.size(); ++l)
            if (row[l] >= (of_update ? 0.005F : 0)) memberships.push_back({static_cast<ClusterId>(l), row[l]});
        return memberships;
    }
    /// Writes the listed memberships to `row`, which has a number for each cluster, initially 0.
    static void spread(const Memberships& memberships, std::span<double> row) noexcept {
        for (const auto& [cluster, probability] : memberships)
            if (static_cast<std::size_t>(cluster) < row.size()) row[static_cast<std::size_t>(cluster)] = probability;
    }
    [[nodiscard]] static bool is_valid(const Memberships& memberships) noexcept {
        return std::ranges::all_of(memberships, [](const Membership& membership) {
            return membership.cluster >= 0 && membership.probability >= 0 && std::isfinite(membership.probability);
        });
    }
};

/// No outputs: for a model without outputs, and for subscribers that only follow reports.
template <> struct PointOutput<NoOutput> { static constexpr const char* name = ""; };

/// Changed outputs, in borrowed columns as in `Changes`.
template <class T> struct OutputUpdate {
    std::span<const PointId> departed;
    std::span<const PointId> ids;
    typename PointOutput<T>::Column outputs;
    std::span<const std::uint8_t> provisional;
    TextSpan id_texts = {};  ///< texts of `ids`, for streams with text ids
};

/// The outputs in an answer: one or k for each point.
template <class T> struct Answered { std::span<const typename PointOutput<T>::Answer> values; };

template <class... T> struct OutputKinds {
    /// Possible contents of a publication, with `Reports`.
    template <class... Reports> using Bodies = std::variant<OutputUpdate<T>..., Reports...>;
    using Answers = std::variant<Answered<T>...>;
    /// The names, in the order of these alternatives.
    static constexpr std::array<const char*, sizeof...(T)> names{PointOutput<T>::name...};
    static constexpr std::array<const char*, sizeof...(T)> meanings{PointOutput<T>::meaning...};

    /// Calls `of.operator()<T>()` for the kind with this name; returns whether there is one.
    template <class Of> static bool visit(std::string_view name, const Of& of) {
        return ((name == PointOutput<T>::name ? (of.template operator()<T>(), true) : false) || ...);
    }
    /// Calls `of.operator()<T>()` for the kind with rows of numbers of this kind, if there is one.
    template <class Of> static void visit(RowKind kind, const Of& of) {
        const auto visit_rows = [&]<class Rows>() {
            if constexpr (requires { PointOutput<Rows>::rows; })
                if (PointOutput<Rows>::rows == kind) of.template operator()<Rows>();
        };
        (visit_rows.template operator()<T>(), ...);
    }
};
using PointOutputs = OutputKinds<ClusterId, Score, Memberships>;
/// Calls a macro for each of `PointOutputs`, as a list of types cannot give explicit instantiations.
#define FAIRSTREAM_EACH_POINT_OUTPUT(instantiate) \
    instantiate(fairstream::ClusterId) instantiate(fairstream::Score) instantiate(fairstream::wire::Memberships)

}  // namespace fairstream::wire
