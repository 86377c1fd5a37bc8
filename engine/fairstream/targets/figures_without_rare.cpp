#include <fairstream/targets/figures_without_rare.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>

#include <fairstream/targets/demands.hpp>
#include <fairstream/targets/target_notes.hpp>

namespace fairstream {
namespace {

// The smallest and the largest of some numbers.
struct Extent {
    double least = std::numeric_limits<double>::infinity(), most = 0;

    void add(double value) {
        least = std::min(least, value);
        most = std::max(most, value);
    }
    [[nodiscard]] double ratio() const { return most > 0 ? least / most : 0; }
};

}  // namespace

void add_figures_without_rare(const ClusterTargets& targets, const FairnessTally& tally, double weight_unit,
                              std::vector<Figure>& figures) {
    if (tally.attributes() == 0 || tally.total() == 0) return;
    const GroupMasses masses = group_masses(tally, weight_unit);
    if (left_out_groups(targets, masses).empty()) return;
    double balance = 1, parity = 1;
    for (const std::size_t a : demanded_attributes(targets, masses)) {
        const int attribute = targets.attribute[a];
        const std::vector<bool> counted = counted_groups(targets, masses, a);
        const std::span<const double> all = masses.of(static_cast<std::size_t>(attribute));
        for (ClusterId cluster = 0; cluster < tally.clusters(); ++cluster) {
            const std::span<const double> weights = tally.weights(cluster, attribute);
            Extent of_points, of_rates;
            for (std::size_t j = 0; j < counted.size(); ++j) {
                if (!counted[j]) continue;
                of_points.add(weights[j]);
                if (all[j] > 0) of_rates.add(weights[j] / all[j]);
            }
            balance = std::min(balance, of_points.ratio());
            parity = std::min(parity, of_rates.ratio());
        }
    }
    figures.push_back({balance_without_rare.name, balance});
    figures.push_back({parity_without_rare.name, parity});
}

}  // namespace fairstream
