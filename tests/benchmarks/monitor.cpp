/// Points per second of a monitor: predictions of two attributes, in batches, over a sliding window.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <fairstream/engine.hpp>
#include <fairstream/models/group_metrics/group_metrics.hpp>

namespace fairstream::benchmarks {
namespace {

template <class T> std::vector<T> read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
    if (!file || bytes.size() % sizeof(T) != 0) throw std::runtime_error(path + " cannot be read");
    std::vector<T> values(bytes.size() / sizeof(T));
    std::copy_n(bytes.data(), bytes.size(), reinterpret_cast<char*>(values.data()));
    return values;
}

void print(const GroupMetrics& metrics) {
    std::printf("\"sets\": [");
    for (std::size_t a = 0; a < metrics.attributes.size(); ++a) {
        const AttributeMetrics& of = metrics.attributes[a];
        std::printf(
            "%s{\"parity\": [%.17g, %.17g], \"opportunity\": [%.17g, %.17g], \"odds\": [%.17g, %.17g], "
            "\"groups\": [",
            a == 0 ? "" : ", ", of.demographic_parity.difference, of.demographic_parity.ratio.value_or(-1),
            of.equal_opportunity.difference, of.equal_opportunity.ratio.value_or(-1), of.equalised_odds.difference,
            of.equalised_odds.ratio.value_or(-1));
        for (std::size_t g = 0; g < of.groups.size(); ++g) {
            std::printf("%s[%lld", g == 0 ? "" : ", ", static_cast<long long>(of.groups[g].points));
            for (const RateFigure& rate : of.groups[g].rates) std::printf(", %.17g", rate.value);
            std::printf(", %.17g, %.17g]", of.groups[g].calibration.error, of.groups[g].calibration.gap);
        }
        std::printf("]}");
    }
    std::printf("]");
}

void run(const std::string& folder, Slot window, std::size_t batch) {
    const std::vector<float> predictions = read<float>(folder + "/predictions.bin");
    const std::vector<float> targets = read<float>(folder + "/targets.bin");
    const std::vector<GroupId> groups = read<GroupId>(folder + "/groups.bin");
    group_metrics::Options options;
    options.prediction.text = "0";
    Engine engine({.format = {1, {{"sex", {"f", "m"}}, {"race", {"a", "b", "c", "d", "e"}}}, true},
                   .window = {.capacity = window},
                   .models = {{"monitor", options, {}}}},
                  1);
    std::vector<PointId> ids(predictions.size());
    std::iota(ids.begin(), ids.end(), PointId{0});
    const PointBatch all{ids, predictions, groups, targets};
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t first = 0; first < all.size(); first += batch)
        engine.ingest(all.slice(first, std::min(batch, all.size() - first)));
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    std::printf("{\"points\": %zu, \"seconds\": %.6f, ", all.size(), seconds.count());
    print(engine.report("monitor").group_metrics());
    std::printf("}\n");
}

}  // namespace
}  // namespace fairstream::benchmarks

int main(int argc, char** argv) try {
    if (argc != 4) throw std::runtime_error("FOLDER WINDOW BATCH");
    fairstream::benchmarks::run(argv[1], static_cast<fairstream::Slot>(std::atoi(argv[2])),
                                static_cast<std::size_t>(std::atoi(argv[3])));
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "bench_monitor: %s\n", error.what());
    return 1;
}
