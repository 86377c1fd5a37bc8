#include <fairstream/command/fit/fit_help.hpp>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include <fairstream/command/console/help_text.hpp>
#include <fairstream/command/console/input_arguments.hpp>
#include <fairstream/fit/request/fit_options.hpp>
#include <fairstream/models.hpp>
#include <fairstream/options.hpp>

namespace fairstream::command {
namespace {

const ModelKind* find_kind(std::string_view model) {
    for (const ModelKind* kind : model_kinds())
        if (kind->name() == model) return kind;
    return nullptr;
}

bool clusters(const ModelKind& kind) {
    return kind.outputs() == OutputKind::labels;
}
bool predicts(const ModelKind& kind) {
    return kind.outputs() == OutputKind::predictions;
}
bool learns(const ModelKind& kind) {
    return kind.outputs() == OutputKind::scores || predicts(kind);
}

bool has_option(const ModelKind& kind, std::string_view name) {
    return std::ranges::count(kind.list_options(kind.default_options()), name, &OptionText::name) > 0;
}

/// Returns a line on what the model does. For a model without such a description, the line names only its output.
std::string purpose(const ModelKind& kind) {
    if (const std::string_view purpose = kind.about().purpose; !purpose.empty()) return std::string(purpose);
    switch (kind.outputs()) {
        case OutputKind::labels:
            return "Cluster points";
        case OutputKind::scores:
            return "Learn a score of a class";
        case OutputKind::predictions:
            return "Predict a number";
        default:
            return "Measure points";
    }
}

bool takes_flag(const ModelKind& kind, const std::string& flag) {
    using ModelPredicate = bool (*)(const ModelKind&);
    static const std::map<std::string, ModelPredicate> few{
        {"--clusters", [](const ModelKind& k) { return has_option(k, "clusters"); }},
        {"--seed", [](const ModelKind& k) { return has_option(k, "seed") || learns(k); }},
        {"--refine-rounds", [](const ModelKind& k) { return k.is_refinable(); }},
        {"--labels", clusters},
        {"--with", clusters},
        {"--clusters-csv", clusters},
        {"--probabilities", [](const ModelKind& k) { return k.has_memberships(); }},
        {"--scores", learns},
        {"--split", learns},
        {"--positive", [](const ModelKind& k) { return !clusters(k); }},
        {"--curve", [](const ModelKind& k) { return has_option(k, predicts(k) ? "means" : "kappa"); }},
        {"--plot", [](const ModelKind& k) { return has_option(k, predicts(k) ? "means" : "kappa"); }},
        {"--weight", [](const ModelKind& k) { return k.takes_weights(); }},
        {"--network", predicts},
        {"--train", predicts},
        {"--save-network", predicts},
        {"--densities", predicts},
        {"--standardise", [](const ModelKind& k) { return k.outputs() != OutputKind::none; }},
        {"--unit-range", [](const ModelKind& k) { return k.outputs() != OutputKind::none; }},
        {"--unit-rows", [](const ModelKind& k) { return k.outputs() != OutputKind::none; }},
        {"--edges", [](const ModelKind& k) { return k.takes_graphs(); }},
        {"--nodes", [](const ModelKind& k) { return k.takes_graphs(); }},
    };
    const auto found = few.find(flag);
    return found == few.end() || found->second(kind);
}

/// Adapts the help of the options whose meaning depends on the kind of model.
void describe_flags(CLI::App& fit, const ModelKind& kind) {
    const auto describe = [&](const std::string& flag, const std::string& text) {
        fit.get_option(flag)->description(text);
    };
    describe(
        "--target",
        learns(kind) ? "column that is learned, a number; it is no feature. A scorer takes values above 0 as yes"
        : clusters(kind)
            ? "column of the true classes, of any text. The model never sees it; the report compares the labels with it"
            : "column of the outcomes; values above 0 are positive. It is no feature");
    if (&kind == &kind_of(safairkm::Options{}))
        describe("--group", "columns of protected attributes, such as sex [none: plain k-means]");
    describe(
        "--batch",
        std::string("points per batch; the model updates after each batch ") +
            (kind.about().solves_window || predicts(kind) ? "[all]" : "[" + std::to_string(fit::usual_batch) + "]"));
    if (!learns(kind)) {
        describe("--seed", "seed of the model [1]");
        describe("--standardise", "scale features to mean 0 and standard deviation 1 over the whole file");
        describe("--unit-range", "scale features to [0, 1], by their least and greatest value over the whole file");
    }
    if (!predicts(kind)) return;
    describe("--standardise",
             "scale features to mean 0 and standard deviation 1, over the whole file or the training part of --split, "
             "for a --network that expects such features. A network that is trained here scales them itself");
    describe("--refine-rounds", "epochs of further training of the network at the end [0]");
    describe("--scores", "write id,part,prediction of all points");
    describe("--curve",
             "repeat the adjustment with each of these values of the option 'means', and compare with the unadjusted "
             "network [" +
                 std::string(fit::usual_means_curve) + "]");
}

std::string options_help(const ModelKind& kind) {
    std::string common, of_paper;
    for (const OptionText& option : kind.list_options(kind.default_options())) {
        if (option.name == "clusters" || option.name == "seed") continue;  // flags of the command set these
        (option.effect.of_paper ? of_paper : common) +=
            help_line(option.name + "=" + option.value, option.help + " (" + option.range + ")");
    }
    std::string text =
        "\nOptions of " + std::string(kind.name()) + " and their defaults, for --set KEY=VALUE:\n" + common;
    if (!of_paper.empty()) text += "\nOptions that only reproduce experiments of the paper:\n" + of_paper;
    return text;
}

std::string figures_help(const ModelKind& kind) {
    const ModelAbout& about = kind.about();
    std::string text = "\nFigures of " + std::string(kind.name()) + ":\n" + help_line("cost", about.cost);
    for (const FigureText& figure : about.figures)
        text += help_line(figure.name, std::string(figure.meaning) +
                                           (figure.unit.empty() ? "" : " (" + std::string(figure.unit) + ")"));
    return text;
}

constexpr std::string_view attributes_help =
    "\nAn attribute is given by its name, or by its place in --group, from 0. A list by attribute has one value for "
    "each balanced attribute. A list by group has one value for each group of these attributes, attribute by "
    "attribute. The groups of a column are sorted: as numbers where all are integers, otherwise byte by byte (female, "
    "male). The report lists them in this order.\n";

constexpr std::string_view classes_help =
    "\nWith --target, the report compares the labels of the retained points with the true classes: accuracy "
    "(clusters and classes matched one to one), nmi (normalised mutual information), ari (adjusted Rand index), purity "
    "(each cluster given its largest class) and f1 (over pairs of points).\n";

constexpr std::string_view tau_help =
    "\n--set tau=scan --target COL is an oracle: it tries tau = 0, 0.01, ..., 1 and keeps the tau whose labels agree "
    "best with the true classes. It shows what the best tau could give; the report names it as such.\n";

constexpr std::string_view bounds_help =
    "\nA difference is within its bound if it is at most the bound. It has left the bound if its whole 95 % interval "
    "is above the bound. If the difference is above the bound but part of the interval is not, the result is "
    "unclear.\n";

constexpr std::string_view networks_help =
    "\nAll training points are taken at once: unless you set the option 'start_after', it is the number of these "
    "points. The network is trained once, without rounds of improvement. A network file lists the layers from the "
    "first to the last. 'weights' has a row for each output. 'activation' is identity, relu, tanh or sigmoid; the last "
    "layer has identity:\n"
    "  {\"layers\": [{\"weights\": [[0.5, -1], [0, 2]], \"bias\": [0, 0.25], \"activation\": \"relu\"}, ...]}\n"
    "A path after @ or --network is relative to the current directory. To predict with a saved network "
    "(--save-network) unchanged, give --network FILE --set refits=no --set means=1.\n";

constexpr std::string_view batches_help =
    "A scale that follows the points (first:N, range:N, running, range) is computed batch by batch (--batch), as on a "
    "stream.\n";

std::string exit_codes_help(bool can_miss) {
    return "\nCtrl-C (SIGINT) or SIGTERM stops the fit: the best result so far is written and reported as stopped. A "
           "second Ctrl-C ends the command at once, with nothing written. While the file is still being read, the "
           "first Ctrl-C already ends the command, with nothing written.\n"
           "\nExit codes: 0 done; 1 failed or stopped; 2 wrong use or bad input; " +
           std::string(can_miss ? "3 done and written, but a target is missed or a bounded figure left its bound; 4 "
                                  "done and written, and no target is missed, but a target leaves out rare groups or a "
                                  "bounded figure was measured only in part; "
                                : "") +
           "130 interrupted by SIGINT and 143 by SIGTERM, with nothing written.\n";
}

std::string model_footer(const ModelKind& kind) {
    const std::string_view examples = kind.about().examples;
    return options_help(kind) + figures_help(kind) + std::string(has_option(kind, "attribute") ? attributes_help : "") +
           std::string(clusters(kind) ? classes_help : "") +
           std::string(&kind == &kind_of(lord::Options{}) ? tau_help : "") +
           std::string(predicts(kind) ? networks_help : "") +
           std::string(has_option(kind, "parity_difference_at_most") ? bounds_help : "") + stream_help() +
           std::string(batches_help) + generators_help() + (kind.takes_graphs() ? graphs_help() : "") +
           exit_codes_help(clusters(kind) || kind.outputs() == OutputKind::none || has_option(kind, "kappa") ||
                           has_option(kind, "ks_at_most")) +
           (examples.empty() ? "" : "\nExample:\n" + std::string(examples));
}

std::string models_footer() {
    std::string text =
        "\nModels (fairstream fit MODEL --help shows the options, figures and examples of one model; this page shows "
        "what all models take):\n";
    for (const ModelKind* kind : model_kinds()) text += help_line(kind->name(), purpose(*kind));
    return text + stream_help() + std::string(batches_help) + generators_help() + graphs_help() +
           exit_codes_help(true) +
           "\nExample:\n  fairstream fit safairkm --generate loans --points 5000 --clusters 8\n"
           "  fairstream fit safairkm --help\n";
}

}  // namespace

void adapt_fit_help(CLI::App& fit, const std::string& model) {
    const ModelKind* const named = find_kind(model);
    const auto kinds = named == nullptr ? model_kinds() : std::vector<const ModelKind*>{named};
    for (CLI::Option* option : fit.get_options()) {
        const std::string flag = option->get_name();
        if (!std::ranges::all_of(kinds, [&](const ModelKind* kind) { return takes_flag(*kind, flag); }))
            option->group("");
    }
    if (named == nullptr) {
        fit.footer(models_footer());
        return;
    }
    const bool measures = !clusters(*named) && !learns(*named);
    fit.description(purpose(*named) + "\n\n" +
                    (measures ? "All points of a file are measured at once; fairstream serve measures a stream."
                              : "The model is fitted to a file, with a report on how well it fits; fairstream serve "
                                "keeps it up to date on a stream."));
    CLI::Option* const positional = fit.get_option("model");
    positional->type_name(model)->description("the model of this page; fairstream fit --help lists all models");
    describe_flags(fit, *named);
    fit.footer(model_footer(*named));
}

}  // namespace fairstream::command
