#include <fairstream/figures/score_figures.hpp>

#include <string>

#include <fairstream/files/cells/shown.hpp>

namespace fairstream::figures {

std::string missing_classes_text(const ScoreFairness& fairness) {
    const auto list = [](const std::vector<std::string>& groups) {
        std::string text;
        for (const std::string& group : groups) text += (text.empty() ? "" : ", ") + files::shown(group);
        return text;
    };
    const std::string positives = list(fairness.without_positives), negatives = list(fairness.without_negatives);
    return (positives.empty() ? "" : "eop and eod do not cover " + positives + " (no positives)") +
           (positives.empty() || negatives.empty() ? "" : "; ") +
           (negatives.empty() ? "" : "eod does not cover " + negatives + " (no negatives)");
}

}  // namespace fairstream::figures
