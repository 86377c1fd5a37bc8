#include <fairstream/fit/front/front_model.hpp>

#include <charconv>
#include <utility>

#include <nlohmann/json.hpp>

#include <fairstream/config/settings.hpp>
#include <fairstream/figures/json.hpp>
#include <fairstream/fit/front/front.hpp>
#include <fairstream/models/fair_spectral/front.hpp>
#include <fairstream/models/safairkm/front.hpp>
#include <fairstream/text/numbers.hpp>
#include <fairstream/text/table.hpp>

namespace fairstream::fit {
namespace {

using nlohmann::ordered_json;

safairkm::UpdatePair read_pair(const std::string& text) {
    safairkm::UpdatePair pair;
    const auto read = [](std::string_view part, std::int64_t& value) {
        const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
        return error == std::errc() && end == part.data() + part.size();
    };
    const std::string_view view = text;
    const std::size_t colon = view.find(':');
    if (colon == view.npos || !read(view.substr(0, colon), pair.kmeans_updates) ||
        !read(view.substr(colon + 1), pair.swaps))
        throw InvalidInput(Reason::bad_option, "--pairs " + text + ": must be N_A:N_B, two whole numbers");
    return pair;
}

void refuse_foreign_settings(const FrontOptions& options) {
    for (const std::string& setting : options.settings)
        for (const auto& [name, instead] :
             {std::pair("kmeans_updates", "use --pairs"), std::pair("swaps", "use --pairs"),
              std::pair("starts", "use --starts"), std::pair("balance_at_least", "use --pick"),
              std::pair("parity_at_least", "use --measure parity and --pick"),
              std::pair("share_delta", "a front takes no bounds on shares"),
              std::pair("share_at_least", "a front takes no bounds on shares"),
              std::pair("share_at_most", "a front takes no bounds on shares"),
              std::pair("size_at_least", "a front takes no bounds on sizes"),
              std::pair("size_at_most", "a front takes no bounds on sizes"), std::pair("attribute", "use --attribute"),
              std::pair("clusters", "use --clusters"), std::pair("seed", "use --seed"),
              std::pair("change_price", "has no effect, as a front makes only one step"),
              std::pair("fresh_every", "has no effect, as a front makes only one step"),
              std::pair("effort", "use --rounds and --stages")})
            if (setting.starts_with(std::string(name) + "="))
                throw InvalidInput(Reason::bad_option, "--set " + setting + ": " + instead);
}

FrontMeasure measure_of(const FrontOptions& options) {
    if (options.measure != "balance" && options.measure != "parity")
        throw InvalidInput(Reason::bad_option, "--measure " + options.measure + ": must be balance or parity");
    return options.measure == "parity" ? FrontMeasure::parity : FrontMeasure::balance;
}

/// Sets the options that all searches share from the command line.
template <class Options> void take_options(const FrontOptions& options, Options& front) {
    refuse_foreign_settings(options);
    ModelOptions model = front.model;
    config::apply_settings(model, options.settings);
    front.model = model.get<decltype(front.model)>();
    front.measure = measure_of(options);
    const auto set = [](const auto& given, auto& value) {
        if (given) value = static_cast<std::remove_cvref_t<decltype(value)>>(*given);
    };
    set(options.clusters, front.model.clusters);
    set(options.starts, front.model.starts);
    set(options.seed, front.model.seed);
    set(options.stages, front.stages);
    set(options.rounds, front.rounds);
    set(options.limit, front.point_limit);
    set(options.gap, front.gap);
}

template <class Options> void add_limits(const Options& front, ordered_json& json) {
    json["rounds_limit"] = front.rounds;
    json["stages"] = front.stages;
    json["point_limit"] = front.point_limit;
    json["gap"] = front.gap;
}

class KMeansFront final : public FrontModel {
public:
    explicit KMeansFront(const FrontOptions& options) {
        take_options(options, front_);
        if (options.iterations) front_.iterations = static_cast<int>(*options.iterations);
        if (!options.pairs.empty()) front_.pairs.clear();
        for (const std::string& pair : options.pairs) front_.pairs.push_back(read_pair(pair));
    }
    [[nodiscard]] std::string cost_name() const override { return "cost"; }
    [[nodiscard]] std::string cost_meaning() const override { return "mean squared distance to the cluster means"; }
    [[nodiscard]] bool takes_graphs() const override { return false; }
    [[nodiscard]] ClusterTargets targets() const override { return targets_of(front_.model); }
    [[nodiscard]] ModelOptions options() const override { return front_.model; }
    void balance(const OneOrMore<int>& attributes) override { front_.model.targets.attribute = attributes; }
    void check(const StreamFormat& format) const override { safairkm::check(front_, format); }
    [[nodiscard]] std::vector<LeftOutGroup> left_out(const FrontInput& input) const override {
        return safairkm::left_out_groups(front_, *input.window);
    }
    [[nodiscard]] Front find(const FrontInput& input, int threads, const FrontWatch& watch,
                             const OnProgress& on_work) const override {
        return safairkm::find_front(front_, *input.window, threads, watch, on_work);
    }
    [[nodiscard]] std::string text(const FrontProgress& progress) const override {
        return progress.round == 0 ? "starts " + counted(progress.starts) + " of " + counted(front_.model.starts)
                                   : "round " + counted(progress.round);
    }
    [[nodiscard]] ordered_json options_json(std::span<const Attribute> attributes) const override {
        return figures::options_json(front_.model, attributes);
    }
    [[nodiscard]] ordered_json search_json() const override {
        ordered_json json = {{"pairs", ordered_json::array()}, {"iterations_per_pair", front_.iterations}};
        for (const safairkm::UpdatePair& pair : front_.pairs)
            json["pairs"].push_back({pair.kmeans_updates, pair.swaps});
        add_limits(front_, json);
        return json;
    }

private:
    safairkm::FrontOptions front_;
};

class CutFront final : public FrontModel {
public:
    explicit CutFront(const FrontOptions& options) {
        take_options(options, front_);
        for (const auto& [option, given] : {std::pair("--pairs", !options.pairs.empty()),
                                            std::pair("--iterations-per-pair", options.iterations.has_value())})
            if (given)
                throw InvalidInput(Reason::bad_option, std::string(option) + " is for " +
                                                           std::string(model_name(safairkm::Options{})) + ": " +
                                                           std::string(name()) + " has no pairs");
    }
    [[nodiscard]] std::string cost_name() const override { return "normalised_cut"; }
    [[nodiscard]] std::string cost_meaning() const override {
        return "share of a cluster's edge weight that leaves it, summed over clusters";
    }
    [[nodiscard]] bool takes_graphs() const override { return true; }
    [[nodiscard]] ClusterTargets targets() const override { return targets_of(front_.model); }
    [[nodiscard]] ModelOptions options() const override { return front_.model; }
    void balance(const OneOrMore<int>& attributes) override { front_.model.targets.attribute = attributes; }
    void check(const StreamFormat& format) const override { fair_spectral::check(front_, format); }
    [[nodiscard]] std::vector<LeftOutGroup> left_out(const FrontInput& input) const override {
        return left_out_groups(front_, group_totals(input.table(), input.format.attributes));
    }
    [[nodiscard]] Front find(const FrontInput& input, int threads, const FrontWatch& watch,
                             const OnProgress& on_work) const override {
        if (input.window) return find_front(front_, *input.window, threads, watch, on_work);
        return find_front(front_, input.graph, input.format.attributes, input.groups, threads, watch, on_work);
    }
    [[nodiscard]] std::string text(const FrontProgress& progress) const override {
        return progress.round == 0 ? "stages " + counted(progress.stages) + " of " + counted(front_.stages)
                                   : "round " + counted(progress.round);
    }
    [[nodiscard]] ordered_json options_json(std::span<const Attribute> attributes) const override {
        return figures::options_json(front_.model, attributes);
    }
    [[nodiscard]] ordered_json search_json() const override {
        ordered_json json;
        add_limits(front_, json);
        return json;
    }

private:
    fair_spectral::FrontOptions front_;
};

}  // namespace

std::vector<std::string> front_model_names() {
    return {std::string(model_name(safairkm::Options{})), std::string(model_name(fair_spectral::Options{}))};
}

std::unique_ptr<FrontModel> front_model(const FrontOptions& options) {
    if (options.model == model_name(safairkm::Options{})) return std::make_unique<KMeansFront>(options);
    if (options.model == model_name(fair_spectral::Options{})) return std::make_unique<CutFront>(options);
    std::string others;
    for (const std::string& name : front_model_names()) others += (others.empty() ? "" : " or ") + name;
    throw InvalidInput(Reason::unknown_model, "model '" + options.model + "' has no fronts: use " + others);
}

}  // namespace fairstream::fit
