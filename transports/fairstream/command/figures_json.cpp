#include <fairstream/command/figures_json.hpp>

#include <nlohmann/json.hpp>

#include <fairstream/fairness/measures.hpp>
#include <fairstream/options.hpp>

namespace fairstream::command {

using nlohmann::ordered_json;

ordered_json counts_json(const FairnessTally& tally, int index) {
    ordered_json rows = ordered_json::array();
    for (ClusterId cluster = 0; cluster < tally.clusters(); ++cluster) {
        const std::span<const std::int64_t> counts = tally.counts(cluster, index);
        rows.push_back(std::vector<std::int64_t>(counts.begin(), counts.end()));
    }
    return rows;
}

ordered_json sizes_json(const FairnessTally& tally) {
    ordered_json sizes = ordered_json::array();
    for (ClusterId cluster = 0; cluster < tally.clusters(); ++cluster) sizes.push_back(tally.size(cluster));
    return sizes;
}

ordered_json attribute_json(const FairnessTally& tally, const Attribute& attribute, int index) {
    const AttributeFairness fairness = attribute_fairness(tally, index);
    return {{"attribute", attribute.name},
            {"groups", attribute.groups},
            {"balance", fairness.balance},
            {"average_balance", fairness.average_balance},
            {"best_balance", fairness.best_balance},
            {"cluster_balance", fairness.cluster_balance},
            {"demographic_parity_difference", fairness.demographic_parity_difference},
            {"worst_gap", fairness.worst_gap},
            {"kl_fairness_error", fairness.kl_fairness_error},
            {"cluster_dist_entropy", fairness.cluster_dist_entropy},
            {"cluster_balances", fairness.cluster_balances},
            {"group_shares", fairness.stream_shares},
            {"cluster_group_counts", counts_json(tally, index)}};
}

ordered_json figures_json(const wire::FairnessReport& figures) {
    ordered_json attributes = ordered_json::array();
    for (const wire::AttributeReport& attribute : figures.attributes) {
        attributes.push_back({{"attribute", attribute.attribute},
                              {"balance", attribute.balance},
                              {"average_balance", attribute.average_balance},
                              {"best_balance", attribute.best_balance},
                              {"cluster_balance", attribute.cluster_balance},
                              {"demographic_parity_difference", attribute.demographic_parity_difference},
                              {"worst_gap", attribute.worst_gap},
                              {"kl_fairness_error", attribute.kl_fairness_error},
                              {"cluster_dist_entropy", attribute.cluster_dist_entropy},
                              {"counts", attribute.counts}});
    }
    return {{"cost", figures.cost},    {"churn", figures.churn}, {"outcome", std::string(to_string(figures.outcome))},
            {"moves", figures.moves},  {"swaps", figures.swaps}, {"labelled", figures.points},
            {"attributes", attributes}};
}

ordered_json options_json(const ModelOptions& options) {
    ordered_json result = ordered_json::object();
    for (const OptionText& option : list_options(options)) {
        ordered_json value = ordered_json::parse(option.value, nullptr, false);
        result[option.name] = value.is_discarded() ? ordered_json(option.value) : std::move(value);
    }
    return result;
}

}  // namespace fairstream::command
