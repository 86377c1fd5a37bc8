#include <fairstream/models/partial_fair_scorer/partial_fair_scorer.hpp>

namespace fairstream::partial_fair_scorer {

void Model::re_express(const Options&, State&, const MeasureChange&) {}

}  // namespace fairstream::partial_fair_scorer
