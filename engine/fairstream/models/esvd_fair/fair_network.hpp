#pragma once
/// Networks whose outputs are adjusted to be nearer to each other in all groups: ESVDFair. New rows need no group.
///
/// Layers are equalised one after another, first to last (`layer_adjustment.hpp`). Each needs the moments of its
/// inputs, and so a pass of the rows through the layers before it, equalised layers included. The last layer is
/// refitted by least squares before it is equalised. Its errors are then orthogonal to its inputs, so the least change
/// of outputs that brings the groups this near also has the least squared error.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <fairstream/fairness/prediction_fairness.hpp>
#include <fairstream/models/esvd_fair/layer_adjustment.hpp>
#include <fairstream/network/train.hpp>

namespace fairstream::esvd_fair {

/// Rows with known targets, and their groups.
struct LabelledRows {
    TargetRows rows;
    std::span<const GroupId> groups;  ///< n
    std::size_t group_count = 2;      ///< groups beyond are unknown: their rows count only for errors
};

/// Error of a network with one output, and distances between its groups.
struct Fit {
    double mse = 0;          ///< weighted mean squared error
    double ks = 0;           ///< largest Kolmogorov-Smirnov distance of two groups
    double wasserstein = 0;  ///< largest Wasserstein-1 distance of two groups, in the outputs' unit
    double mean_gap = 0;     ///< largest difference of groups' means, in the outputs' unit
    bool operator==(const Fit&) const = default;
    template <class Self, class Archive> static void fields(Self& self, Archive& archive) {
        archive(1, self.mse);
        archive(2, self.ks);
        archive(3, self.wasserstein);
        archive(4, self.mean_gap);
    }
};
[[nodiscard]] Fit measure(const Network& network, const LabelledRows& rows);
/// Measures known outputs, n.
[[nodiscard]] Fit measure(std::span<const float> outputs, const LabelledRows& rows);

/// How layers are equalised.
struct FairOptions {
    Form form = Form::optimal;
    /// Layers to equalise, counted from the last, which is 1; in descending order, no two equal. By default only the
    /// last layer: its moments are the moments of the outputs, and it changes least. The paper's choice is 2. Several
    /// layers are unstable: on compas the errors of some networks grew tenfold.
    std::vector<int> layers = {1};
    double means = 0.03;  ///< c_e relative to the present `mean_gap`, in (0, 1]; 1: means do not change
    /// c_v relative to the present `spread_gap`, in (0, 1]; 1: covariances do not change. Smaller values raise the
    /// error. At the same error, smaller `means` often bring the groups as near or nearer.
    double spreads = 1;
    /// Limit of the gap of the network inputs' means, relative to the present gap, in (0, 1]; 1: no change. To meet it,
    /// the first layer is equalised before any other; near 0 this is LEACE (N. Belrose et al., "LEACE: perfect linear
    /// concept erasure in closed form", 2023) of the inputs. No effect on a network of one layer.
    double inputs = 1;
    double epsilon =
        0;  ///< epsilon of N_e, in squares of the unit of the layer's inputs, in [0, 1e15]; the paper's is 1e-5
    /// Whether the last layer is fitted again by least squares: before it is equalised, or at the end if it is not.
    bool refits = true;
    double ridge = 1e-2;  ///< ridge of that fit, see `with_last_layer_refitted`, in [0, 1e15]
};

/// Equalises a layer whose inputs have these moments of the groups to compare: covariances first, then means (Algorithm
/// 1). Throws as `equalised` does for the limits.
void equalise(Layer& layer, const GroupMoments& inputs, const FairOptions& options);

/// Returns the options of the paper's experiments, except that there the last layer was trained further instead of
/// refitted.
[[nodiscard]] FairOptions papers_options();

/// Returns the network with its first layer equalised by the means of the network's inputs, as the option `inputs`
/// says.
[[nodiscard]] Network with_inputs_equalised(Network network, const LabelledRows& rows, const FairOptions& options);

struct FairNetwork {
    Network network;
    FairOptions options;                    ///< options with the chosen limits
    Fit before, after;                      ///< fits to the rows that the network was fitted to
    Fit held_back_before, held_back_after;  ///< fits to held-back rows; all 0 without such rows
};

/// Returns the network adjusted with these limits. Throws `InvalidInput` (bad_option) for an option out of range,
/// (wrong_shape) for rows that do not fit, or a network of several outputs.
[[nodiscard]] FairNetwork equalised(const Network& network, const LabelledRows& rows, const FairOptions& options);

/// Wished KS distances, in [0, 1].
struct KsWish {
    double held_back = 1;  ///< KS distance on held-back rows
    double all = 1;        ///< KS distance on held-back and fitted rows together
};

/// Returns the wish about these rows for which new rows, as many as held back, have a KS distance of `ks_at_most` on
/// average. The best of many networks tried has a larger distance on new rows than on those that chose it: by .4 times
/// the `ks_by_chance` of the held-back rows, about the standard error of a distance, on data sets of 1,000 to 5,900
/// rows. So the wish on held-back rows is lower by this margin, but not below `ks_by_chance`: rows cannot show that
/// groups are nearer, and a search for a smaller distance fits noise. So new rows exceed bounds below 1.4 times
/// `ks_by_chance`. Empty if fewer than two groups have rows in each part.
[[nodiscard]] std::optional<KsWish> wish_for_new_rows(double ks_at_most, const LabelledRows& rows,
                                                      const LabelledRows& held_back);

/// Tries many networks, and returns the one with the least error on held-back rows among those whose KS distances are
/// as wished. If there is none, returns the one that exceeds the wish least. Tries 51 limits of the means, from the
/// present gap to nothing in equal steps. Each is tried without a limit of the spreads, and with limits of 100 and 10
/// times the limit of the means. Ridges from 1e-4 to 1e-1 are tried, and inputs as they are or without the gap of their
/// means. KS need not fall with the limits, so all are tried. `held_back_after.ks` says whether the wish was met there;
/// on other rows it may be some `ks_by_chance` more or less. If the work is ended, returns the best of the networks
/// tried so far, of which there is at least one.
[[nodiscard]] FairNetwork equalised_to(const Network& network, const LabelledRows& rows, const LabelledRows& held_back,
                                       const KsWish& wish, FairOptions options = {}, const WorkHandle& work = {});
/// Returns such a network for a wish only on held-back rows: a KS distance of at most `ks_at_most`.
[[nodiscard]] inline FairNetwork equalised_to(const Network& network, const LabelledRows& rows,
                                              const LabelledRows& held_back, double ks_at_most,
                                              FairOptions options = {}, const WorkHandle& work = {}) {
    return equalised_to(network, rows, held_back, KsWish{.held_back = ks_at_most}, std::move(options), work);
}

}  // namespace fairstream::esvd_fair
