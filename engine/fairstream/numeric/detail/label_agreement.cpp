#include <fairstream/numeric/label_agreement.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include <fairstream/numeric/assignment.hpp>

namespace fairstream {
namespace {

/// Sums of a table over rows, over columns, and over all. The total adds up the row sums, so it equals exactly the sum
/// of the only row or column that is not empty.
struct Margins {
    std::vector<double> rows, columns;
    double all = 0;

    explicit Margins(const Matrix& table) : rows(table.rows), columns(table.cols) {
        for (std::size_t l = 0; l < table.rows; ++l) {
            for (std::size_t j = 0; j < table.cols; ++j) {
                rows[l] += table.at(l, j);
                columns[j] += table.at(l, j);
            }
            all += rows[l];
        }
    }
};

/// Returns `part / whole`, at most 1: rounding may have put a part above the whole.
double share_of(double part, double whole) {
    return std::min(part / whole, 1.0);
}

double matched_weight(const Matrix& weights) {
    Matrix costs = weights;
    for (double& cost : costs.values) cost = -cost;
    const std::vector<std::optional<std::size_t>> class_of = cheapest_assignment(costs);
    double matched = 0;
    for (std::size_t l = 0; l < weights.rows; ++l)
        if (class_of[l]) matched += weights.at(l, *class_of[l]);
    return matched;
}

double weight_of_largest_classes(const Matrix& weights) {
    double sum = 0;
    for (std::size_t l = 0; l < weights.rows; ++l)
        sum += *std::max_element(weights.row(l), weights.row(l) + weights.cols);
    return sum;
}

double entropy(const std::vector<double>& weights, double all) {
    double sum = 0;
    for (const double weight : weights)
        if (weight > 0) sum -= weight / all * std::log(weight / all);
    return sum;
}

double mutual_information(const Matrix& weights, const Margins& margins) {
    double sum = 0;
    for (std::size_t l = 0; l < weights.rows; ++l)
        for (std::size_t j = 0; j < weights.cols; ++j)
            if (const double common = weights.at(l, j); common > 0)
                sum += common / margins.all *
                       (std::log(common / margins.rows[l]) - std::log(margins.columns[j] / margins.all));
    return sum;
}

double normalised_mutual_information(const Matrix& weights, const Margins& margins) {
    const double mean_entropy = (entropy(margins.rows, margins.all) + entropy(margins.columns, margins.all)) / 2;
    if (mean_entropy <= 0) return 1;
    return std::clamp(mutual_information(weights, margins) / mean_entropy, 0.0, 1.0);
}

/// The weights of pairs of points.
struct PairWeights {
    double together = 0;    ///< T: in one cluster and one class
    double in_cluster = 0;  ///< A
    double in_class = 0;    ///< B
    double all = 0;         ///< P
};

PairWeights pairs_of(const ContingencyTable& table, const Margins& weights) {
    const auto pairs = [](double weight, double unpaired) { return std::max(0.0, (weight * weight - unpaired) / 2); };
    const Margins unpaired(table.unpaired);
    PairWeights result;
    for (std::size_t i = 0; i < table.weights.values.size(); ++i)
        result.together += pairs(table.weights.values[i], table.unpaired.values[i]);
    for (std::size_t l = 0; l < weights.rows.size(); ++l) result.in_cluster += pairs(weights.rows[l], unpaired.rows[l]);
    for (std::size_t j = 0; j < weights.columns.size(); ++j)
        result.in_class += pairs(weights.columns[j], unpaired.columns[j]);
    result.all = pairs(weights.all, unpaired.all);
    return result;
}

/// Numerator and denominator are multiplied by 2 P, so that only the last step divides.
double adjusted_rand_index(const PairWeights& pairs) {
    const auto [t, a, b, p] = pairs;
    if (t == a && t == b) return 1;
    return 2 * (t * p - a * b) / (a * (p - b) + b * (p - a));
}

double pairwise_f1(const PairWeights& pairs) {
    const double found_and_sought = pairs.in_cluster + pairs.in_class;
    return found_and_sought > 0 ? share_of(2 * pairs.together, found_and_sought) : 1;
}

}  // namespace

void ContingencyTable::add(std::size_t cluster, std::size_t of_class, double weight) {
    weights.at(cluster, of_class) += weight;
    unpaired.at(cluster, of_class) += std::min(weight, weight * weight);
}

LabelAgreement label_agreement(const ContingencyTable& table) {
    const Margins margins(table.weights);
    if (margins.all <= 0) return {};
    const PairWeights pairs = pairs_of(table, margins);
    return {.accuracy = share_of(matched_weight(table.weights), margins.all),
            .nmi = normalised_mutual_information(table.weights, margins),
            .ari = adjusted_rand_index(pairs),
            .purity = share_of(weight_of_largest_classes(table.weights), margins.all),
            .pairwise_f1 = pairwise_f1(pairs)};
}

}  // namespace fairstream
