#include <array>

#include <fairstream/models/esvd_fair/detail/model.hpp>
#include <fairstream/models/esvd_fair/detail/options.hpp>
#include <fairstream/models/model_adapter.hpp>

namespace fairstream::esvd_fair {
namespace {

constexpr std::array figure_texts{
    FigureText{"mse_before", "",
               "mean squared error of the network as given, when it was solved last; 0 without targets"},
    FigureText{"mse_after", "", "the same of the network as adjusted"},
    FigureText{"ks_before", "", "largest KS distance of two groups by the network as given, when it was solved last"},
    FigureText{"ks_after", "", "the same of the network as adjusted"},
    FigureText{"held_back_ks", "", "KS distance of the points held back when limits were chosen for a wish"},
    FigureText{"c_e", "", "limit of the squared gap of the mean outputs that was taken"},
    FigureText{"c_v", "", "limit of the squared gap of the variances that was taken; none where they stay", false,
               true},
    FigureText{"means", "", "that limit in parts of the gap before"},
    FigureText{"spreads", "", "limit of the gap of variances in parts of the gap before", false, true},
    FigureText{"inputs", "", "limit of the gap of the means of the network's own inputs, likewise", false, true},
    FigureText{"left", "", "1: the network is as it was given, since its adjustment brought groups no nearer"},
    FigureText{"solves", "count", "solutions since the start", false, true},
    FigureText{"alarms", "count", "of those, solved since the stream had changed"},
    FigureText{"since_solved", "points", "that came since the last solution", false, true},
};

}  // namespace

const ModelAbout Model::about{
    .purpose = "Predict a number by a network whose predictions are distributed alike in all groups",
    .cost = "mean squared error of the retained points when it was solved last",
    .start = "start_after points",
    .figures = figure_texts,
    .examples =
        "  fairstream fit esvd_fair --generate loan_decisions --points 1000 --split 0.7,0.3 \\\n"
        "      --save-network fair.json\n"
        "  fairstream fit esvd_fair --input communities.csv.gz --group group --target target \\\n"
        "      --split 0.7,0.15,0.15 --densities densities.html --save-network fair.json\n"};

const ModelKind& kind_of(const Options&) {
    return kind_of_model<Model>();
}

}  // namespace fairstream::esvd_fair
