/// A program with xtensor arrays that uses only an installed copy of fairstream.

#include <fairstream/models/safairkm/safairkm.hpp>
#include <fairstream/xtensor.hpp>

int main() {
    const fairstream::StreamFormat format{1, {}};
    fairstream::Engine engine({format, {}, {{"plain", fairstream::safairkm::Options{.clusters = 2}, {}}}});
    const xt::xtensor<fairstream::PointId, 1> ids = xt::arange<fairstream::PointId>(0, 500);
    const xt::xtensor<float, 2> features =
        xt::ones<float>({500, 1}) * xt::cast<float>(xt::view(ids, xt::all(), xt::newaxis()) % 2U);
    const xt::xtensor<fairstream::GroupId, 2> no_groups = xt::zeros<fairstream::GroupId>({500, 0});
    const fairstream::xtensor::Batch batch(format, ids, features, no_groups);
    engine.ingest(batch.view());
    return fairstream::xtensor::labels(engine, "plain").size() == 500 ? 0 : 1;
}
