#include <fairstream/graph_labels/detail/normalised_cut.hpp>

#include <algorithm>
#include <vector>

#include <fairstream/numeric/matrix.hpp>

namespace fairstream {

double normalised_cut(const Affinity& affinity, std::span<const ClusterId> labels, std::size_t k) {
    Matrix indicators(labels.size(), k), joined;
    for (std::size_t i = 0; i < labels.size(); ++i) indicators.at(i, static_cast<std::size_t>(labels[i])) = 1;
    affinity.multiply(indicators, joined);
    std::vector<double> within(k, 0.0), volume(k, 0.0);
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const auto l = static_cast<std::size_t>(labels[i]);
        within[l] += joined.at(i, l);
        volume[l] += affinity.degrees()[i];
    }
    double cut = 0;
    for (std::size_t l = 0; l < k; ++l)
        if (volume[l] > 0) cut += std::max(0.0, volume[l] - within[l]) / volume[l];
    return cut;
}

}  // namespace fairstream
