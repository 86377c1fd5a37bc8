#pragma once
/// The way back from a clustering that was bought at a high price. Where points leave few counts that keep a target,
/// clusters are made of points that lie far apart. A later step may be asked for less: more points came, or a target
/// that they put out of reach is kept only in part. Moves and exchanges of single points do not lead back then, since
/// no centre lies near its points; the centres from before do.

#include <vector>

#include <fairstream/fair_kmeans/detail/clustering.hpp>

namespace fairstream::safairkm {

/// What a clustering was before points were placed for its demands.
class BeforePlacing {
public:
    explicit BeforePlacing(const Clustering& clustering);
    /// Keeps the centres from before in the state where the cost has risen by a high price since, unless there are
    /// some from an earlier one.
    void note_price(Clustering& clustering) const;

private:
    double cost_;
    std::vector<float> centres_;  // k x d
};

/// Places all points anew by prices, in a few rounds from the centres that were kept, and mends that. Takes the result
/// where it falls no further short of the demands and costs less; otherwise changes nothing. The centres are forgotten
/// once they lead to the demands: at less cost, or at no less, which then is the price of the target.
void try_way_back(Clustering& clustering);

}  // namespace fairstream::safairkm
