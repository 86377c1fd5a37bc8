#pragma once
/// Predictions of the targets that are distributed alike in all groups, by a network whose last layer is adjusted in
/// closed form as the window moves, with no group needed at inference: ESVDFair (Z. Zuo, Z. Zhu, M. Khalili) on a
/// stream.
///
/// The network is given, or trained on the first points. Of the inputs of its last layer and of the targets the model
/// keeps the moments by group (`GroupMoments`); from these alone follow the last layer of least squares and its
/// adjustment (`fair_network.hpp`), so that to solve anew costs milliseconds and a pass for the predictions. It solves
/// anew when the groups' mean predictions, their spread or the mean errors on arriving points have changed by more than
/// sampling explains (`ChangeDetector`), then again when a sixteenth, an eighth, a quarter, a half and all of a window
/// have come since; as the window first fills, when its points have doubled; and when a group has points that had none.
/// A network that its adjustment would make no fairer and no more accurate is left as it is.

#include <cstdint>

#include <fairstream/base/one_or_more.hpp>
#include <fairstream/models/model_options.hpp>
#include <fairstream/network/network_option.hpp>

namespace fairstream::esvd_fair {

struct Options {
    int attribute = 0;  ///< index of the protected attribute whose groups are compared
    /// The network that is adjusted, of one output, its last layer without activation, for the stream's columns as
    /// prepared at the start; none: one is trained on the points that are there at the start.
    NetworkOption network{};
    OneOrMore<int> hidden{128, 128};  ///< widths of the hidden layers of a network that is trained, each in [1, 4096]
    int epochs = 20;                  ///< of that training, in [1, 1e4]
    /// Points in the window at which the model starts, or the window's capacity where that is less; in [1, 1e9].
    std::uint64_t start_after = 1000;
    double means = 0.03;  ///< as in `FairOptions`, in (0, 1]
    double spreads = 1;   ///< as in `FairOptions`, in (0, 1]
    double inputs = 1;    ///< as in `FairOptions`, in (0, 1]
    double ridge = 1e-2;  ///< as in `FairOptions`, in [0, 1e15]
    bool refits = true;   ///< as in `FairOptions`; without targets nothing is refitted
    /// Largest KS distance wished for, in (0, 1]: `means`, `spreads`, `inputs` and `ridge` are then chosen for it on a
    /// quarter of the window that is held back, at the start and whenever it is solved anew; 1: they are taken as they
    /// are.
    double ks_at_most = 1;
    /// Chance of a false alarm at a point of a stream that does not change, in [0, 0.5]; 0: nothing is watched.
    double false_alarms = 1e-6;
    std::uint64_t seed = 1;  ///< of the training
    bool operator==(const Options&) const = default;
};
/// Returns the kind of model that these are options of.
[[nodiscard]] const ModelKind& kind_of(const Options& options);

}  // namespace fairstream::esvd_fair
