#pragma once
/// Input points and results as arrays of xtensor. Needs libxtensor-dev and the CMake target `fairstream::xtensor`;
/// nothing else in the library includes this header.
///
/// Shapes are given as (points, features) and so on. A borrowed array costs no copy and is valid as long as the object
/// it is borrowed from. Temporaries, and expressions whose operands may be gone, are never borrowed from.

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <xtensor/xadapt.hpp>
#include <xtensor/xdynamic_view.hpp>
#include <xtensor/xstrided_view.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

#include <fairstream/base/number_text.hpp>
#include <fairstream/engine.hpp>
#include <fairstream/options.hpp>

namespace fairstream::xtensor {

namespace detail {

template <class E> struct IsView : std::false_type {};
template <class C, class... S> struct IsView<xt::xview<C, S...>> : std::true_type {};
template <class C, class S, xt::layout_type L, class F> struct IsView<xt::xstrided_view<C, S, L, F>> : std::true_type {
};
template <class C, class S, xt::layout_type L, class F> struct IsView<xt::xdynamic_view<C, S, L, F>> : std::true_type {
};

}  // namespace detail

/// An array of numbers, or an expression that evaluates to one.
template <class E>
concept Array = xt::is_xexpression<std::remove_cvref_t<E>>::value &&
    std::is_arithmetic_v<typename std::remove_cvref_t<E>::value_type>;
/// An array that outlives the call: a named tensor, adaptor or view. `E` is deduced by a forwarding reference.
template <class E>
concept Lasting = Array<E> && std::is_lvalue_reference_v<E> &&
    (xt::has_data_interface<std::remove_cvref_t<E>>::value || detail::IsView<std::remove_cvref_t<E>>::value);

namespace detail {

template <class Shape> std::string text(const Shape& shape) {
    std::string text = "(";
    for (std::size_t i = 0; i < shape.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
    return text + ")";
}

template <class E> void require_shape(const char* what, const E& array, const std::vector<std::size_t>& wanted) {
    if (array.dimension() == wanted.size() && std::equal(wanted.begin(), wanted.end(), array.shape().begin())) return;
    throw InvalidInput(Reason::wrong_shape,
                       std::string(what) + " of shape " + text(array.shape()) + ": must be " + text(wanted));
}

/// Returns whether the entries are contiguous in memory, row by row.
template <class E> bool is_row_major(const E& array) {
    std::ptrdiff_t apart = 1;
    for (std::size_t i = array.dimension(); i-- > 0;) {
        if (array.shape()[i] != 1 && static_cast<std::ptrdiff_t>(array.strides()[i]) != apart) return false;
        apart *= static_cast<std::ptrdiff_t>(array.shape()[i]);
    }
    return true;
}

template <class T, class V> T converted(const char* what, Reason reason, V value, std::size_t row) {
    if constexpr (std::integral<T> && !std::same_as<V, bool>) {
        // The comparison is exact: 2^digits is a double even where the largest T is not.
        bool fits = false;
        if constexpr (std::integral<V>)
            fits = std::in_range<T>(value);
        else
            fits = value == std::floor(static_cast<double>(value)) && value >= 0 &&
                   static_cast<double>(value) < std::ldexp(1.0, std::numeric_limits<T>::digits);
        if (!fits)
            throw InvalidInput(reason, std::string(what) + " " + number_text(value) + " in row " + std::to_string(row) +
                                           ": must be a whole number in [0, " +
                                           std::to_string(std::numeric_limits<T>::max()) + "]");
    }
    return static_cast<T>(value);
}

/// The entries of an array as `T`, row by row: borrowed if they lie in memory like that, otherwise copied.
template <class T> class Column {
public:
    Column() = default;
    template <class E> Column(const char* what, Reason reason, const E& array) {
        if constexpr (xt::has_data_interface<E>::value && std::same_as<typename E::value_type, T>) {
            if (is_row_major(array)) {
                values_ = {array.data() + array.data_offset(), array.size()};
                return;
            }
        }
        copy_.reserve(array.size());
        const std::size_t per_row =
            array.dimension() == 0 ? 1 : array.size() / std::max<std::size_t>(1, array.shape()[0]);
        for (auto at = array.template begin<xt::layout_type::row_major>();
             at != array.template end<xt::layout_type::row_major>(); ++at)
            copy_.push_back(converted<T>(what, reason, *at, copy_.size() / per_row));
        copied_ = true;
    }
    [[nodiscard]] std::span<const T> values() const noexcept { return copied_ ? std::span<const T>(copy_) : values_; }
    [[nodiscard]] bool copied() const noexcept { return copied_; }

private:
    std::span<const T> values_;
    std::vector<T> copy_;
    bool copied_ = false;
};

/// Returns the groups of points as a column, from (points, attributes) or (points).
template <class Groups> Column<GroupId> groups_of(const Groups& groups, std::size_t points) {
    const bool none = groups.size() == 0, rows = groups.dimension() == 1 || groups.dimension() == 2;
    if (!none && !(rows && groups.shape()[0] == points))
        throw InvalidInput(Reason::wrong_shape, "groups of shape " + text(groups.shape()) + ": must be (" +
                                                    std::to_string(points) + ", attributes)");
    return {"group", Reason::unknown_group, groups};
}

/// Returns the outputs, (points), that `ask(rows, out)` writes for points, (points, features).
template <class T, class Features, class Ask>
xt::xtensor<T, 1> outputs(const Engine& engine, const Features& features, const Ask& ask) {
    const std::size_t n = features.dimension() == 0 ? 0 : features.shape()[0];
    require_shape("features", features, {n, engine.options().format.dimensions});
    const Column<float> rows("feature", Reason::bad_feature, features);
    auto out = xt::xtensor<T, 1>::from_shape({n});
    ask(rows.values(), std::span<T>(out.data(), n));
    return out;
}

/// Returns the outputs, (points), that a member function of the engine writes for points, (points, features), with
/// groups, (points, attributes).
template <class T, class Features, class Groups> xt::xtensor<T, 1> outputs_by_groups(
    const Engine& engine, std::string_view model, const Features& features, const Groups& groups,
    void (Engine::*ask)(std::string_view, ConstRows, std::span<const GroupId>, std::span<T>) const) {
    const auto of = groups_of(groups, features.dimension() == 0 ? 0 : features.shape()[0]);
    return outputs<T>(engine, features,
                      [&](ConstRows rows, std::span<T> out) { (engine.*ask)(model, rows, of.values(), out); });
}

template <class T> auto borrowed(std::span<const T> values) {
    return xt::adapt(values.data(), values.size(), xt::no_ownership(), std::array<std::size_t, 1>{values.size()});
}
template <class T> auto borrowed(std::span<const T> values, std::size_t rows, std::size_t columns) {
    return xt::adapt(values.data(), values.size(), xt::no_ownership(), std::array<std::size_t, 2>{rows, columns});
}

}  // namespace detail

/// A batch of points from arrays. An array is borrowed if its entries have the stream's type and lie in memory row by
/// row; otherwise it is copied.
class Batch {
public:
    /// Takes the points of a stream with this `format`:
    ///   ids       (points), whole numbers; borrowed if of type `PointId`
    ///   features  (points, features); borrowed if float, otherwise rounded to float
    ///   groups    (points, attributes), or (points) for a single attribute; borrowed if of type `GroupId`
    ///   targets   (points), for a stream with targets; borrowed if float
    /// Throws `InvalidInput`: wrong_shape, with the given and the expected shape; reserved_id and unknown_group for
    /// numbers out of range.
    template <Lasting Ids, Lasting Features, Lasting Groups>
    Batch(const StreamFormat& format, Ids&& ids, Features&& features, Groups&& groups) {
        if (format.has_targets)
            throw InvalidInput(Reason::wrong_shape,
                               "targets: missing; must be of shape (" + std::to_string(ids.size()) + ")");
        take(format, ids, features, groups);
    }
    template <Lasting Ids, Lasting Features, Lasting Groups, Lasting Targets>
    Batch(const StreamFormat& format, Ids&& ids, Features&& features, Groups&& groups, Targets&& targets) {
        take(format, ids, features, groups);
        detail::require_shape("targets", targets, {format.has_targets ? ids.size() : 0});
        targets_ = {"target", Reason::bad_feature, targets};
    }

    /// Returns the points for `Engine::ingest`; valid as long as this batch and the arrays.
    [[nodiscard]] PointBatch view() const noexcept {
        return {ids_.values(), features_.values(), groups_.values(), targets_.values(), event_time, weights_.values()};
    }
    /// Returns whether the features were copied.
    [[nodiscard]] bool copied() const noexcept { return features_.copied(); }

    /// Sets the weights of the points, (points); borrowed if double. Throws `InvalidInput` (wrong_shape) for another
    /// shape.
    template <Lasting Weights> void set_weights(Weights&& weights) {
        detail::require_shape("weights", weights, {ids_.values().size()});
        weights_ = {"weight", Reason::bad_weight, weights};
    }

    std::int64_t event_time = 0;  ///< as in `PointBatch`

private:
    template <class Ids, class Features, class Groups>
    void take(const StreamFormat& format, const Ids& ids, const Features& features, const Groups& groups) {
        if (ids.dimension() != 1)
            throw InvalidInput(Reason::wrong_shape, "ids of shape " + detail::text(ids.shape()) + ": must be (points)");
        detail::require_shape("features", features, {ids.size(), format.dimensions});
        if (groups.dimension() == 1 && format.attributes.size() == 1)
            detail::require_shape("groups", groups, {ids.size()});
        else
            detail::require_shape("groups", groups, {ids.size(), format.attributes.size()});
        ids_ = {"id", Reason::reserved_id, ids};
        features_ = {"feature", Reason::bad_feature, features};
        groups_ = {"group", Reason::unknown_group, groups};
    }

    detail::Column<PointId> ids_;
    detail::Column<float> features_;
    detail::Column<GroupId> groups_;
    detail::Column<float> targets_;
    detail::Column<double> weights_;
};

// Borrowed arrays, valid until the engine takes in its next event. They are by slot: row i belongs to the same point in
// all of them.

/// Returns the ids of the retained points, (points).
[[nodiscard]] inline auto ids(const Window& window) {
    return detail::borrowed(window.points().ids);
}
void ids(const Window&&) = delete;
/// Returns the features of the retained points, (points, features).
[[nodiscard]] inline auto features(const Window& window) {
    return detail::borrowed(window.points().features, window.size(), window.dimensions());
}
void features(const Window&&) = delete;
/// Returns the groups of the retained points, (points, attributes).
[[nodiscard]] inline auto groups(const Window& window) {
    return detail::borrowed(window.points().groups, window.size(), window.attributes());
}
void groups(const Window&&) = delete;
/// Returns the targets of the retained points, (points); (0) for a stream without targets.
[[nodiscard]] inline auto targets(const Window& window) {
    return detail::borrowed(window.points().targets);
}
void targets(const Window&&) = delete;
/// Returns the visible labels of the retained points, (points); `no_cluster` while warming. Throws as `Engine::labels`.
[[nodiscard]] inline auto labels(const Engine& engine, std::string_view model) {
    return detail::borrowed(engine.labels(model));
}
void labels(const Engine&&, std::string_view) = delete;
/// Returns the probability of each cluster for each retained point, (points, clusters); (0, clusters) while warming.
/// Throws as `Engine::memberships`.
[[nodiscard]] inline auto memberships(const Engine& engine, std::string_view model) {
    const std::span<const float> rows = engine.memberships(model);
    const std::size_t clusters = cluster_count(engine.current_options(model));
    return detail::borrowed(rows, rows.size() / clusters, clusters);
}
void memberships(const Engine&&, std::string_view) = delete;
/// Returns the visible scores of the retained points, (points). Throws as `Engine::scores`.
[[nodiscard]] inline auto scores(const Engine& engine, std::string_view model) {
    return detail::borrowed(engine.scores(model));
}
void scores(const Engine&&, std::string_view) = delete;

/// Returns the centres of a clustering, (clusters, features); (0, 0) while it is warming and for a model of scores.
/// Throws as `Engine::report`.
[[nodiscard]] inline xt::xtensor<float, 2> centres(const Engine& engine, std::string_view model) {
    const ModelReport report = engine.report(model);
    const std::size_t d = report.centres.empty() ? 0 : engine.window().dimensions();
    const std::size_t k = d == 0 ? 0 : report.centres.size() / d;
    return detail::borrowed(std::span<const float>(report.centres), k, d);
}
/// Returns the number of points of each cluster in each group of an attribute, (clusters, groups). Throws
/// `InvalidInput` (bad_option) for an unknown attribute.
[[nodiscard]] inline xt::xtensor<std::int64_t, 2> counts(const FairnessTally& tally, int attribute) {
    if (attribute < 0 || attribute >= tally.attributes())
        throw InvalidInput(Reason::bad_option, "attribute " + std::to_string(attribute) + ": there are " +
                                                   std::to_string(tally.attributes()) + ", counted from 0");
    const auto k = static_cast<std::size_t>(tally.clusters()), m = static_cast<std::size_t>(tally.groups(attribute));
    auto counts = xt::xtensor<std::int64_t, 2>::from_shape({k, m});
    for (std::size_t l = 0; l < k; ++l)
        for (std::size_t j = 0; j < m; ++j) counts(l, j) = tally.counts(static_cast<ClusterId>(l), attribute)[j];
    return counts;
}
/// Returns cost and balance of each clustering of a front of `OperatingPoint`s or `TradeOff`s, (clusterings, 2).
template <std::ranges::contiguous_range Points>
requires requires(const std::ranges::range_value_t<Points>& point) {
    point.cost, point.balance;
}
[[nodiscard]] xt::xtensor<double, 2> front(const Points& points) {
    auto front = xt::xtensor<double, 2>::from_shape({std::ranges::size(points), 2});
    std::size_t i = 0;
    for (const auto& point : points) front(i, 0) = point.cost, front(i++, 1) = point.balance;
    return front;
}

/// Labels points outside the window as `Engine::assign`: (points, features) to (points).
template <Array Features>
[[nodiscard]] xt::xtensor<ClusterId, 1> assign(const Engine& engine, std::string_view model, const Features& features) {
    return detail::outputs<ClusterId>(
        engine, features, [&](ConstRows rows, std::span<ClusterId> labels) { engine.assign(model, rows, labels); });
}
/// Labels points so that they meet the model's targets, as `Engine::assign_fair`: (points, features) and (points,
/// attributes that the model balances) to (points).
template <Array Features, Array Groups>
[[nodiscard]] xt::xtensor<ClusterId, 1> assign_fair(const Engine& engine, std::string_view model,
                                                    const Features& features, const Groups& groups) {
    return detail::outputs_by_groups<ClusterId>(engine, model, features, groups, &Engine::assign_fair);
}
/// Scores points outside the window as `Engine::score`: (points, features) and (points, attributes) to (points). Groups
/// may be empty for a model whose scores do not depend on them.
template <Array Features, Array Groups>
[[nodiscard]] xt::xtensor<Score, 1> score(const Engine& engine, std::string_view model, const Features& features,
                                          const Groups& groups) {
    return detail::outputs_by_groups<Score>(engine, model, features, groups, &Engine::score);
}

}  // namespace fairstream::xtensor
