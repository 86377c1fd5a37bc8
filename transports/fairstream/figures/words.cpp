#include <fairstream/figures/words.hpp>

#include <algorithm>

#include <fairstream/fairness/group_metrics.hpp>
#include <fairstream/fairness/measures.hpp>
#include <fairstream/fairness/prediction_fairness.hpp>
#include <fairstream/fairness/score_figures.hpp>
#include <fairstream/figures/word_table.hpp>
#include <fairstream/models.hpp>
#include <fairstream/models/model_kind.hpp>
#include <fairstream/text/numbers.hpp>

namespace fairstream::figures {
namespace {

/// Adds a word unless its name is taken: the table's words come before the engine's.
void add(std::vector<Word>& words, std::string name, std::string_view type, std::string meaning) {
    if (std::ranges::count(words, name, &Word::name) == 0)
        words.push_back({std::move(name), std::string(type), std::move(meaning)});
}

template <class Table> void add_table(std::vector<Word>& words, const Table& table) {
    for (const auto& figure : table) add(words, std::string(figure.name), figure.type, std::string(figure.meaning));
}

void add_figures_of_models(std::vector<Word>& words) {
    for (const ModelKind* kind : model_kinds())
        for (const FigureText& figure : kind->about().figures)
            add(words, std::string(figure.name), "number?",
                (figure.unit.empty() ? "" : std::string(figure.unit) + ": ") + std::string(figure.meaning) + " (" +
                    std::string(kind->name()) + ")");
}

/// Returns the rate's short name, as tables show it, in brackets: " (TPR)".
std::string short_name(std::string_view rate) {
    if (rate == "true_positive_rate") return " (TPR)";
    if (rate == "false_positive_rate") return " (FPR)";
    return rate == "false_negative_rate" ? " (FNR)" : "";
}

void add_figures_of_groups(std::vector<Word>& words) {
    for (const std::string_view name : group_rate_names) {
        const std::string rate(name);
        add(words, rate, "share?",
            words_of(name) + short_name(name) + " of the group; null: no point to measure it on");
        add(words, rate + "_interval", "[share]?", "95 % confidence interval of the " + words_of(name));
        add(words, rate + "_of", "integer", "number of points that the " + words_of(name) + " is measured on");
        add(words, rate + "_compared", "yes/no",
            "whether differences and ratios include the " + words_of(name) +
                "; no: too few points, or points whose group is unknown");
    }
    for (const NamedComparison& of : group_comparisons) {
        const std::string name(of.name), meaning(of.meaning);
        add(words, name + "_difference", "number?", "largest minus smallest " + meaning);
        add(words, name + "_interval", "[number]?",
            "95 % confidence interval of the " + words_of(of.name) + " difference");
        add(words, name + "_ratio", "number?", "smallest over largest " + meaning);
        add(words, name + "_groups", "integer", "number of groups compared");
        add(words, name + "_missing", "[object missing_rate]",
            "missing rates: the difference is then a lower bound, and the ratio an upper bound");
        add(words, "largest_" + name + "_difference", "number?",
            "largest " + words_of(of.name) + " difference of all attributes and intersections");
        add(words, "largest_" + name + "_complete", "yes/no",
            "whether every difference was measured from the rates of all its groups; no: the largest difference is a "
            "lower bound");
    }
}

std::vector<Word> all_words() {
    std::vector<Word> words;
    for (const WordText& word : word_table()) add(words, std::string(word.name), word.type, std::string(word.meaning));
    add_table(words, cluster_figures);
    add_table(words, score_figures);
    add_table(words, prediction_figures);
    add_figures_of_models(words);
    add_figures_of_groups(words);
    std::ranges::sort(words, {}, &Word::name);
    return words;
}

}  // namespace

const std::vector<Word>& words() {
    static const std::vector<Word> all = all_words();
    return all;
}

const Word* find_word(std::string_view name) {
    const auto found = std::ranges::find(words(), name, &Word::name);
    return found == words().end() ? nullptr : &*found;
}

}  // namespace fairstream::figures
