/// Agreement of clusters with classes.

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include <fairstream/numeric/draws.hpp>
#include <fairstream/numeric/label_agreement.hpp>

namespace fairstream::test {
namespace {

using Ids = std::vector<std::size_t>;

std::size_t number_of(const Ids& labels) {
    return labels.empty() ? 0 : 1 + *std::ranges::max_element(labels);
}

ContingencyTable table_of(const Ids& clusters, const Ids& classes, const std::vector<double>& weights = {}) {
    ContingencyTable table(number_of(clusters), number_of(classes));
    for (std::size_t i = 0; i < clusters.size(); ++i)
        table.add(clusters[i], classes[i], weights.empty() ? 1 : weights[i]);
    return table;
}

void expect_agreement(const LabelAgreement& found, const LabelAgreement& expected, double within = 1e-12) {
    EXPECT_NEAR(found.accuracy, expected.accuracy, within);
    EXPECT_NEAR(found.nmi, expected.nmi, within);
    EXPECT_NEAR(found.ari, expected.ari, within);
    EXPECT_NEAR(found.purity, expected.purity, within);
    EXPECT_NEAR(found.pairwise_f1, expected.pairwise_f1, within);
}

Ids random_ids(Draws& draws, std::size_t n, std::uint32_t most) {
    Ids labels(n);
    for (std::size_t& label : labels) label = draws.below(most);
    return labels;
}

/// The figures by their definitions, over single points and over all pairs of them. A point of weight w above 1 makes
/// w (w - 1) / 2 pairs with itself.
LabelAgreement by_definition(const Ids& clusters, const Ids& classes, const std::vector<double>& weights) {
    const std::size_t k = number_of(clusters), c = number_of(classes), sides = std::max(k, c);
    const double n = std::accumulate(weights.begin(), weights.end(), 0.0);
    std::map<std::pair<std::size_t, std::size_t>, double> common;
    std::map<std::size_t, double> of_cluster, of_class;
    double together = 0, in_cluster = 0, in_class = 0, all = 0;
    for (std::size_t i = 0; i < clusters.size(); ++i) {
        common[{clusters[i], classes[i]}] += weights[i];
        of_cluster[clusters[i]] += weights[i], of_class[classes[i]] += weights[i];
        for (std::size_t h = 0; h <= i; ++h) {
            const double pair = h < i ? weights[h] * weights[i] : std::max(0.0, weights[i] * (weights[i] - 1) / 2);
            const bool one_cluster = clusters[h] == clusters[i], one_class = classes[h] == classes[i];
            all += pair;
            if (one_cluster) in_cluster += pair;
            if (one_class) in_class += pair;
            if (one_cluster && one_class) together += pair;
        }
    }
    LabelAgreement result;
    Ids class_of(sides);
    std::iota(class_of.begin(), class_of.end(), std::size_t{0});
    result.accuracy = 0;
    do {
        double right = 0;
        for (std::size_t l = 0; l < k; ++l) right += common[{l, class_of[l]}];
        result.accuracy = std::max(result.accuracy, right / n);
    } while (std::ranges::next_permutation(class_of).found);
    double information = 0, entropies = 0;
    for (const auto& [pair, weight] : common)
        if (weight > 0)
            information += weight / n * std::log(n * weight / (of_cluster[pair.first] * of_class[pair.second]));
    for (const auto& [cluster, weight] : of_cluster) entropies -= weight / n * std::log(weight / n);
    for (const auto& [j, weight] : of_class) entropies -= weight / n * std::log(weight / n);
    result.nmi = entropies > 0 ? 2 * information / entropies : 1;
    const double expected = all > 0 ? in_cluster * in_class / all : 0, most = (in_cluster + in_class) / 2;
    result.ari = most - expected > 1e-12 * most ? (together - expected) / (most - expected) : 1;
    result.purity = 0;
    for (const auto& [cluster, weight] : of_cluster) {
        double largest = 0;
        for (const auto& [j, unused] : of_class) largest = std::max(largest, common[{cluster, j}]);
        result.purity += largest / n;
    }
    result.pairwise_f1 = most > 0 ? together / most : 1;
    return result;
}

// Of scikit-learn 1.2.1: normalized_mutual_info_score, adjusted_rand_score, for F1 pair_confusion_matrix, for accuracy
// contingency_matrix and scipy's linear_sum_assignment, for purity the largest entries of contingency_matrix.
TEST(LabelAgreement, IsThatOfScikitLearn) {
    const auto found = [](const Ids& clusters, const Ids& classes) {
        return label_agreement(table_of(clusters, classes));
    };
    expect_agreement(found({0, 0, 0, 1, 1, 1, 2, 2, 2, 2}, {0, 0, 1, 1, 1, 1, 2, 2, 0, 2}),
                     {0.8, 0.6180656462921542, 0.4318181818181818, 0.8, 0.5833333333333334});
    expect_agreement(found({0, 1, 1, 2, 3, 3, 3, 4, 0, 1}, {1, 1, 1, 0, 0, 0, 1, 0, 1, 0}),
                     {0.4, 0.2832100256324102, -0.0106951871657754, 0.8, 0.2222222222222222});
    expect_agreement(found({0, 0, 0, 0, 1, 1, 1, 1}, {0, 1, 2, 3, 0, 1, 2, 3}),
                     {0.25, 0, -0.2727272727272727, 0.25, 0});
    expect_agreement(found({0, 0, 0, 0, 0, 0}, {0, 0, 1, 1, 2, 2}), {1.0 / 3, 0, 0, 1.0 / 3, 1.0 / 3});
    expect_agreement(found({0, 1, 2, 3, 4, 5}, {0, 0, 0, 1, 1, 1}), {1.0 / 3, 0.5578858913022601, 0, 1, 0});
}

// Two clusters of 4 and 2 points, {a, a, a, b} and {b, b}: 7 pairs in a cluster, 6 in a class, 4 in both, 15 in all.
TEST(LabelAgreement, IsThatWorkedOutByHand) {
    const LabelAgreement found = label_agreement(table_of({0, 0, 0, 0, 1, 1}, {0, 0, 0, 1, 1, 1}));
    EXPECT_DOUBLE_EQ(found.accuracy, 5.0 / 6);
    EXPECT_DOUBLE_EQ(found.purity, 5.0 / 6);
    EXPECT_DOUBLE_EQ(found.pairwise_f1, 8.0 / 13);
    EXPECT_DOUBLE_EQ(found.ari, (4 - 7 * 6 / 15.0) / (6.5 - 7 * 6 / 15.0));
    const double information = 0.5 * std::log(1.5) + std::log(0.5) / 6 + std::log(2.0) / 3;
    const double entropies = std::log(2.0) - std::log(2.0 / 3) * 2 / 3 - std::log(1.0 / 3) / 3;
    EXPECT_NEAR(found.nmi, 2 * information / entropies, 1e-15);
}

TEST(LabelAgreement, IsThatOfItsDefinitions) {
    Draws draws(4);
    for (int round = 0; round < 400; ++round) {
        const std::size_t n = 1 + draws.below(25);
        const Ids clusters = random_ids(draws, n, 1 + draws.below(6)),
                  classes = random_ids(draws, n, 1 + draws.below(6));
        std::vector<double> weights(n, 1);
        if (round % 3 == 1)
            for (double& weight : weights) weight = 1 + draws.below(4);
        if (round % 3 == 2)
            for (double& weight : weights) weight = 3 * draws.unit() + 0.01;
        SCOPED_TRACE(round);
        expect_agreement(label_agreement(table_of(clusters, classes, weights)),
                         by_definition(clusters, classes, weights));
        if (HasFailure()) return;
    }
}

TEST(LabelAgreement, APointOfWeightTwoIsTwoPoints) {
    Draws draws(5);
    Ids clusters, classes, repeated_clusters, repeated_classes;
    std::vector<double> weights;
    for (int i = 0; i < 50; ++i) {
        clusters.push_back(draws.below(4)), classes.push_back(draws.below(3));
        weights.push_back(1 + draws.below(3));
        repeated_clusters.insert(repeated_clusters.end(), static_cast<std::size_t>(weights.back()), clusters.back());
        repeated_classes.insert(repeated_classes.end(), static_cast<std::size_t>(weights.back()), classes.back());
    }
    const ContingencyTable weighted = table_of(clusters, classes, weights),
                           repeated = table_of(repeated_clusters, repeated_classes);
    EXPECT_EQ(weighted.weights, repeated.weights);
    EXPECT_EQ(weighted.unpaired, repeated.unpaired);
}

// Weights that sum to 1 leave no pairs where pairs are taken to be n (n - 1) / 2.
TEST(LabelAgreement, SmallWeightsScaleFreely) {
    Draws draws(6);
    const Ids clusters = random_ids(draws, 40, 3), classes = random_ids(draws, 40, 4);
    std::vector<double> weights(40), smaller;
    for (double& weight : weights) weight = draws.unit() * 0.9 + 1e-3;
    for (const double weight : weights) smaller.push_back(weight * 1e-9);
    expect_agreement(label_agreement(table_of(clusters, classes, smaller)),
                     label_agreement(table_of(clusters, classes, weights)));
}

TEST(LabelAgreement, IsOneForRenamedLabels) {
    Draws draws(7);
    for (const std::uint32_t k : {1U, 2U, 9U}) {
        const Ids clusters = random_ids(draws, 200, k);
        Ids classes;
        std::vector<double> weights;
        for (const std::size_t cluster : clusters) {
            classes.push_back(k - 1 - cluster);
            weights.push_back(draws.unit() + 0.1);
        }
        expect_agreement(label_agreement(table_of(clusters, classes)), {});
        const LabelAgreement weighted = label_agreement(table_of(clusters, classes, weights));
        expect_agreement(weighted, {});
        EXPECT_EQ(weighted.ari, 1) << "exactly, as no pair is apart";
    }
    expect_agreement(label_agreement(table_of({0, 1, 2, 3}, {3, 2, 1, 0})), {});
    expect_agreement(label_agreement(table_of({0}, {0}, {0.25})), {});
}

TEST(LabelAgreement, EmptyClustersAndClassesChangeNothing) {
    const Ids clusters{0, 0, 2, 2, 2}, classes{1, 3, 3, 3, 1};
    Ids packed_clusters = clusters, packed_classes = classes;
    for (std::size_t& cluster : packed_clusters) cluster /= 2;
    for (std::size_t& of_class : packed_classes) of_class /= 2;
    expect_agreement(label_agreement(table_of(clusters, classes)),
                     label_agreement(table_of(packed_clusters, packed_classes)));
    expect_agreement(label_agreement(ContingencyTable(3, 2)), {});
    expect_agreement(label_agreement(ContingencyTable(0, 0)), {});
}

}  // namespace
}  // namespace fairstream::test
