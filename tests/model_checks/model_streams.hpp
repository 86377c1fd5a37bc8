#pragma once
/// What the check suite needs to know of each model. The primary template is left undefined: a model that is added to
/// the engine without a stream here does not compile.

#include <string>
#include <utility>
#include <vector>

#include <fairstream/models/all.hpp>
#include <fairstream/numeric/kernels.hpp>

#include "support/streams.hpp"
#include "threshold_model.hpp"

namespace fairstream::test {

template <class M> struct ModelStream;

template <> struct ModelStream<safairkm::Model> {
    static safairkm::Options options() {
        safairkm::Options o;
        o.clusters = 4;
        o.kmeans_updates = 16;
        o.swaps = 2;
        o.candidates = 8;
        return o;
    }
    /// For each option another value whose effect must show.
    static std::vector<std::pair<std::string, std::string>> other_values() {
        return {{"clusters", "3"},           {"attribute", "1"},          {"kmeans_updates", "3"}, {"swaps", "0"},
                {"target", "global"},        {"balance_at_least", "0.5"}, {"swap", "nearest"},     {"candidates", "1"},
                {"candidate_growth", "1.5"}, {"centre_update", "paper"},  {"starts", "30"},        {"seed", "7"}};
    }
    static std::size_t points_to_start(const safairkm::Options& o) { return static_cast<std::size_t>(o.clusters); }
    /// The defining property of `Outcome::converged`.
    static bool is_converged(const safairkm::Options& o, const FairnessTally& tally);
};

template <> struct ModelStream<threshold::Model> {
    static threshold::Options options() { return {}; }
    static std::vector<std::pair<std::string, std::string>> other_values() { return {{"offset", "1"}}; }
    static std::size_t points_to_start(const threshold::Options&) { return 2; }
    static bool is_converged(const threshold::Options&, const FairnessTally&) { return true; }
};

}  // namespace fairstream::test
