#pragma once
/// The options of esvd_fair by name.

#include <array>
#include <string_view>

#include <fairstream/base/option_fields.hpp>
#include <fairstream/models/esvd_fair/esvd_fair.hpp>

namespace fairstream::esvd_fair {

inline constexpr std::array<std::string_view, 2> refits_names{"no", "yes"};
inline constexpr double least_limit =
    1e-6;  ///< least limit of the remaining squared gap of groups' means, or variances

template <class Self, class Visit> void visit_options(Self& o, Visit&& visit) {
    constexpr bool live = true, fixed = false;
    constexpr std::string_view trained = "network=none", without_wish = "ks_at_most=1";
    visit(Number{"attribute", 0, 255, fixed, "protected attribute whose groups are compared, by name or index"},
          o.attribute);
    visit(Written{"network", fixed, "network whose last layer is adjusted; none: one is trained at the start",
                  network_option_range, false, true},
          o.network);
    visit(only_with(trained,
                    Number{"hidden", 1, 4096, fixed, "widths of the hidden layers of a network that is trained"}),
          o.hidden);
    visit(only_with(trained, Number{"epochs", 1, 1e4, live, "epochs of the training"}), o.epochs);
    visit(Number{"start_after", 1, 1e9, fixed,
                 "number of retained points at which the model starts; it also starts when the window is full"},
          o.start_after);
    visit(only_with(
              without_wish,
              Number{"means", least_limit, 1, live,
                     "allowed squared gap between the groups' mean outputs, as a share of the unadjusted one; 1: any"}),
          o.means);
    visit(only_with(
              without_wish,
              Number{"spreads", least_limit, 1, live,
                     "allowed squared gap between the groups' variances, as a share of the unadjusted one; 1: any"}),
          o.spreads);
    visit(Number{"inputs", least_limit, 1, live,
                 "allowed squared gap between the groups' means of the network's inputs, as a share of the unadjusted "
                 "one; 1: any"},
          o.inputs);
    visit(only_with(without_wish, Number{"ridge", 0, 1e15, live,
                                         "ridge of the fit of the last layer, as a share of the mean variance"}),
          o.ridge);
    visit(Choice{"refits", refits_names, live, "whether the last layer is fitted again before it is adjusted"},
          o.refits);
    visit(
        Number{"ks_at_most", 0, 1, live,
               "target: largest KS distance between groups; the model chooses means, spreads, inputs and ridge to meet "
               "it; 1: no target"},
        o.ks_at_most);
    visit(only_for(OptionScope::steps,
                   Number{"false_alarms", 0, 0.5, live,
                          "probability, for each point, that a stream without change triggers a new solve"}),
          o.false_alarms);
    visit(only_with(trained, Number{"seed", 0, 0x1p64, fixed, "seed of the training"}), o.seed);
}

}  // namespace fairstream::esvd_fair
