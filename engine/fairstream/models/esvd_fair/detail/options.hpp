#pragma once
/// The options of esvd_fair by name.

#include <array>
#include <string_view>

#include <fairstream/base/option_fields.hpp>
#include <fairstream/models/esvd_fair/esvd_fair.hpp>

namespace fairstream::esvd_fair {

inline constexpr std::array<std::string_view, 2> refits_names{"no", "yes"};
inline constexpr double least_limit = 1e-6;  ///< of the remaining squared gap of groups' means, or variances

template <class Self, class Visit> void visit_options(Self& o, Visit&& visit) {
    constexpr bool live = true, fixed = false;
    constexpr std::string_view trained = "network=none", without_wish = "ks_at_most=1";
    visit(Number{"attribute", 0, 255, fixed, "protected attribute whose groups are compared: name, or index"},
          o.attribute);
    visit(Written{"network", fixed, "whose last layer is adjusted; none: one is trained at the start",
                  network_option_range, false, true},
          o.network);
    visit(only_with(trained,
                    Number{"hidden", 1, 4096, fixed, "widths of the hidden layers of a network that is trained"}),
          o.hidden);
    visit(only_with(trained, Number{"epochs", 1, 1e4, live, "of the training"}), o.epochs);
    visit(Number{"start_after", 1, 1e9, fixed, "points in the window at which to start, or a full window"},
          o.start_after);
    visit(
        only_with(without_wish, Number{"means", least_limit, 1, live,
                                       "squared gap of groups' mean outputs in parts of that of the fit; 1: it stays"}),
        o.means);
    visit(only_with(without_wish,
                    Number{"spreads", least_limit, 1, live, "squared gap of their variances likewise; 1: it stays"}),
          o.spreads);
    visit(Number{"inputs", least_limit, 1, live,
                 "squared gap of the means of the network's inputs likewise; 1: it stays"},
          o.inputs);
    visit(only_with(without_wish,
                    Number{"ridge", 0, 1e15, live, "of the fit of the last layer, in parts of the mean variance"}),
          o.ridge);
    visit(Choice{"refits", refits_names, live, "whether the last layer is fitted anew before it is adjusted"},
          o.refits);
    visit(Number{"ks_at_most", 0, 1, live,
                 "KS distance wished for, by which means, spreads, inputs, ridge are chosen; 1: none"},
          o.ks_at_most);
    visit(only_for(OptionScope::steps, Number{"false_alarms", 0, 0.5, live,
                                              "chance at a point that a stream without a change is solved anew"}),
          o.false_alarms);
    visit(only_with(trained, Number{"seed", 0, 0x1p64, fixed, "of the training"}), o.seed);
}

}  // namespace fairstream::esvd_fair
