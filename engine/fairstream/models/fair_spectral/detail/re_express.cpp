#include <fairstream/models/fair_spectral/fair_spectral.hpp>

namespace fairstream::fair_spectral {

void Model::re_express(const Options&, State&, const MeasureChange&) {}

}  // namespace fairstream::fair_spectral
