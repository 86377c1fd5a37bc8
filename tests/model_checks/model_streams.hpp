#pragma once
/// The streams and options of the check suite for each model, by its options. The primary template is undefined: a
/// model in `FirstClassModels` without a stream here does not compile.

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fairstream/models.hpp>
#include <fairstream/models/esvd_fair/detail/model.hpp>
#include <fairstream/models/esvd_fair/detail/options.hpp>
#include <fairstream/models/fair_spectral/detail/model.hpp>
#include <fairstream/models/fair_spectral/detail/options.hpp>
#include <fairstream/models/group_metrics/detail/model.hpp>
#include <fairstream/models/group_metrics/detail/options.hpp>
#include <fairstream/models/lord/detail/model.hpp>
#include <fairstream/models/lord/detail/options.hpp>
#include <fairstream/models/partial_fair_scorer/detail/model.hpp>
#include <fairstream/models/partial_fair_scorer/detail/options.hpp>
#include <fairstream/models/safairkm/detail/model.hpp>
#include <fairstream/models/safairkm/detail/options.hpp>
#include <fairstream/models/safairkm/live_front/detail/model.hpp>
#include <fairstream/models/safairkm/live_front/detail/options.hpp>
#include <fairstream/numeric/detail/kernels.hpp>

#include "converged.hpp"
#include "sixth_model/threshold/threshold.hpp"
#include "sixth_model/trend/trend.hpp"
#include "support/streams.hpp"

namespace fairstream::test {

/// Another value of an option, whose effect must show under the settings of `base` and `ModelStream::options`.
struct OtherValue {
    std::string name, value;
    std::vector<std::pair<std::string, std::string>> base = {};
};

template <class Options> struct StreamOf;
template <class M> using ModelStream = StreamOf<typename M::Options>;

template <> struct StreamOf<safairkm::Options> {
    using Model = safairkm::Model;

    static safairkm::Options options() {
        safairkm::Options o;
        o.clusters = 4;
        o.kmeans_updates = 16;
        o.swaps = 2;
        o.candidates = 8;
        o.targets.parity_at_least = 0;
        o.targets.rare_below = 0;
        o.effort = 0;
        o.starts = 1;
        return o;
    }
    /// Returns, for each option, another value whose effect must show.
    static std::vector<OtherValue> other_values() {
        // One of the three groups of the second attribute has fewer than 24 points for each cluster; the others have
        // more.
        const std::vector<std::pair<std::string, std::string>> rare{{"attribute", "1"}, {"balance_at_least", "0.9"}};
        return {{"clusters", "3"},
                {"attribute", "1"},
                {"kmeans_updates", "3"},
                {"swaps", "0"},
                {"swap_with", "global"},
                {"balance_at_least", "0.5"},
                {"swap", "nearest"},
                {"candidates", "1"},
                {"candidate_growth", "1.5"},
                {"centre_update", "paper"},
                {"starts", "30"},
                {"seed", "7"},
                {"parity_at_least", "0.9"},
                {"share_delta", "0.1"},
                {"share_at_least", "0.3"},
                {"share_at_most", "0.6"},
                {"size_at_least", "60"},
                {"size_at_most", "120"},
                {"effort", "8", {{"swaps", "0"}, {"balance_at_least", "0.6"}}},
                {"change_price", "0.5", {{"swaps", "0"}, {"balance_at_least", "0.6"}}},
                {"rare_below", "24", rare},
                {"named_groups", "2", {rare[0], rare[1], {"rare_below", "24"}}}};
    }
    static std::size_t points_to_start(const safairkm::Options& o) { return static_cast<std::size_t>(o.clusters); }
    /// Returns options under which the model converges on the stream of the checks.
    static safairkm::Options converging() {
        safairkm::Options o = options();
        o.swaps = 0;
        o.targets.balance_at_least = 0.4;
        return o;
    }
    /// Recomputes the claim of `Outcome::converged` under those options: the target is met.
    static bool is_converged(const safairkm::Options& o, const safairkm::State& state, const Window& window) {
        return least_balance(state.labels, o.clusters, window, o.targets.attribute[0]) >=
               o.targets.balance_at_least.of(0);
    }
};

template <> struct StreamOf<live_front::Options> {
    using Model = live_front::Model;

    static live_front::Options options() {
        live_front::Options o;
        o.common = ModelStream<safairkm::Model>::options();
        o.common.effort = 4;  // of the operating point with a target
        o.kmeans_updates = {64, 4, 16};
        o.swaps = {4, 2, 0};
        o.balance_at_least = {0, 0, 0.4};
        o.published = 1;  // falls behind the first
        o.dominated = live_front::Dominated::keep;
        return o;
    }
    static std::vector<OtherValue> other_values() {
        std::vector<OtherValue> values;
        for (const auto& [name, value, base] : ModelStream<safairkm::Model>::other_values()) {
            if (name == "kmeans_updates")
                values.push_back({name, "64,3,16"});
            else if (name == "swaps")
                values.push_back({name, "4,0,0"});
            else if (name == "balance_at_least")
                values.push_back({name, "0,0.5,0.4"});
            else if (name == "effort")
                values.push_back({name, "0", base});
            else
                values.push_back({name, value, base});
        }
        values.push_back({"published", "2"});
        values.push_back({"dominated", "replace"});
        return values;
    }
    static std::size_t points_to_start(const live_front::Options& o) {
        return static_cast<std::size_t>(o.common.clusters);
    }
    static live_front::Options converging() {
        live_front::Options o = options();
        o.published = 2;
        return o;
    }
    static bool is_converged(const live_front::Options& o, const live_front::State& state, const Window& window) {
        safairkm::Options published = o.common;
        published.targets.balance_at_least = o.balance_at_least.of(static_cast<std::size_t>(o.published));
        return ModelStream<safairkm::Model>::is_converged(published, state.points[state.published], window);
    }
};

template <> struct StreamOf<fair_spectral::Options> {
    using Model = fair_spectral::Model;

    static fair_spectral::Options options() {
        fair_spectral::Options o;
        o.clusters = 4;
        o.starts = 2;
        o.targets.rare_below = 0;
        return o;
    }
    static std::vector<OtherValue> other_values() {
        const std::pair<std::string, std::string> admm{"solver", "admm"}, rbf{"affinity", "rbf"};
        const std::vector<std::pair<std::string, std::string>> rare{{"attribute", "1"}, {"balance_at_least", "0.9"}};
        return {{"clusters", "3"},
                {"attribute", "1"},
                {"affinity", "rbf"},
                {"neighbours", "3"},
                {"edge_weights", "rbf"},
                {"bandwidth", "0.3", {rbf}},
                {"landmarks", "20", {{"affinity", "nystrom"}}},
                {"solver", "admm"},
                {"iterations", "1"},
                {"tolerance", "0.5"},
                {"penalty", "0.1", {admm}},
                {"penalty_rule", "adapt", {admm, {"penalty", "0.005"}}},
                {"inner", "lbfgs", {admm}},
                {"shift", "0", {admm}},
                {"starts", "9", {{"starts", "1"}, {"clusters", "12"}}},
                {"sweeps", "0"},
                {"change_price", "0"},
                {"fresh_every", "0", {{"starts", "9"}, {"clusters", "12"}, {"parity_at_least", "0"}}},
                {"balance_at_least", "0.7"},
                {"parity_at_least", "0"},
                {"share_delta", "0.1"},
                {"share_at_least", "0.3"},
                {"share_at_most", "0.55"},
                {"size_at_least", "90"},
                {"size_at_most", "110"},
                {"rare_below", "24", rare},
                {"named_groups", "2", {rare[0], rare[1], {"rare_below", "24"}}},
                {"must_link", "400:401"},
                {"cannot_link", "400:401"},
                {"seed", "7"}};
    }
    /// One group of the first attribute, which has two, is constrained to the other.
    static std::size_t points_to_start(const fair_spectral::Options& o) {
        return static_cast<std::size_t>(o.clusters) + 1;
    }
    static fair_spectral::Options converging() {
        fair_spectral::Options o = options();
        o.affinity = fair_spectral::AffinityKind::dense;
        o.bandwidth = 1;
        return o;
    }
    /// The embedding solves problem (5) to the tolerance.
    static bool is_converged(const fair_spectral::Options& o, const fair_spectral::State& state, const Window& window) {
        return spectral_residual(state, static_cast<std::size_t>(o.clusters), window, o.targets.attribute[0],
                                 o.bandwidth) <= o.tolerance;
    }
};

template <> struct StreamOf<lord::Options> {
    using Model = lord::Model;

    static lord::Options options() {
        lord::Options o;
        o.clusters = 4;
        o.starts = 2;
        o.targets.rare_below = 0;
        return o;
    }
    static std::vector<OtherValue> other_values() {
        const std::vector<std::pair<std::string, std::string>> rare{{"attribute", "1"}, {"balance_at_least", "0.9"}};
        return {{"clusters", "3"},
                {"attribute", "1"},
                {"neighbours", "3"},
                {"method", "lord"},
                {"tau", "0.1"},
                {"priors", "1,2,3,4"},
                {"fair", "off"},
                {"small_below", "200"},
                {"iterations", "3"},
                {"tolerance", "0.05"},
                {"starts", "9", {{"clusters", "12"}}},
                {"fresh_every", "1", {{"tau", "1"}, {"starts", "40"}, {"clusters", "12"}, {"fresh_every", "0"}}},
                {"balance_at_least", "0.7"},
                {"parity_at_least", "0"},
                {"share_delta", "0.1"},
                {"share_at_least", "0.3"},
                {"share_at_most", "0.55"},
                {"size_at_least", "90"},
                {"size_at_most", "110"},
                {"rare_below", "24", rare},
                {"named_groups", "2", {rare[0], rare[1], {"rare_below", "24"}}},
                {"seed", "7"}};
    }
    static std::size_t points_to_start(const lord::Options& o) { return static_cast<std::size_t>(o.clusters); }
    static lord::Options converging() {
        lord::Options o = options();
        o.method = lord::Method::lord;
        return o;
    }
    /// V is in its set, and a gradient step from it leads back to it.
    static bool is_converged(const lord::Options& o, const lord::State& state, const Window& window) {
        return gradient_movement(state, static_cast<std::size_t>(o.clusters), window, o.targets.attribute[0]) <=
               10 * o.tolerance;
    }
};

template <> struct StreamOf<threshold::Options> {
    using Model = threshold::Model;

    static threshold::Options options() { return {}; }
    static std::vector<OtherValue> other_values() { return {{"offset", "1"}}; }
    static std::size_t points_to_start(const threshold::Options&) { return 2; }
    static threshold::Options converging() { return options(); }
    /// The threshold is the mean of the first feature.
    static bool is_converged(const threshold::Options&, const threshold::State& state, const Window& window) {
        double mean = 0;
        for (Slot slot = 0; slot < window.size(); ++slot) mean += double{window.features(slot)[0]} / window.size();
        return state.started && std::abs(state.threshold - mean) < 1e-12;
    }
};

template <> struct StreamOf<trend::Options> {
    using Model = trend::Model;

    static trend::Options options() { return {}; }
    static std::vector<OtherValue> other_values() {
        return {{"attribute", "1"}, {"bonus", "0.5"}, {"threshold", "0.25"}, {"top", "0.1"}};
    }
    static std::size_t points_to_start(const trend::Options&) { return 2; }
    static trend::Options converging() { return options(); }
    /// The slope is the covariance of the first feature with the sign of the target.
    static bool is_converged(const trend::Options&, const trend::State& state, const Window& window) {
        double x = 0, y = 0, xy = 0;
        for (Slot slot = 0; slot < window.size(); ++slot) {
            const double feature = window.features(slot)[0], sign = window.target(slot) > 0 ? 1 : -1;
            x += feature / window.size(), y += sign / window.size(), xy += feature * sign / window.size();
        }
        return state.started && std::abs(state.slope - (xy - x * y)) < 1e-9;
    }
};

template <> struct StreamOf<partial_fair_scorer::Options> {
    using Model = partial_fair_scorer::Model;

    static partial_fair_scorer::Options options() {
        partial_fair_scorer::Options o;
        o.interval = {0.1, 0.6};
        o.kappa = 0.2;
        o.ridge = 1e-3;
        o.loss = partial_fair_scorer::Loss::logistic;
        return o;
    }
    static std::vector<OtherValue> other_values() {
        const std::pair<std::string, std::string> ssg{"inner", "ssg"}, mlp{"form", "mlp"}, once{"enforce", "surrogate"},
            few{"solve_iterations", "5"};
        return {{"attribute", "1"},
                {"metric", "pdp"},
                {"interval", "0.1,0.4"},
                {"interval_for", "group", {{"interval", "0.1,0.3,0.5,0.7"}}},
                {"kappa", "0.05"},
                {"confidence", "0.95"},
                {"enforce", "surrogate"},
                {"rank_levels", "4"},
                {"threshold", "0.5"},
                {"loss", "hinge"},
                {"over", "auc"},
                {"false_positives", "0,0.5", {{"over", "partial_auc"}}},
                {"ridge", "0.1"},
                {"surrogate", "logistic"},
                {"width", "0.3"},
                {"group_terms", "none"},
                {"form", "mlp", {once, few}},
                {"hidden", "3", {mlp, once, few}},
                {"inner", "ssg", {once, few}},
                {"solve_iterations", "1"},
                {"iterations", "0"},
                {"fresh_every", "0", {{"iterations", "0"}}},
                {"inner_iterations", "3", {ssg, once, few}},
                {"epsilon", "0.01", {ssg, once, few}},
                {"tolerance", "0.5"},
                {"seed", "7", {mlp, once, few}}};
    }
    /// One of each class.
    static std::size_t points_to_start(const partial_fair_scorer::Options&) { return 2; }
    static partial_fair_scorer::Options converging() {
        partial_fair_scorer::Options o = options();
        o.metric = partial_fair_scorer::Metric::none;
        return o;
    }
    /// Without a constraint a solution is where the gradient of the loss vanishes, to the tolerance.
    static bool is_converged(const partial_fair_scorer::Options& o, const partial_fair_scorer::State& state,
                             const Window& window) {
        return loss_gradient(o, state, window) <= o.tolerance;
    }
};

template <> struct StreamOf<esvd_fair::Options> {
    using Model = esvd_fair::Model;

    static esvd_fair::Options options() {
        esvd_fair::Options o;
        o.hidden = {6, 5};
        o.epochs = 3;
        o.start_after = 30;
        return o;
    }
    static std::vector<OtherValue> other_values() {
        return {{"attribute", "1"},    {"network", "tanh 2x4 1,0,0,1,0,1,-1,0 0,0.5 identity 1x2 1,-1 0"},
                {"hidden", "7"},       {"epochs", "4"},
                {"start_after", "80"}, {"means", "0.5"},
                {"spreads", "0.1"},    {"inputs", "0.1"},
                {"ridge", "1"},        {"refits", "no"},
                {"ks_at_most", "0.2"}, {"seed", "7"}};
    }
    static std::size_t points_to_start(const esvd_fair::Options& o) { return o.start_after; }
    static esvd_fair::Options converging() { return options(); }
    /// The mean outputs of the groups, counted from the points, keep the limit as of the last solution.
    static bool is_converged(const esvd_fair::Options& o, const esvd_fair::State& state, const Window& window) {
        if (!state.started || state.solution.points > 0) return state.started;
        std::vector<double> sums(state.groups, 0.0), counts(state.groups, 0.0);
        for (Slot slot = 0; slot < window.size(); ++slot) {
            const GroupId group = window.group(slot, static_cast<std::uint32_t>(o.attribute));
            sums[group] += state.predictions[slot];
            ++counts[group];
        }
        const double gap = sums[0] / counts[0] - sums[1] / counts[1];
        return gap * gap <= state.solution.means * state.solution.mean_gap * (1 + 1e-3) + 1e-9;
    }
};

template <> struct StreamOf<group_metrics::Options> {
    using Model = group_metrics::Model;

    static group_metrics::Options options() {
        group_metrics::Options o;
        // The first of the suite's features, which have no names.
        o.prediction.text = "0";
        return o;
    }
    static std::vector<OtherValue> other_values() {
        return {{"prediction", "1"},
                {"threshold", "2"},
                {"attribute", "1"},
                {"intersections", "1"},
                {"bins", "3"},
                {"least_points", "60"},
                {"parity_difference_at_most", "0.1"},
                {"odds_difference_at_most", "0.1"}};
    }
    static std::size_t points_to_start(const group_metrics::Options&) { return 1; }
    static group_metrics::Options converging() { return options(); }
    /// The counts equal those of the window, counted again.
    static bool is_converged(const group_metrics::Options& o, const group_metrics::State& state, const Window& window) {
        if (!state.is_counted) return false;
        std::int64_t selected = 0, young_women = 0;
        for (Slot slot = 0; slot < window.size(); ++slot) {
            const bool is_selected = window.features(slot)[0] >= static_cast<float>(o.threshold);
            selected += is_selected;
            young_women += is_selected && window.group(slot, 0) == 0 && window.group(slot, 1) == 0;
        }
        const GroupMetrics metrics = group_metrics::Model::measure(o, state, window.format(), 1);
        const auto count = [](const GroupFigures& figures) {
            const RateFigure& rate = figures.rate(GroupRate::selection);
            return std::llround(rate.value * static_cast<double>(rate.points));
        };
        return metrics.all.points == window.size() && count(metrics.all) == selected &&
               count(metrics.attributes[2].groups[0]) == young_women;
    }
};

}  // namespace fairstream::test
