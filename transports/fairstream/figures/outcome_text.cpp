#include <fairstream/figures/outcome_text.hpp>

#include <fairstream/targets/figures_without_rare.hpp>

namespace fairstream::figures {

bool leaves_out_rare_groups(const wire::FairnessReport& report) {
    return report.figure(balance_without_rare.name).has_value();
}

std::string outcome_text(const wire::FairnessReport& report) {
    return std::string(to_string(report.outcome)) + (leaves_out_rare_groups(report) ? " without rare groups" : "");
}

}  // namespace fairstream::figures
