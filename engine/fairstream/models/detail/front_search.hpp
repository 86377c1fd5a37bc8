#pragma once
/// The search for a front: rounds over a list of labellings.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <utility>
#include <vector>

#include <fairstream/fairness/pareto.hpp>
#include <fairstream/models/front.hpp>

namespace fairstream {

/// Returns the trade-offs of labellings: their members `point`.
template <class Labelling> [[nodiscard]] std::vector<TradeOff> points_of(const std::vector<Labelling>& list) {
    std::vector<TradeOff> points;
    points.reserve(list.size());
    for (const Labelling& labelling : list) points.push_back(labelling.point);
    return points;
}

/// Keeps the labellings with these indices, in their order.
template <class Labelling> void keep(std::vector<Labelling>& list, const std::vector<std::size_t>& indices) {
    std::vector<Labelling> kept;
    kept.reserve(indices.size());
    for (const std::size_t i : indices) kept.push_back(std::move(list[i]));
    list = std::move(kept);
}

/// Merges the labellings in `fresh` into the list, by ascending cost, and drops dominated ones.
template <class Labelling> void merge(std::vector<Labelling>& list, std::vector<Labelling>&& fresh) {
    std::ranges::move(fresh, std::back_inserter(list));
    keep(list, nondominated(points_of(list)));
}

/// Searches a front; its labellings are in `list_`. `begin` makes the first list. Rounds add to it until one adds
/// nothing, or until the list or the rounds reach the limits of `Options`. `Labelling` has a member `point`.
template <class Options, class Labelling> class FrontSearch {
public:
    using OnProgress = std::function<bool(const FrontProgress&)>;

    FrontSearch(const Options& options, const OnProgress& on_progress) : options_(options), on_progress_(on_progress) {}
    virtual ~FrontSearch() = default;
    FrontSearch(const FrontSearch&) = delete;
    FrontSearch& operator=(const FrontSearch&) = delete;

    [[nodiscard]] Front run() {
        bool go_on = begin();
        drop_close_points();
        while (go_on && front_.rounds < options_.rounds &&
               list_.size() < static_cast<std::size_t>(options_.point_limit)) {
            const std::vector<TradeOff> before = points_of(list_);
            round();
            drop_close_points();
            ++front_.rounds;
            go_on = report_progress();
            if (!stopped() && points_of(list_) == before) return result(Outcome::converged);
        }
        return result(Outcome::iteration_limit);
    }

protected:
    /// Makes the first list and sets the reference cost; returns whether to go on.
    virtual bool begin() = 0;
    virtual void round() = 0;
    [[nodiscard]] virtual bool stopped() const = 0;
    /// Returns how many starts and stages have labellings in the list.
    [[nodiscard]] virtual FrontProgress progress() const = 0;
    /// Returns the measure of each attribute in turn.
    [[nodiscard]] virtual std::vector<double> by_attribute(const Labelling& labelling) const = 0;

    /// Reports the progress of the search; returns whether to go on.
    [[nodiscard]] bool report_progress() const {
        if (stopped() || !on_progress_) return !stopped();
        FrontProgress now = progress();
        const std::vector<TradeOff> points = points_of(list_);
        now.round = front_.rounds;
        now.points = points;
        now.hypervolume = hypervolume(points, front_.reference_cost);
        return on_progress_(now);
    }

    const Options& options_;
    std::vector<Labelling> list_;
    Front front_;

private:
    void drop_close_points() {
        if (options_.gap > 0) keep(list_, thinned(points_of(list_), options_.gap));
    }
    [[nodiscard]] Front result(Outcome outcome) {
        front_.outcome = outcome;
        front_.points = points_of(list_);
        for (Labelling& labelling : list_) {
            front_.by_attribute.push_back(by_attribute(labelling));
            front_.labels.push_back(std::move(labelling.labels));
        }
        front_.hypervolume = hypervolume(front_.points, front_.reference_cost);
        return std::move(front_);
    }

    const OnProgress& on_progress_;
};

}  // namespace fairstream
