/// A service whose data are xtensor arrays. It learns from customers as they come, reports the make-up of its segments,
/// and places new customers.
///
///     find_package(fairstream REQUIRED)
///     target_link_libraries(tensor_service PRIVATE fairstream::xtensor)

#include <iostream>

#include <xtensor/xio.hpp>
#include <xtensor/xrandom.hpp>

#include <fairstream/models/safairkm/safairkm.hpp>
#include <fairstream/xtensor.hpp>

using namespace fairstream;

int main() {
    const StreamFormat format{.dimensions = 2, .attributes = {{"sex", {"female", "male"}}}};
    Engine engine(
        {.format = format,
         .window = {.capacity = 5000},
         .models = {{"segments", safairkm::Options{.clusters = 4, .targets = {.balance_at_least = 0.5}}, {}}}});
    xt::random::seed(1);
    for (PointId first = 0; first < 20'000; first += 1000) {
        const xt::xtensor<PointId, 1> ids = xt::arange(first, first + 1000);
        const xt::xtensor<GroupId, 1> sexes = xt::random::binomial<int>({1000}, 1, 0.6);
        xt::xtensor<float, 2> customers = xt::random::randn<float>({1000, 2});
        xt::col(customers, 0) += 1.5F * sexes;  // incomes differ by sex
        const xtensor::Batch batch(format, ids, customers, sexes);
        engine.ingest(batch.view());  // without any copy
    }
    const ModelReport report = engine.report("segments");
    const xt::xtensor<std::int64_t, 2> counts = xtensor::counts(report.tally(), 0);
    std::cout << "centres (segments, features):\n" << xtensor::centres(engine, "segments") << "\n\n";
    std::cout << "customers (segments, sexes):\n" << counts << "\n\n";
    const xt::xtensor<double, 1> balances = xt::amin(counts, {1}) / xt::cast<double>(xt::amax(counts, {1}));
    std::cout << "balance of each segment: " << balances << '\n';

    const xt::xtensor<float, 2> new_ones{{-1, 0}, {2, 1}};
    std::cout << "segments of two new customers: " << xtensor::assign(engine, "segments", new_ones) << '\n';
    try {
        const xt::xtensor<float, 2> transposed = xt::transpose(new_ones);
        (void)xtensor::assign(engine, "segments", xt::view(transposed, xt::all(), xt::range(0, 1)));
    } catch (const InvalidInput& error) {
        std::cout << "refused: " << error.what() << '\n';
    }
}
