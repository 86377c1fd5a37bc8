#pragma once
/// Fairness of a model's visible outputs, kept up to date as outputs and points change.

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <variant>

#include <fairstream/base/archive.hpp>
#include <fairstream/core/detail/score_book.hpp>
#include <fairstream/core/update.hpp>
#include <fairstream/data/measure_change.hpp>
#include <fairstream/data/window.hpp>
#include <fairstream/models/model_kind.hpp>

namespace fairstream::core {

/// Computes the confidence intervals of the figures of scores, as of its creation.
using LateIntervals = std::function<std::optional<ScoreIntervals>()>;

/// One specialisation per kind of output: `Model` is `Clusterer`, `Scorer` or `Monitor`.
template <class Model> class VisibleFairness;

template <> class VisibleFairness<Clusterer> {
public:
    VisibleFairness(const Clusterer& model, const StreamFormat&) : empty_(model.tally()), tally_(model.tally()) {}

    /// Remove or add the label of a point with these groups, one per attribute. `finish_changes` must follow.
    void remove(ClusterId label, const GroupId* groups, double weight) {
        if (label != no_cluster) tally_.remove(label, groups, weight);
    }
    void add(ClusterId label, const GroupId* groups, double weight) {
        if (label != no_cluster) tally_.add(label, groups, weight);
    }
    void finish_changes(const Clusterer&, const Window& window, std::span<const ClusterId>) {
        unit_ = window.weight_unit();
    }
    /// Takes over the fairness of the model's own outputs.
    void follow(const Clusterer& model, const Window& window) {
        tally_ = model.tally();
        unit_ = window.weight_unit();
    }
    /// Converts the tally to a new measure, which the window already has; `visible` are the outputs by slot.
    void re_express(const Window& window, std::span<const ClusterId> visible, const MeasureChange& change) {
        if (change.weight_factor != 1) recount(window, visible);
    }
    /// Sums weights afresh from the outputs by slot, without the rounding errors of earlier changes.
    void recount(const Window& window, std::span<const ClusterId> visible) {
        if (!tally_.is_weighted()) return;
        tally_ = empty_;
        tally_.add(visible, window.points().groups.data(), window.weights());
    }
    /// Measures the same outputs under changed options; returns whether the result differs.
    bool measure_again(const Clusterer&) { return false; }
    /// Sets `fairness`, with weights in the present unit.
    void show(OutputFairness& fairness) const {
        fairness = tally_;
        if (unit_ != 1) std::get<FairnessTally>(fairness).scale_weights(1 / unit_);
    }
    /// Returns a function that computes, on any thread, the confidence intervals of the figures that `show` gives now;
    /// null if they have none.
    [[nodiscard]] LateIntervals intervals(const Clusterer&) const { return {}; }
    /// Throws `InvalidInput` (bad_state) for loaded outputs that no model could give to this many points.
    static void verify_outputs(std::span<const ClusterId>, std::size_t) {}

    void save(StateWriter& writer, std::uint32_t field) const { writer(field, tally_); }
    void load(StateReader& reader, std::uint32_t field) { reader(field, tally_); }
    /// Throws `InvalidInput` (bad_state) unless the loaded tally fits the loaded labels, by slot.
    void verify(const Window& window, std::span<const ClusterId> visible) const {
        FairnessTally counted = empty_;
        for (Slot slot = 0; slot < window.size(); ++slot) {
            if (visible[slot] < no_cluster || visible[slot] >= counted.clusters())
                StateReader::fail("a visible label is out of range");
            if (visible[slot] != no_cluster) counted.add(visible[slot], window.groups(slot), window.weight(slot));
        }
        if (!counted.counts_same_points(tally_)) StateReader::fail("the counts do not match the visible labels");
    }

private:
    FairnessTally empty_;  // the model's tally before its first point
    FairnessTally tally_;
    double unit_ = 1;  // unit of the tally's weights: what a point of weight 1 that comes now adds to the tally
};

template <> class VisibleFairness<Scorer> {
public:
    VisibleFairness(const Scorer& model, const StreamFormat& format)
        : book_(format, model.options().kind().protected_attributes(model.options())[0]),
          format_(format),
          fairness_(model.measure(book_.tally(), format_)) {}

    void remove(Score, const GroupId*, double) {}
    void add(Score, const GroupId*, double) {}
    void re_express(const Window&, std::span<const Score>, const MeasureChange&) {}
    void recount(const Window&, std::span<const Score>) {}
    void finish_changes(const Scorer& model, const Window& window, std::span<const Score> visible) {
        book_.update_to(window, visible);
        fairness_ = model.measure(book_.tally(), format_);
    }
    void follow(const Scorer& model, const Window& window) { finish_changes(model, window, model.outputs()); }
    bool measure_again(const Scorer& model) {
        const NumberFairness before = fairness_;
        fairness_ = model.measure(book_.tally(), format_);
        return fairness_ != before;
    }
    void show(OutputFairness& fairness) const {
        std::visit([&](const auto& measured) { fairness = measured; }, fairness_);
    }
    [[nodiscard]] LateIntervals intervals(const Scorer& model) const {
        if (!std::holds_alternative<ScoreFairness>(fairness_)) return {};
        return [options = model.options(), tally = book_.share()] {
            return std::get<ScoreFairness>(options.kind().judge(options, *tally)).intervals;
        };
    }
    static void verify_outputs(std::span<const Score> scores, std::size_t points) { verify_scores(scores, points); }

    void save(StateWriter&, std::uint32_t) const {}
    void load(StateReader&, std::uint32_t) {}
    void verify(const Window& window, std::span<const Score> visible) const { verify_outputs(visible, window.size()); }

private:
    ScoreBook book_;
    StreamFormat format_;
    NumberFairness fairness_;
};

/// Figures of the predictions that points carry, measured at each event.
template <> class VisibleFairness<Monitor> {
public:
    VisibleFairness(const Monitor& model, const StreamFormat& format)
        : format_(format), metrics_(model.measure(format_, 1)) {}

    void re_express(const Window&, std::span<const NoOutput>, const MeasureChange&) {}
    void follow(const Monitor& model, const Window& window) { metrics_ = model.measure(format_, window.weight_unit()); }
    bool measure_again(const Monitor&) { return false; }
    void show(OutputFairness& fairness) const { fairness = metrics_; }
    [[nodiscard]] LateIntervals intervals(const Monitor&) const { return {}; }
    static void verify_outputs(std::span<const NoOutput>, std::size_t) {}

private:
    StreamFormat format_;
    GroupMetrics metrics_;
};

}  // namespace fairstream::core
