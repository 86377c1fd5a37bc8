#include <array>
#include <string>

#include <fairstream/models/esvd_fair/detail/model.hpp>
#include <fairstream/models/esvd_fair/detail/options.hpp>
#include <fairstream/models/model_adapter.hpp>

namespace fairstream::esvd_fair {
namespace {

constexpr std::array figure_texts{
    FigureText{"mse_before", "", "mean squared error before adjustment, at the last solve; 0 without targets"},
    FigureText{"mse_after", "", "mean squared error after adjustment, at the last solve; 0 without targets"},
    FigureText{"ks_before", "", "largest KS distance between two groups before adjustment, at the last solve"},
    FigureText{"ks_after", "", "largest KS distance between two groups after adjustment, at the last solve"},
    FigureText{"held_back_ks", "", "KS distance on the points held back to choose the limits for ks_at_most"},
    FigureText{
        "aimed_ks", "",
        "KS distance aimed for on the held-back points: ks_at_most minus a margin for new points; 0: groups too small"},
    FigureText{"c_e", "", "limit on the squared gap between the groups' mean outputs"},
    FigureText{"c_v", "", "limit on the squared gap between the groups' variances; missing if spreads is 1", false,
               true},
    FigureText{"means", "", "limit on the squared gap between mean outputs, as a share of the unadjusted one"},
    FigureText{"spreads", "", "limit on the squared gap between variances, as a share of the unadjusted one", false,
               true},
    FigureText{"inputs", "",
               "limit on the squared gap between the means of the network's inputs, as a share of the unadjusted one",
               false, true},
    FigureText{"left", "",
               "1: the network was left unadjusted, because adjustment brought the groups no nearer and lowered no "
               "error; 0: adjusted"},
    FigureText{"solves", "count", "solves since the start", false, true},
    FigureText{"alarms", "count", "solves triggered by a detected change of the stream"},
    FigureText{"since_solved", "points", "points that arrived since the last solve", false, true},
};

// `ks_at_most` comes first: while it is set, every solve is a search.
constexpr NetworkUse::Setting unadjusted[] = {
    {"ks_at_most", "1"}, {"refits", "no"}, {"inputs", "1"}, {"spreads", "1"}, {"means", "1"}};

}  // namespace

const ModelAbout Model::about{
    .purpose = "Predict a number with a network whose predictions have similar distributions in all groups",
    .cost = "mean squared error on the retained points at the last solve",
    .start = "start_after points",
    .figures = figure_texts,
    .examples =
        "  fairstream fit esvd_fair --generate loan_decisions --points 1000 --split 0.7,0.3 \\\n"
        "      --save-network fair.json\n"
        "  fairstream fit esvd_fair --input communities.csv.gz --group group --target target \\\n"
        "      --split 0.7,0.15,0.15 --densities densities.html --save-network fair.json\n"};

NetworkUse Model::network_use(const Options& options) {
    NetworkUse use{.ks_at_most = options.ks_at_most, .unadjusted = unadjusted};
    if (options.network.has_value()) {
        use.given = &*options.network;
        use.solved_inputs = use.given->layers.back().weights.cols;
    } else {
        use.training = "hidden layers " + number_text(options.hidden) + ", " + std::to_string(options.epochs) +
                       (options.epochs == 1 ? " epoch" : " epochs");
        use.solved_inputs = static_cast<std::size_t>(options.hidden[options.hidden.size() - 1]);
    }
    return use;
}

const ModelKind& kind_of(const Options&) {
    return kind_of_model<Model>();
}

}  // namespace fairstream::esvd_fair
