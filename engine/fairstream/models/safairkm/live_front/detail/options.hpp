#pragma once
/// The options of live_front by name.

#include <array>
#include <string_view>

#include <fairstream/base/option_fields.hpp>
#include <fairstream/models/safairkm/detail/options.hpp>
#include <fairstream/models/safairkm/live_front/live_front.hpp>

namespace fairstream::live_front {

inline constexpr std::array<std::string_view, 2> dominated_names{"replace", "keep"};

template <class Self, class Visit> void visit_options(Self& o, Visit&& visit) {
    constexpr bool live = true;
    visit(Number{"kmeans_updates", 0, 1e9, live,
                 "retained points revisited per step (n_a): one value, or one for each operating point"},
          o.kmeans_updates);
    visit(Number{"swaps", 0, 1e9, live, "swaps per step (n_b): one value, or one for each operating point"}, o.swaps);
    visit(Number{"balance_at_least", 0, 1, live,
                 "balance target of each operating point; a target above 0 replaces swaps"},
          o.balance_at_least);
    visit(Number{"published", 0, point_limit - 1, live, "operating point whose labels are published, counted from 0"},
          o.published);
    visit(Choice{"dominated", dominated_names, live,
                 "what happens to an operating point that costs more and is less balanced than another: replace (it "
                 "continues from the other's clusters) or keep"},
          o.dominated);
    safairkm::visit_options(o.common, [&]<class Field>(Field field, auto& value) {
        if constexpr (std::is_same_v<Field, Number>) {
            if (field.name == "parity_at_least") field.help = parity_help;  // no default target here
            if (field.name == "attribute") {
                field.help = "protected attribute that is balanced, by name or index";
                field.single = true;
            }
        }
        if (field.name != "kmeans_updates" && field.name != "swaps" && field.name != "balance_at_least")
            visit(field, value);
    });
}

}  // namespace fairstream::live_front
