#pragma once
/// Lists of a step's changes, for every model.

#include <optional>
#include <span>
#include <type_traits>

#include <fairstream/data/journal.hpp>
#include <fairstream/data/window.hpp>
#include <fairstream/models/model.hpp>

namespace fairstream {

/// Defines which points, retained before and after the step, count in the churn.
template <class T> struct ChurnRule {
    [[nodiscard]] bool counts(const T& before, const T& after) const noexcept { return before != after; }
};
/// With a threshold, counts changed decisions, because nearly every step changes nearly every score; `no_score` is
/// never above the threshold. Without a threshold, counts changed numbers.
template <> struct ChurnRule<Score> {
    ChurnRule() noexcept = default;
    explicit ChurnRule(double decision_threshold) noexcept : threshold(decision_threshold) {}
    [[nodiscard]] bool counts(Score before, Score after) const noexcept {
        return threshold ? (before > *threshold) != (after > *threshold) : before != after;
    }
    std::optional<double> threshold;
};

/// Sets the report's changes and churn, of labels or of scores. `outputs` and `provisional` are by slot; if
/// `provisional` is empty, no output is provisional.
template <class T>
void list_changes(const Window& window, const WindowChange& change, const std::type_identity_t<Journal<T>>& journal,
                  std::type_identity_t<std::span<const T>> outputs, std::span<const std::uint8_t> provisional,
                  StepReport<T>& report, const ChurnRule<T>& rule = {});

/// Sets changes and churn for a step that may change the output of every slot. `before` has the former outputs by slot;
/// slots beyond its end had no output.
template <class T> void list_all_changes(const Window& window, const WindowChange& change,
                                         std::type_identity_t<std::span<const T>> before,
                                         std::type_identity_t<std::span<const T>> outputs, StepReport<T>& report,
                                         const ChurnRule<T>& rule = {});

/// Lists all points as departed, also those that stay in the window, because too few points remain for the model to go
/// on. `labels` is by slot before the change.
void list_departures(const Window& window, const WindowChange& change, std::span<const ClusterId> labels,
                     Changes<ClusterId>& changes);

}  // namespace fairstream
