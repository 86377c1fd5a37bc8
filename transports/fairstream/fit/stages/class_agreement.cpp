#include <fairstream/fit/stages/class_agreement.hpp>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include <fairstream/text/numbers.hpp>
#include <fairstream/text/table.hpp>

namespace fairstream::fit {
namespace {

std::string use_of(const ClassAgreement& agreement) {
    return agreement.tau_scan.empty() ? "is compared with the labels; the fit does not use it"
                                      : "chooses tau, and is then compared with the labels: an oracle";
}

/// Returns 1 + the largest id; every id is at least -1.
template <class Id> std::size_t size_of(std::span<const Id> ids) {
    return ids.empty() ? 0 : static_cast<std::size_t>(*std::ranges::max_element(ids) + 1);
}

}  // namespace

ClassesById classes_by_id(const files::Table& table) {
    ClassesById classes;
    for (std::size_t row = 0; row < table.classes.size(); ++row)
        classes.set(table.ids[row], table.id_texts.empty() ? std::string_view() : table.id_texts[row],
                    table.classes[row]);
    return classes;
}

ClassAgreement agreement_with_classes(const std::string& column, std::span<const ClusterId> labels,
                                      std::span<const files::ClassId> classes, std::span<const double> weights) {
    ContingencyTable table(size_of(labels), size_of(classes));
    std::vector<bool> is_there(size_of(classes));
    for (std::size_t i = 0; i < labels.size(); ++i) {
        if (labels[i] == no_cluster) continue;
        is_there[classes[i]] = true;
        table.add(static_cast<std::size_t>(labels[i]), classes[i], weights.empty() ? 1 : weights[i]);
    }
    return {column, static_cast<std::size_t>(std::ranges::count(is_there, true)), label_agreement(table)};
}

void add_agreement(const ClassAgreement& agreement, nlohmann::ordered_json& json) {
    json["class_column"] = agreement.column;
    json["class_use"] = use_of(agreement);
    json["classes"] = agreement.classes;
    json["accuracy"] = agreement.figures.accuracy;
    json["nmi"] = agreement.figures.nmi;
    json["ari"] = agreement.figures.ari;
    json["purity"] = agreement.figures.purity;
    json["f1"] = agreement.figures.pairwise_f1;
    if (!agreement.tau_scan.empty()) add_tau_scan(agreement.tau_scan, json);
}

TextRows agreement_rows(const ClassAgreement& agreement) {
    const LabelAgreement& figures = agreement.figures;
    TextRows rows = {{"classes", std::to_string(agreement.classes),
                      "column " + files::shown(agreement.column) + " " + use_of(agreement)},
                     {"accuracy", fixed(figures.accuracy), "share of points whose cluster is matched to their class"},
                     {"nmi", fixed(figures.nmi), "normalised mutual information of clusters and classes"},
                     {"ari", fixed(figures.ari), "adjusted Rand index: 1 if equal, 0 expected by chance"},
                     {"purity", fixed(figures.purity), "share of points in the largest class of their cluster"},
                     {"f1", fixed(figures.pairwise_f1),
                      "F1 score of the pairs of points that share a cluster, against the pairs that share a class"}};
    if (!agreement.tau_scan.empty())
        for (TextRows::value_type& row : tau_scan_rows(agreement.tau_scan)) rows.push_back(std::move(row));
    return rows;
}

}  // namespace fairstream::fit
