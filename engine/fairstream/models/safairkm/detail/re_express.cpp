#include <fairstream/models/safairkm/safairkm.hpp>

namespace fairstream::safairkm {

void Model::re_express(const Options&, State&, const MeasureChange&) {}

}  // namespace fairstream::safairkm
