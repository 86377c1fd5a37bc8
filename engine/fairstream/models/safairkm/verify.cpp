#include <algorithm>
#include <cmath>

#include <fairstream/models/safairkm.hpp>
#include <fairstream/numeric/random.hpp>

namespace fairstream::safairkm {
namespace {

// Centres and means lie among the features; rounding takes them a little beyond, never as far as twice the limit.
constexpr double reach = 2 * static_cast<double>(feature_limit);

// `sums` by cluster, each within what as many points can add up to. What remains of an evicted cluster is rounding.
bool can_be_sums(const State& state, std::size_t k, std::size_t d) {
    for (std::size_t at = 0; at < k * d; ++at) {
        const auto members =
            static_cast<double>(std::max<std::int64_t>(1, state.tally.size(static_cast<ClusterId>(at / d))));
        if (!(std::abs(state.sums[at]) <= members * reach)) return false;
    }
    return true;
}

}  // namespace

void verify(const Options& options, const State& state, const StreamFormat& format) {
    const auto expect = [](bool holds, const char* what) {
        if (!holds) throw InvalidInput(Reason::bad_state, std::string("saved state of safairkm: ") + what);
    };
    const auto k = static_cast<std::size_t>(options.clusters);
    const std::size_t d = format.dimensions;
    std::vector<int> group_counts;
    for (const Attribute& attribute : format.attributes)
        group_counts.push_back(static_cast<int>(attribute.groups.size()));
    const std::size_t groups =
        format.attributes.empty() ? 1 : format.attributes[static_cast<std::size_t>(options.attribute)].groups.size();
    expect(state.sums.size() == k * d && state.centres.size() == k * d && state.squares.size() == k &&
               state.peaks.size() == k && state.members.size() == k * groups,
           "sums or centres are not k x d");
    expect(state.tally.same_shape(FairnessTally(options.clusters, group_counts)), "the counts are not k x groups");
    expect(can_be_sums(state, k, d), "a sum is out of range");
    const auto is_finite = [](double x) { return std::isfinite(x); };
    expect(std::ranges::all_of(state.squares, is_finite) && std::ranges::all_of(state.peaks, is_finite),
           "a sum of squares is not finite");
    expect(std::ranges::all_of(state.centres, [](float x) { return std::abs(x) <= static_cast<float>(reach); }),
           "a centre is out of range");
    expect(Random::can_be(state.generator), "the generator has an even increment");
    const auto in_range = [&](ClusterId l) {
        return state.started ? l >= 0 && static_cast<std::size_t>(l) < k : l == no_cluster;
    };
    expect(std::ranges::all_of(state.labels, in_range), "a label is out of range");
    expect(state.position.size() == state.labels.size(), "labels and positions differ in number");
}

}  // namespace fairstream::safairkm
