#pragma once
/// Options of lord, and the invariants of every step.

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <vector>

#include <fairstream/fairness/measures.hpp>
#include <fairstream/models/lord/detail/model.hpp>

#include "graphs.hpp"
#include "support/marginal_set.hpp"
#include "support/model_bench.hpp"
#include "support/separated_stream.hpp"

namespace fairstream::lord {

using LordBench = test::ModelBench<lord::Model>;

inline constexpr Method methods[] = {Method::b_lord, Method::lord};

/// Options without targets, so that labels are the most probable ones.
inline Options plain(int clusters, Method method = Method::b_lord) {
    Options o;
    o.clusters = clusters;
    o.method = method;
    o.starts = 3;
    o.targets.parity_at_least = 0;
    return o;
}

/// Returns options for each way of making a step.
inline std::vector<Options> all_forms(int clusters) {
    std::vector<Options> all;
    for (const Method method : methods)
        for (const Fair fair : {Fair::proportional, Fair::off})
            for (const double tau : {tau2, tau1, 0.0, 1.0}) {
                if (method == Method::lord && tau != tau2) continue;
                all.push_back(plain(clusters, method));
                all.back().fair = fair;
                all.back().tau = tau;
                all.back().small_below = 0;
            }
    return all;
}

inline std::vector<double> mu_of(const Options& options) {
    std::vector<double> mu;
    double sum = 0;
    for (std::size_t j = 0; j < static_cast<std::size_t>(options.clusters); ++j) sum += options.priors.of(j);
    for (std::size_t j = 0; j < static_cast<std::size_t>(options.clusters); ++j)
        mu.push_back(std::sqrt(options.priors.of(j) / sum));
    return mu;
}

/// Returns the set of V, if each group of the first attribute of the options has enough points for marginals, and no
/// group is unknown.
inline test::MarginalSet set_of(const LordBench& bench) {
    test::MarginalSet set(mu_of(bench.options), bench.window.size());
    for (Slot slot = 0; slot < bench.window.size(); ++slot) {
        set.weights[slot] = bench.window.weight(slot) / bench.window.weight_unit();
        if (bench.window.attributes() > 0 && bench.options.fair == Fair::proportional)
            set.blocks[slot] = bench.window.group(slot, static_cast<std::uint32_t>(bench.options.targets.attribute[0]));
    }
    return set;
}

/// Expects the invariants of every step: the state fits its window, V has the given sums (except those of groups), and
/// the figures are those of V and the labels.
inline void expect_sound(const LordBench& bench) {
    lord::Model::verify(bench.options, bench.state, bench.window);
    if (!bench.state.started) return;
    const std::size_t n = bench.window.size(), k = static_cast<std::size_t>(bench.options.clusters);
    test::MarginalSet set = set_of(bench);
    std::ranges::fill(set.blocks, 0U);
    EXPECT_LE(set.violation(bench.state.v), 1e-7);
    EXPECT_NEAR(bench.state.mass, set.mass(), 1e-9 * set.mass());
    const Quality& q = bench.state.quality;
    const Matrix p = lord::Model::memberships(bench.options, bench.state);
    double confidence = 0;
    for (std::size_t i = 0; i < n; ++i) {
        double sum = 0;
        for (std::size_t j = 0; j < k; ++j) {
            EXPECT_NEAR(p.at(i, j), set.mass() * set.mu[j] * bench.state.v.at(i, j), 1e-9);
            sum += p.at(i, j);
        }
        EXPECT_NEAR(sum, 1, 1e-7);
        confidence += set.weights[i] * p.at(i, static_cast<std::size_t>(bench.state.labels[i])) / set.mass();
    }
    EXPECT_NEAR(q.confidence, confidence, 1e-9);
    EXPECT_NEAR(q.block_diagonality, set.mass() * set.inner(bench.state.v, bench.state.v) / static_cast<double>(k),
                1e-9);
    EXPECT_GE(q.block_diagonality, 1 / static_cast<double>(k) - 1e-6);
    EXPECT_LE(q.block_diagonality, 1 + 1e-6);
    EXPECT_GE(q.normalised_cut, -1e-6);
    EXPECT_LE(q.normalised_cut, static_cast<double>(k) + 1e-6);
    for (const Figure& f : lord::Model::figures(bench.options, bench.state))
        EXPECT_TRUE(std::isfinite(f.value)) << f.name;
    EXPECT_EQ(lord::Model::objective(bench.state), q.objective);
}

/// Expects the labels to be the most probable ones; among equally probable ones, any.
inline void expect_most_probable(const LordBench& bench) {
    const Matrix p = lord::Model::memberships(bench.options, bench.state);
    for (std::size_t i = 0; i < p.rows; ++i) {
        const double given = p.at(i, static_cast<std::size_t>(bench.state.labels[i]));
        EXPECT_GE(given, *std::max_element(p.row(i), p.row(i) + p.cols) - 1e-6) << "point " << i;
    }
}

/// Returns the largest gap between a group's share of a cluster's probabilities and the cluster's share of all.
inline double share_gap_of(const LordBench& bench, std::uint32_t attribute) {
    const Matrix p = lord::Model::memberships(bench.options, bench.state);
    const std::vector<double> mu = mu_of(bench.options);
    const std::size_t groups = bench.window.format().attributes[attribute].groups.size();
    Matrix sums(groups, p.cols);
    std::vector<double> masses(groups, 0.0);
    for (Slot slot = 0; slot < bench.window.size(); ++slot) {
        const double weight = bench.window.weight(slot);
        masses[bench.window.group(slot, attribute)] += weight;
        for (std::size_t j = 0; j < p.cols; ++j)
            sums.at(bench.window.group(slot, attribute), j) += weight * p.at(slot, j);
    }
    double most = 0;
    for (std::size_t g = 0; g < groups; ++g)
        for (std::size_t j = 0; j < p.cols && masses[g] > 0; ++j)
            most = std::max(most, std::abs(sums.at(g, j) / masses[g] - mu[j] * mu[j]));
    return most;
}

}  // namespace fairstream::lord
