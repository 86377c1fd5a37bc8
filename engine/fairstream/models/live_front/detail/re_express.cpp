#include <fairstream/models/live_front/live_front.hpp>

namespace fairstream::live_front {

void Model::re_express(const Options&, State&, const MeasureChange&) {}

}  // namespace fairstream::live_front
