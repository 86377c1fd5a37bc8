#pragma once
/// Predictions of targets with nearly equal distributions in all groups: ESVDFair (Z. Zuo, Z. Zhu, M. Khalili) on a
/// stream. The last layer of a network is adjusted in closed form as the window moves. Inference needs no groups.
///
/// The network is given, or trained on the first points. The model keeps the moments, by group, of the inputs of its
/// last layer and of the targets (`GroupMoments`). The last layer of least squares and its adjustment
/// (`fair_network.hpp`) follow from these moments alone, so a new solution costs milliseconds and one pass for the
/// predictions. The model solves again when a group's mean prediction, spread of predictions or mean error on arriving
/// points has changed by more than sampling explains (`ChangeDetector`). After such a change, it solves again when a
/// sixteenth, an eighth, a quarter, a half and all of a window of points have come. It also solves when its points have
/// doubled while the window first fills, and when a group first has enough points to be compared. A network that the
/// adjustment would make neither fairer nor more accurate is not changed.

#include <cstdint>

#include <fairstream/base/one_or_more.hpp>
#include <fairstream/models/model_options.hpp>
#include <fairstream/network/network_option.hpp>

namespace fairstream::esvd_fair {

struct Options {
    int attribute = 0;  ///< index of the protected attribute whose groups are compared
    /// The network to adjust, for the stream's columns as prepared at the start; it must have one output, and no
    /// activation in its last layer. None: a network is trained on the points present at the start.
    NetworkOption network{};
    OneOrMore<int> hidden{128, 128};  ///< widths of the hidden layers of a trained network, each in [1, 4096]
    int epochs = 20;                  ///< epochs of the training, in [1, 1e4]
    /// Number of points in the window at which the model starts, or the window's capacity if that is less; in [1, 1e9].
    std::uint64_t start_after = 1000;
    double means = 0.03;  ///< as in `FairOptions`, in (0, 1]
    double spreads = 1;   ///< as in `FairOptions`, in (0, 1]
    double inputs = 1;    ///< as in `FairOptions`, in (0, 1]
    double ridge = 1e-2;  ///< as in `FairOptions`, in [0, 1e15]
    bool refits = true;   ///< as in `FairOptions`; without targets nothing is refitted
    /// Largest wished KS distance, in (0, 1]. `means`, `spreads`, `inputs` and `ridge` are then chosen, at the start
    /// and at every solution, so that a held-back quarter of the window meets it with a margin for new points
    /// (`wish_for_new_rows`). 1: these options are used as given.
    double ks_at_most = 1;
    /// Probability of a false alarm per point of a stream that does not change, in [0, 0.5]; 0: changes are not
    /// watched.
    double false_alarms = 1e-6;
    std::uint64_t seed = 1;  ///< seed of the training
    bool operator==(const Options&) const = default;
};
/// Returns the kind of model that these options belong to.
[[nodiscard]] const ModelKind& kind_of(const Options& options);

}  // namespace fairstream::esvd_fair
