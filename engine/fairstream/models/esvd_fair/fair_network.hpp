#pragma once
/// Networks whose outputs are nearer to each other in all groups: ESVDFair, with no group needed for new rows.
///
/// Layers are equalised one after another, from first to last (`layer_adjustment.hpp`): each needs the moments of its
/// inputs, and so a pass over the rows through the layers before it, those that were moved included. The last layer is
/// refitted by least squares before its own turn. Since its errors are then orthogonal to its inputs, the least change
/// of its outputs that brings the groups so near is the least squared error that does.

#include <cstdint>
#include <span>
#include <vector>

#include <fairstream/fairness/prediction_fairness.hpp>
#include <fairstream/models/esvd_fair/layer_adjustment.hpp>
#include <fairstream/network/train.hpp>

namespace fairstream::esvd_fair {

/// Rows with what they are known to be, and their groups.
struct LabelledRows {
    TargetRows rows;
    std::span<const GroupId> groups;  ///< n
    std::size_t group_count = 2;      ///< groups beyond are unknown: such rows count for errors alone
};

/// Error of a network of one output, and the distances between its groups.
struct Fit {
    double mse = 0;          ///< mean squared error, by weight
    double ks = 0;           ///< largest Kolmogorov-Smirnov distance of two groups
    double wasserstein = 0;  ///< largest Wasserstein-1 distance, in the outputs' unit
    double mean_gap = 0;     ///< largest difference of means, in the outputs' unit
    bool operator==(const Fit&) const = default;
    template <class Self, class Archive> static void fields(Self& self, Archive& archive) {
        archive(1, self.mse);
        archive(2, self.ks);
        archive(3, self.wasserstein);
        archive(4, self.mean_gap);
    }
};
[[nodiscard]] Fit measure(const Network& network, const LabelledRows& rows);
/// Does so for outputs that are known, n.
[[nodiscard]] Fit measure(std::span<const float> outputs, const LabelledRows& rows);

/// How groups are brought together.
struct FairOptions {
    Form form = Form::optimal;
    /// Layers that are equalised, counted from the last one, which is 1; from the largest number to the least, no two
    /// alike. By default the last alone: its moments are those of the outputs, and it changes least. The paper's is 2.
    /// Several are not steady: on compas some networks' errors grew tenfold.
    std::vector<int> layers = {1};
    double means = 0.03;  ///< c_e in parts of what `mean_gap` is before, in (0, 1]; 1: means stay
    /// c_v in parts of what `spread_gap` is before, in (0, 1]; 1: covariances stay. They cost error, and often bring
    /// groups no nearer than the same error spent on means does.
    double spreads = 1;
    /// Limit for the gap of the means of what the network itself is given, in parts of what it was, in (0, 1]; 1: it
    /// stays. The first layer is equalised so before any other; near 0 that is LEACE (N. Belrose et al., "LEACE:
    /// perfect linear concept erasure in closed form", 2023) of the inputs. Does nothing to a network of one layer.
    double inputs = 1;
    double epsilon = 0;  ///< of N_e, in squares of the layer's inputs, in [0, 1e15]; the paper's is 1e-5
    /// Says whether the last layer is fitted anew by least squares: before it is equalised, or last of all where it is
    /// not.
    bool refits = true;
    double ridge = 1e-2;  ///< of that fit, see `with_last_layer_refitted`, in [0, 1e15]
};

/// Equalises a layer whose inputs have these moments, of the groups that are compared: the covariances first, then the
/// means (Algorithm 1). Throws as `equalised` does for the limits.
void equalise(Layer& layer, const GroupMoments& inputs, const FairOptions& options);

/// Returns the options of the paper's experiments, but that its last layer was trained on instead of refitted.
[[nodiscard]] FairOptions papers_options();

/// Returns the network whose first layer is equalised by the means of what the network is given, as `inputs` says.
[[nodiscard]] Network with_inputs_equalised(Network network, const LabelledRows& rows, const FairOptions& options);

struct FairNetwork {
    Network network;
    FairOptions options;                    ///< with the limits as chosen
    Fit before, after;                      ///< on the rows that it was fitted to
    Fit held_back_before, held_back_after;  ///< on rows held back; all 0 without such
};

/// Returns the network made fair by these limits. Throws `InvalidInput` (bad_option) for an option out of its range,
/// (wrong_shape) for rows that do not fit, or a network of several outputs.
[[nodiscard]] FairNetwork equalised(const Network& network, const LabelledRows& rows, const FairOptions& options);

/// KS distances that are wished for, in [0, 1].
struct KsWish {
    double held_back = 1;  ///< of rows held back
    double all = 1;        ///< of these and of the rows that the network is fitted to, together
};

/// Returns the one of the least error on held-back rows among those whose KS distances are as wished for, of 51 limits
/// of the means, their gap falling to nothing in equal steps, limits of the spreads of 1, 100 and 10 times as much,
/// ridges from 1e-4 to 1e-1, and the network's own inputs as they are or with their means' gap erased; where none is,
/// the one that is least above the wish. KS need not fall with the limits, so that all are tried: `held_back_after.ks`
/// says whether the wish was met there. On other rows expect some `ks_by_chance` more or less. Asked to end, it returns
/// the best of those that were tried, at least one.
[[nodiscard]] FairNetwork equalised_to(const Network& network, const LabelledRows& rows, const LabelledRows& held_back,
                                       const KsWish& wish, FairOptions options = {}, const WorkHandle& work = {});
/// Does so for a wish about the rows held back alone.
[[nodiscard]] inline FairNetwork equalised_to(const Network& network, const LabelledRows& rows,
                                              const LabelledRows& held_back, double ks_at_most,
                                              FairOptions options = {}, const WorkHandle& work = {}) {
    return equalised_to(network, rows, held_back, KsWish{.held_back = ks_at_most}, std::move(options), work);
}

}  // namespace fairstream::esvd_fair
