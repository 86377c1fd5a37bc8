#include <fairstream/models/lord/detail/setting.hpp>

#include <cmath>
#include <map>

namespace fairstream::lord {

std::vector<double> roots_of_priors(const Options& options) {
    std::vector<double> mu;
    double sum = 0;
    for (std::size_t j = 0; j < static_cast<std::size_t>(options.clusters); ++j) sum += options.priors.of(j);
    for (std::size_t j = 0; j < static_cast<std::size_t>(options.clusters); ++j)
        mu.push_back(std::sqrt(options.priors.of(j) / sum));
    return mu;
}

std::vector<std::uint32_t> fair_blocks(const Options& options, const StreamFormat& format,
                                       std::span<const GroupId> groups, std::size_t points) {
    const std::size_t stride = format.attributes.size();
    if (stride == 0 || options.fair == Fair::off) return {};
    std::map<std::vector<GroupId>, std::size_t> counts;
    std::vector<std::vector<GroupId>> cells(points);
    for (std::size_t i = 0; i < points; ++i) {
        bool known = true;
        for (const int attribute : options.targets.attribute) {
            const auto a = static_cast<std::size_t>(attribute);
            cells[i].push_back(groups[i * stride + a]);
            known = known && cells[i].back() < format.attributes[a].known_groups();
        }
        if (!known) cells[i].clear();
        ++counts[cells[i]];
    }
    // Blocks are in the order of the groups; small groups and points of unknown groups form one block together.
    std::map<std::vector<GroupId>, std::uint32_t> block;
    std::size_t left = 0, largest = 0;
    std::uint32_t largest_block = 0;
    for (const auto& [cell, count] : counts) {
        if (cell.empty() || static_cast<double>(count) < options.small_below) {
            left += count;
            continue;
        }
        const auto number = static_cast<std::uint32_t>(block.size());
        if (count > largest) largest = count, largest_block = number;
        block.emplace(cell, number);
    }
    if (block.size() + (left > 0 ? 1 : 0) < 2) return {};
    const bool joins = static_cast<double>(left) < options.small_below;
    const std::uint32_t rest = joins ? largest_block : static_cast<std::uint32_t>(block.size());
    std::vector<std::uint32_t> blocks(points);
    for (std::size_t i = 0; i < points; ++i) {
        const auto found = block.find(cells[i]);
        blocks[i] = found == block.end() ? rest : found->second;
    }
    return blocks;
}

Setting::Setting(const Options& options, const Affinity& of, std::span<const double> weights,
                 std::span<const std::uint32_t> blocks, double known_tau2)
    : affinity(of),
      mu(roots_of_priors(options)),
      marginals(mu, of.rows(), weights, blocks),
      similarity(of, weights),
      problem{similarity, marginals, options.method, {}, 0, 0, 0} {
    problem.spread = spread_of(similarity, options.seed);
    if (options.method == Method::lord) {
        problem.square = similarity.squared_norm();
        return;
    }
    double tau = known_tau2;
    if (options.tau != tau2 || !(known_tau2 > 0)) {
        tau = chosen_tau(options, similarity, marginals.mass(), options.seed);
        // The paper's rule is for graphs of neighbours; on other graphs clusters may not separate at the tau that it
        // gives.
        if (options.tau == tau2)
            tau = std::max(tau, parting_tau(similarity, problem.spread, marginals.clusters(), options.seed));
    }
    set_tau(problem, tau);
}

}  // namespace fairstream::lord
