#pragma once
/// The options of group_metrics by name.

#include <fairstream/base/option_fields.hpp>
#include <fairstream/models/group_metrics/group_metrics.hpp>

namespace fairstream::group_metrics {

template <class Self, class Visit> void visit_options(Self& o, Visit&& visit) {
    constexpr bool live = true, fixed = false;
    visit(Written{"prediction", fixed, "feature that holds the prediction; [prepare] must leave it as it is",
                  "the name of a column, or its index from 0 where columns have no names"},
          o.prediction);
    visit(Number{"threshold", -1e15, 1e15, live, "smallest prediction that selects its point"}, o.threshold);
    visit(Number{"attribute", 0, 255, fixed, "protected attribute, by name or index; several: sex,race", std::nullopt,
                 "all"},
          o.attribute);
    visit(Number{"intersections", 1, 8, fixed,
                 "largest number of attributes whose groups are intersected; 1: no intersections"},
          o.intersections);
    visit(Number{"bins", 1, 100, fixed, "bins of equal width in [0, 1] for calibration"}, o.bins);
    visit(Number{"least_points", 1, 1e9, live,
                 "least number of points that a rate needs to be compared; a rate of fewer points is only shown"},
          o.least_points);
    visit(Number{"parity_difference_at_most", 0, 1, live,
                 "bound on the demographic parity difference of every attribute and intersection; 0: none"},
          o.parity_difference_at_most);
    visit(with_targets(Number{"odds_difference_at_most", 0, 1, live,
                              "bound on the equalised odds difference of every attribute and intersection; 0: none"}),
          o.odds_difference_at_most);
}

}  // namespace fairstream::group_metrics
