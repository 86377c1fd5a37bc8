#include <fairstream/fair_kmeans/detail/fair_lloyd.hpp>

#include <algorithm>
#include <numeric>

#include <fairstream/numeric/detail/interruption.hpp>

namespace fairstream::safairkm {
FairLloyd::FairLloyd(const Window& window, std::span<const float> centres, std::span<const std::uint32_t> attributes,
                     FairAssignment* memory)
    : window_(window),
      k_(centres.size() / window.dimensions()),
      d_(window.dimensions()),
      assignment_(memory != nullptr ? *memory : own_assignment_.emplace()),
      centres_(centres.begin(), centres.end()),
      labels_(window.size(), no_cluster),
      sums_(k_ * d_),
      squares_(k_),
      masses_(k_) {
    assignment_.begin(window, k_, attributes);
}

FairLloyd::FairLloyd(const Window& window, std::span<const float> centres, std::span<const std::uint32_t> attributes)
    : FairLloyd(window, centres, attributes, nullptr) {}

FairLloyd::FairLloyd(const Window& window, std::span<const float> centres, std::span<const std::uint32_t> attributes,
                     FairAssignment& memory)
    : FairLloyd(window, centres, attributes, &memory) {}

FairLloyd::FairLloyd(const Clustering& clustering)
    : FairLloyd(clustering.window, clustering.state.centres, clustering.cells.balanced(), nullptr) {
    copy_labels_from(clustering);
}

FairLloyd::FairLloyd(const Clustering& clustering, FairAssignment& memory)
    : FairLloyd(clustering.window, clustering.state.centres, clustering.cells.balanced(), &memory) {
    copy_labels_from(clustering);
}

void FairLloyd::copy_labels_from(const Clustering& clustering) {
    work = clustering.work;
    if (!clustering.state.started) return;
    // Takes the labels over, so that only points that move need updates.
    const std::span<const Slot> order = assignment_.order();
    for (std::size_t i = 0; i < order.size(); ++i) labels_[i] = clustering.label(order[i]);
    if (std::ranges::count(labels_, no_cluster) > 0) {
        std::ranges::fill(labels_, no_cluster);
        return;
    }
    for (std::size_t i = 0; i < order.size(); ++i) {
        const double price = clustering.price_of_change(order[i]);
        kept_.push_back(price > 0 ? labels_[i] : no_cluster);
        if (price > 0) price_of_change_ = static_cast<float>(price / clustering.weight(order[i]));
    }
    sums_ = clustering.state.sums;
    squares_ = clustering.state.squares;
    for (std::size_t l = 0; l < k_; ++l) masses_[l] = clustering.mass(static_cast<ClusterId>(l));
}

std::size_t FairLloyd::round(const Demands& demands) {
    check_interrupted();
    assignment_.measure(centres_);
    if (price_of_change_ > 0) assignment_.favour(kept_, price_of_change_);
    if (!demands.empty()) assignment_.optimise_prices(demands.of_groups, demands.of_sizes);
    const std::span<const ClusterId> fresh = assignment_.assign();
    const std::span<const Slot> order = assignment_.order();
    std::size_t moved = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (fresh[i] == labels_[i]) continue;
        const double weight = window_.weight(order[i]);
        if (labels_[i] != no_cluster) add_point(i, labels_[i], -weight);
        add_point(i, fresh[i], +weight);
        labels_[i] = fresh[i];
        ++moved;
    }
    if (moved > 0 && window_.format().has_weights) recompute_sums();
    for (std::size_t l = 0; l < k_; ++l)
        for (std::size_t j = 0; j < d_ && masses_[l] > 0; ++j)
            centres_[l * d_ + j] = static_cast<float>(sums_[l * d_ + j] / masses_[l]);
    work.settle(work_of_pass(window_, k_, assignment_.work_of_distance()));
    return moved;
}

// After a heavy point has left, the rest of a sum may be its rounding error.
void FairLloyd::recompute_sums() {
    std::ranges::fill(sums_, 0);
    std::ranges::fill(squares_, 0);
    std::ranges::fill(masses_, 0);
    const std::span<const Slot> order = assignment_.order();
    for (std::size_t i = 0; i < order.size(); ++i) add_point(i, labels_[i], window_.weight(order[i]));
}

// Adds to a cluster a point of this weight; `i` is the point's index in the assignment's order.
void FairLloyd::add_point(std::size_t i, ClusterId label, double weight) {
    const auto l = static_cast<std::size_t>(label);
    assignment_.accumulate(i, window_, weight, &sums_[l * d_], squares_[l]);
    masses_[l] += weight;
}

int FairLloyd::converge(const Demands& demands, int limit) {
    int rounds = 0;
    while (rounds < limit && round(demands) > 0 && !work.stopped()) ++rounds;
    return rounds;
}

// Returns the shortfall of all clusters, in weight.
double FairLloyd::total_shortfall(const Demands& demands) const {
    const std::span<const Slot> order = assignment_.order();
    double total_shortfall = 0;
    for (const Demand& demand : demands.of_groups) {
        const Attribute& attribute = window_.format().attributes[demand.attribute];
        const std::size_t all = attribute.groups.size(), known = attribute.known_groups();
        std::vector<double> weights(k_ * all);
        for (std::size_t i = 0; i < order.size(); ++i)
            weights[static_cast<std::size_t>(labels_[i]) * all + window_.group(order[i], demand.attribute)] +=
                window_.weight(order[i]);
        for (std::size_t l = 0; l < k_; ++l)
            total_shortfall += shortfall(demand, std::span<const double>(weights).subspan(l * all, known));
    }
    const double unit = window_.weight_unit();
    for (const double mass : masses_) total_shortfall += unit * shortfall(demands.of_sizes, mass / unit);
    return total_shortfall;
}

double FairLloyd::cost(const Demands& demands) const {
    const double all = std::accumulate(masses_.begin(), masses_.end(), 0.0);
    if (all <= 0) return 0;
    double within = 0;
    for (std::size_t l = 0; l < k_; ++l) {
        double squared_sum = 0;
        for (std::size_t j = 0; j < d_; ++j) squared_sum += sums_[l * d_ + j] * sums_[l * d_ + j];
        if (masses_[l] > 0) within += std::max(0.0, squares_[l] - squared_sum / masses_[l]);
    }
    double dearest = within / all;
    for (const float price : assignment_.cell_prices()) dearest = std::max(dearest, std::abs(double{price}));
    return (within + dearest * total_shortfall(demands)) / all;
}

void FairLloyd::copy_labels(std::span<ClusterId> labels) const {
    for (std::size_t i = 0; i < labels_.size(); ++i) labels[assignment_.order()[i]] = labels_[i];
}

void FairLloyd::copy_to(Clustering& clustering) const {
    const std::span<const Slot> order = assignment_.order();
    std::size_t differ = 0;
    for (std::size_t i = 0; i < order.size(); ++i) differ += labels_[i] != clustering.label(order[i]);
    // Relabelling a single point costs about ten times what it costs when all are relabelled.
    if (differ > order.size() / 10) {
        std::vector<ClusterId> by_slot(labels_.size());
        copy_labels(by_slot);
        clustering.relabel_all(by_slot);
    } else {
        for (std::size_t i = 0; i < order.size(); ++i)
            if (labels_[i] != clustering.label(order[i])) clustering.relabel(order[i], labels_[i]);
    }
    clustering.refresh_centres();  // also if the options move centres by the paper's steps
    clustering.reseed_empty_clusters();
}

}  // namespace fairstream::safairkm
