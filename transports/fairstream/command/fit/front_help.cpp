#include <fairstream/command/fit/front_help.hpp>

#include <string_view>

#include <fairstream/command/console/input_arguments.hpp>
#include <fairstream/models.hpp>
#include <fairstream/options.hpp>

namespace fairstream::command {
namespace {

constexpr std::string_view end_help =
    "\nCtrl-C (SIGINT) or SIGTERM ends the search; what was found until then is written, with exit code 1. A second "
    "Ctrl-C ends the command at once. A front that is straight or curved inwards has no knee. If the front has no "
    "point for --pick, the command says so at its end, with exit code 2.\n\nExit codes: 0 done; 1 failed or stopped; 2 "
    "wrong use or bad input, or no point for --pick; 130 interrupted by SIGINT and 143 by SIGTERM, with nothing "
    "written.\n";

constexpr std::string_view kmeans_examples =
    "  fairstream front --generate loans --points 1000 --clusters 4 --pick knee\n"
    "  fairstream front --input adult.csv.gz --features age,education_num,hours_per_week --group sex \\\n"
    "      --clusters 10 --standardise --plot front.html --pick 'balance>=0.3' --labels labels.csv\n"
    "  fairstream front --input raw.csv --config engine.toml --weight w --clusters 8\n";

constexpr std::string_view cut_examples =
    "  fairstream front fair_spectral --generate elliptical --points 200 --clusters 2 --stages 8\n"
    "  fairstream front fair_spectral --edges edges.csv --nodes nodes.csv --group sex --clusters 10 \\\n"
    "      --csv front.csv\n";

}  // namespace

void adapt_front_help(CLI::App& front, const std::string& model) {
    const bool means = model == model_name(safairkm::Options{}), cut = model == model_name(fair_spectral::Options{});
    front.footer(stream_help() + "All points come at once, so scale = \"running\" uses the whole file.\n" +
                 generators_help() + (means ? "" : graphs_help()) + std::string(end_help) + "\nExample:\n" +
                 std::string(cut ? "" : kmeans_examples) + std::string(means ? "" : cut_examples));
    if (!means && !cut) return;
    for (const char* const flag : {"--pairs", "--iterations-per-pair"})
        if (cut) front.get_option(flag)->group("");
    for (const char* const flag : {"--edges", "--nodes"})
        if (means) front.get_option(flag)->group("");
    front.description(means ? "Find the whole trade-off between the cost and the balance of k-means over a file"
                            : "Find the whole trade-off between normalised cut and balance over a file or a graph");
    front.get_option("model")->type_name(model)->required()->description(
        "the model of this page; fairstream front --help shows both models");
    front.get_option("--stages")
        ->description(means ? "number of balances that each start passes through; 0 (as in the paper): none [128]"
                            : "number of balances that are searched [64]");
    front.get_option("--pick")->description(
        "point to choose: knee, balance>=X or parity>=X (the cheapest such point), " +
        std::string(means ? "cost" : "normalised_cut") + "<=X (the fairest such point)");
}

}  // namespace fairstream::command
