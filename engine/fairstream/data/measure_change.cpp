#include <fairstream/data/measure_change.hpp>

namespace fairstream {

void MeasureChange::compose_with(const MeasureChange& next) {
    weight_factor *= next.weight_factor;
    if (!next.changes_features()) return;
    if (!changes_features()) {
        factors = next.factors;
        shifts = next.shifts;
        return;
    }
    for (std::size_t j = 0; j < factors.size(); ++j) {
        factors[j] *= next.factors[j];
        shifts[j] = next.factors[j] * shifts[j] + next.shifts[j];
    }
}

}  // namespace fairstream
