#include <fairstream/figures/condition.hpp>

#include <fairstream/text/numbers.hpp>

namespace fairstream::figures {

std::string drift_help() {
    return "\nDrift is the distance of the retained points from the scale that prepares them, at the last check. It is "
           "the "
           "larger of two figures: the shift of the mean in standard deviations, and the logarithm of the ratio of the "
           "standard deviations. If a column is scaled by its range, the least value takes the place of the mean, and "
           "the range that of the deviation. The report gives the column that drifted most.\n";
}

std::string late_text(const wire::Condition& condition) {
    if (condition.late_points == 0) return "";
    return counted(condition.late_points, "point") + " came too late for the window and " +
           (condition.late_points == 1 ? "was" : "were") + " not retained";
}

std::string drift_text(const wire::Condition& condition) {
    const PreparationFigures& figures = condition.preparation;
    if (figures.drift <= drift_tolerance) return "";
    return "column " + (condition.drift_name.empty() ? std::to_string(figures.column) : condition.drift_name) +
           " had drifted by " + fixed(figures.drift, 2) + " from its scale at the last check";
}

}  // namespace fairstream::figures
