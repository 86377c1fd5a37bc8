#pragma once
/// Return from a clustering that met its target at a high cost. If few counts meet a target, clusters consist of
/// distant points. Later the demands may be weaker: more points came, or they made the target unattainable, so that it
/// is met only in part. Moves and exchanges of single points then do not lead back, because no centre is near its
/// points. The former centres lead back.

#include <vector>

#include <fairstream/fair_kmeans/detail/clustering.hpp>

namespace fairstream::safairkm {

/// The clustering before points were placed for its demands.
class BeforePlacing {
public:
    explicit BeforePlacing(const Clustering& clustering);
    /// Stores the former centres in the state if the cost has risen by a large share since, unless the state has some
    /// from an earlier time.
    void store_if_costlier(Clustering& clustering) const;

private:
    double cost_;
    std::vector<float> centres_;  // k x d
};

/// Places all points anew by prices, in a few rounds from the stored centres, and repairs the result. Takes it if its
/// shortfall is not larger and it costs less; otherwise changes nothing. The centres are forgotten once they lead to
/// the demands: either the result costs less, or the high cost is the price of the target.
void try_stored_centres(Clustering& clustering);

}  // namespace fairstream::safairkm
