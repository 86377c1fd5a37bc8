#pragma once
/// A model of the engine, for questions about points outside the window.

#include <span>
#include <string_view>

#include <fairstream/base/types.hpp>
#include <fairstream/data/detail/preparer.hpp>
#include <fairstream/data/point_batch.hpp>
#include <fairstream/data/window.hpp>
#include <fairstream/models/running_model.hpp>
#include <fairstream/numeric/matrix.hpp>

namespace fairstream::core {

/// Throws `InvalidInput` unless `rows` are features of `points` points of this format.
void check_rows(const StreamFormat& format, ConstRows rows, std::size_t points);

/// Borrows its parts. Functions give the same results as those of the same name in `Engine`. For a model without
/// outputs both `clusterer` and `scorer` are null.
struct QueriedModel {
    std::string_view name;
    const ModelOptions& options;
    const StreamFormat& format;    ///< format of the points before preparation
    const StreamFormat& prepared;  ///< format of the points that models see
    const Preparer& preparer;
    const Clusterer* clusterer = nullptr;
    const Scorer* scorer = nullptr;

    void assign(ConstRows rows, std::span<ClusterId> out) const;
    void assign_fair(ConstRows rows, std::span<const GroupId> groups, std::span<ClusterId> out) const;
    void assign_retained(const Window& window, std::span<ClusterId> out) const;
    void predict_rows(RowKind kind, ConstRows features, std::span<float> out) const;
    void score(ConstRows rows, std::span<const GroupId> groups, std::span<Score> out) const;

    /// Return the model if it is of this kind; otherwise throw `InvalidInput` (unknown_request).
    [[nodiscard]] const Clusterer& clustering() const;
    [[nodiscard]] const Clusterer& clustering_with(RowKind kind) const;
    [[nodiscard]] const Scorer& scoring() const;

private:
    [[noreturn]] void refuse(bool for_numbers) const;
};

}  // namespace fairstream::core
