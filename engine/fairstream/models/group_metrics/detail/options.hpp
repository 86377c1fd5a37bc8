#pragma once
/// The options of group_metrics by name.

#include <fairstream/base/option_fields.hpp>
#include <fairstream/models/group_metrics/group_metrics.hpp>

namespace fairstream::group_metrics {

template <class Self, class Visit> void visit_options(Self& o, Visit&& visit) {
    constexpr bool live = true, fixed = false;
    visit(Written{"prediction", fixed, "the feature that is the prediction, which [prepare] leaves as it is",
                  "the name of a column, or its index from 0 where columns have no names"},
          o.prediction);
    visit(Number{"threshold", -1e15, 1e15, live, "a prediction of at least this selects its point"}, o.threshold);
    visit(Number{"attribute", 0, 255, fixed, "protected attribute, or several, sex,race: name, or index", std::nullopt,
                 "all"},
          o.attribute);
    visit(Number{"intersections", 1, 8, fixed, "attributes whose groups are intersected, at most; 1: none are"},
          o.intersections);
    visit(Number{"bins", 1, 100, fixed, "of equal width in [0, 1], for the calibration"}, o.bins);
    visit(Number{"least_points", 1, 1e9, live, "a rate of fewer points is given, and left out of differences"},
          o.least_points);
    visit(Number{"parity_difference_at_most", 0, 1, live,
                 "bound of the demographic parity difference of every attribute and intersection; 0: none"},
          o.parity_difference_at_most);
    visit(with_targets(Number{"odds_difference_at_most", 0, 1, live,
                              "bound of the equalised odds difference, likewise; 0: none"}),
          o.odds_difference_at_most);
}

}  // namespace fairstream::group_metrics
